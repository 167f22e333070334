"""Sets short texts for an SVG, which cannot break lines by itself.

Nobody knows which sans-serif font a page will meet. Widths are those of DejaVu Sans, one
of the widest in common use. A line may be a little wider than its column in that font,
which the gutter beside the column has to bear, so that it fills the column in Helvetica,
Arial and their like.
"""

from collections.abc import Iterator
from html import escape
from itertools import groupby
from typing import NamedTuple

FAMILY = "Helvetica, Arial, sans-serif"
LEADING = 1.24
"""From one line to the next, in sizes of the font."""
OVERHANG = 1.09
"""How much wider than its column a line may be in the widest font."""

# Thousandths of the font's size, and the characters that are not wider than that.
WIDTHS = {
    300: "'ijlîïIJÎ",
    340: ",. ’·\u00a0/:;|",
    400: "f-()[]t!",
    415: "r",
    535: '"–_sz?',
    560: "cçL",
    615: "Fkvxy«»PTYoôaàâeèéêë",
    640: "EÉÈÊhnuùûbdgpqS0123456789",
    700: "KAVÀXZBRC",
    790: "UNHDG&OQÔ",
    865: "w+=−×←→M",
    1000: "%mW…—",
    1070: "œŒ",
}
WIDTH_OF = {letter: width for width, letters in WIDTHS.items() for letter in letters}
BOLD = 1.13
"""How much wider bold letters are."""

Letter = tuple[str, bool]
"""A character, and whether it is bold."""
Word = list[Letter]
"""What no line break comes into."""


def words(marked: str) -> list[Word]:
    """The words of a text in which ``*stars*`` make bold; a no-break space joins two."""
    bold = False
    found: list[Word] = [[]]
    for letter in marked:
        if letter == "*":
            bold = not bold
        elif letter == " ":
            found.append([])
        else:
            found[-1].append((letter, bold))
    return [word for word in found if word]


def line_of(some: list[Word]) -> list[Letter]:
    """Words side by side; a space between two bold ones is bold."""
    line: list[Letter] = []
    for word in some:
        if line:
            line.append((" ", line[-1][1] and word[0][1]))
        line += word
    return line


def width_of(line: list[Letter], size: float) -> float:
    try:
        ems = sum(WIDTH_OF[letter] * (BOLD if bold else 1) for letter, bold in line) / 1000
    except KeyError as missing:
        raise ValueError(f"the width of {missing} is not known") from None
    return ems * size


def lines(marked: str, width: float, size: float) -> list[list[Letter]]:
    """The words, broken into lines."""
    broken: list[list[Word]] = [[]]
    for word in words(marked):
        if width_of(line_of([*broken[-1], word]), size) > width * OVERHANG:
            broken.append([])
        broken[-1].append(word)
    return [line_of(line) for line in broken if line]


class Paragraph(NamedTuple):
    """A text that was set, and how high it stands."""

    drawn: list[str]
    height: float


def paragraph(marked: str, x: float, top: float, width: float, size: float) -> Paragraph:
    """Set a text into a column."""
    broken = lines(marked, width, size)
    pitch = size * LEADING
    baselines = (top + index * pitch + size * 0.95 for index in range(len(broken)))
    drawn = [_set(line, x, at, size) for line, at in zip(broken, baselines, strict=True)]
    return Paragraph(drawn, pitch * len(broken))


def one_line(marked: str, x: float, baseline: float, size: float, look: str = "") -> str:
    """Set a text that is short enough; further attributes say how it looks."""
    return _set(line_of(words(marked)), x, baseline, size, look)


def _set(line: list[Letter], x: float, baseline: float, size: float, look: str = "") -> str:
    where = f'x="{short(x)}" y="{short(baseline)}" font-size="{short(size)}"'
    return f"<text {f'{where} {look}'.rstrip()}>{''.join(_runs(line))}</text>"


def _runs(line: list[Letter]) -> Iterator[str]:
    for bold, run in groupby(line, key=lambda letter: letter[1]):
        together = escape("".join(letter for letter, _ in run), quote=False)
        yield f'<tspan font-weight="bold">{together}</tspan>' if bold else together


def short(number: float) -> str:
    """A number with as many decimals as a printer can follow."""
    return f"{number:.2f}".rstrip("0").rstrip(".")
