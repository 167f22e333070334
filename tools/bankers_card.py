"""Draws the banker's card: a sheet to print, in French and English, with the real screens.

``make card`` runs it. The front says how to bank, the back what the F key does; each is a
page of its own, to be printed alone or on both sides of one sheet. Every picture was shown
by the box: a script is played on it, and the firmware's own renderer draws what it showed, in
the language of that half. So the card cannot show a screen that the box does not have, and a
test sees that neither page is stale.

Lengths are millimetres on a sheet of A4. A page has no size of its own but only
proportions, so that it fills one sheet of whatever paper a browser prints it on.
"""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from PIL import Image, ImageChops

from firmware import edition as editions
from firmware.edition import Edition
from hal.events import Instant, Key
from hal.language import Language
from hal.picture import HEIGHT, MESSAGE_TOP, WIDTH, draw
from hal.view import Menu, View
from sim.player import Unmet, perform
from sim.rig import Rig
from sim.script import read_script
from sim.trace import Happening
from tools import box_drawing
from tools.bankers_card_words import BOTH, Words, bound
from tools.box_drawing import INK, PALE
from tools.typesetting import FAMILY, one_line, paragraph, short

DOCS = Path(__file__).parent.parent / "docs"


# The screens


class Scene(NamedTuple):
    """How the box comes to show a screen."""

    script: str
    message: str | None = None
    """The last screen with this message is meant, not the last of all."""


RENT_CARDS = (2, 1)
"""The cards of the example, left and right."""
RENT = f"insert right {RENT_CARDS[1]}\ninsert left {RENT_CARDS[0]}"
FRONT_SCENES = {
    "ready": Scene(f"{RENT}\nwait 1s\nexpect screen 15M"),
    "entry": Scene(f"{RENT}\npress 1,5\nexpect screen 1,5"),
    "payer": Scene(f"{RENT}\npress 1,5M\nexpect screen 13,5M"),
    "payee": Scene(f"{RENT}\npress 1,5M\nwait 2s\nexpect screen 16,5M"),
    "new-card": Scene("given cards none\ninsert left 1\nexpect message NEW CARD"),
    "countdown": Scene("insert left 1\nwait 1s\nhold C 2500ms", "NEW GAME IN 2"),
    "asleep": Scene("wait 60s\nexpect asleep"),
    "no-funds": Scene("insert right 1\npress 16M\nexpect message NO FUNDS"),
    "min": Scene("insert left 1\npress 1K\nexpect message MIN 10K"),
    "max": Scene("insert left 1\npress 21M\nexpect message MAX 20M"),
    "no-amount": Scene("insert left 1\npress M\nexpect message NO AMOUNT"),
    "no-card": Scene("press 5\nexpect message NO CARD"),
    "already-paid": Scene("insert left 1\npress GG\nexpect message ALREADY PAID"),
    "left-card-only": Scene(f"{RENT}\npress G\nexpect message LEFT CARD ONLY"),
    "same-card": Scene("insert left 1\ninsert right 1\nexpect message SAME CARD"),
    "unknown-card": Scene("insert left 9\nexpect message UNKNOWN CARD"),
    "nothing-to-undo": Scene("insert left 1\npress C\nexpect message NOTHING TO UNDO"),
}

THREE_PLAY = (
    "given cards none\ninsert left 1\nremove left\ninsert left 2\nremove left\n"
    "insert left 3\nremove left\ninsert right 1\ninsert left 2\npress 1,5M\n"
    "remove left\nremove right"
)
"""Three players, and the rent of the front has been paid."""
COUNTED = f"{THREE_PLAY}\npress F9M\ninsert left 2\npress 3,2M\nexpect worth 2 19,7M"
MORTGAGE = "750K"
BACK_SCENES = {
    "f-list": Scene(
        f"{RENT}\npress 1,5M\npress F\nexpect menu "
        "ALL MORTGAGE INTEREST UTILITY JAIL HALF AGAIN HISTORY COUNT GAME"
    ),
    "f-game": Scene(
        "insert left 1\npress 1M\nhold C 3s\nremove left\npress F0\n"
        "expect menu NORMAL FAST CLOCK EDITION FORGET BACK"
    ),
    "f-mortgage-sum": Scene(
        f"insert right 1\nwait 1s\npress F2{MORTGAGE}\nexpect screen 830K\n"
        "expect message M = MORTGAGE"
    ),
    "balances": Scene(f"{THREE_PLAY}\npress F9\nexpect message M = COUNT"),
    "counting": Scene(f"{COUNTED}\nexpect screen 19,7M\nexpect message FINAL COUNT"),
    "winner": Scene(
        f"{COUNTED}\nremove left\ninsert left 1\npress 4,1M\nremove left\n"
        "insert left 3\npress 2,9M\nremove left\nexpect message WINNER 2"
    ),
}


def played(name: str, lines: str) -> list[View]:
    """Everything that the box's screen shows while a script is played, in turn."""
    script = read_script(f"the card's screen {name!r}", lines.split("\n"), edition())
    views: list[View] = []

    def watch(_at: Instant, thing: Happening) -> None:
        if isinstance(thing, View):
            views.append(thing)

    rig = Rig.new(script.edition, stock_known=script.stock_known, watch=watch)
    for number, step in script.steps:
        try:
            perform(rig, step)
        except Unmet as unmet:
            raise SystemExit(f"{script.file}:{number}: {unmet}") from None
    return views


def shown(language: str, name: str, scene: Scene) -> View:
    """What a box of that language shows in a scene."""
    views = played(name, scene.script)
    if scene.message is not None:
        views = [view for view in views if str(view.message or "") == scene.message]
    if not views:
        raise SystemExit(f"the card's screen {name!r}: the box never says {scene.message}")
    return views[-1]._replace(language=Language(language))


class Area(NamedTuple):
    """A part of a screen, in pixels."""

    left: int
    top: int
    width: int
    height: int


def entry_areas(listing: View) -> dict[str, Area]:
    """Where a list has each entry, by its digit: there the picture changes without it."""
    assert listing.menu, "no list shows"
    found = {}
    for item in listing.menu.shown:
        others = tuple(other for other in listing.menu.shown if other != item)
        without = listing._replace(menu=Menu((others,)))
        changed = ImageChops.logical_xor(draw(listing), draw(without)).getbbox()
        assert changed, "an entry does not show"
        left, top, right, bottom = changed
        found[item.label] = Area(left, top, right - left, bottom - top)
    return found


def outline(picture: Image.Image) -> str:
    """A picture's lit pixels as an SVG path: rectangles, each as tall as its rows are alike.

    One path has no seams between its pieces, as shapes side by side may have in print.
    """
    pieces = []
    standing: dict[tuple[int, int], int] = {}
    for y in range(picture.height + 1):
        runs = _lit_runs(picture, y) if y < picture.height else []
        for run in [run for run in standing if run not in runs]:
            left, right = run
            top = standing.pop(run)
            pieces.append(f"M{left} {top}H{right}V{y}H{left}z")
        for run in runs:
            standing.setdefault(run, y)
    return "".join(pieces)


def _lit_runs(picture: Image.Image, y: int) -> list[tuple[int, int]]:
    """Where the lit pixels of a row begin, and the first dark one behind them."""
    lit = [bool(picture.getpixel((x, y))) for x in range(picture.width)]
    edges = [x for x in range(len(lit) + 1) if (x < len(lit) and lit[x]) != (x > 0 and lit[x - 1])]
    return list(zip(edges[::2], edges[1::2], strict=True))


def edition() -> Edition:
    return editions.load(editions.DEFAULT)


def figures() -> dict[str, str]:
    """The amounts that the words speak of, as the box writes them."""
    played_with = edition()
    amounts = {
        "salary": played_with.salary,
        "opening": played_with.opening_balance,
        "minimum": played_with.entry_minimum,
        "maximum": played_with.entry_maximum,
        "fine": played_with.jail_fine,
        "rounding": played_with.mortgage.round_up_to,
    }
    written = {name: played_with.units.write(amount).text for name, amount in amounts.items()}
    written["interest"] = str(played_with.mortgage.interest_percent)
    return written | {"rent": "1,5M", "mortgage": MORTGAGE, "edition": played_with.name}


# A page

PAGE_WIDTH, PAGE_HEIGHT = 210, 297
HALF = PAGE_HEIGHT / 2
MARGIN = 10
FIRST, LAST = 19.5, HALF - 7
"""Where the columns of a half begin, and where they have to end."""
ACCENT = "#1f4e5f"
BODY, SMALL, HEADING, TITLE = 3.4, 3.2, 3.9, 6.4
ICON = 12.5
"""From the left edge of a key's picture to its words."""
STRIP = 28.0
"""The width of a message line."""


class Side(NamedTuple):
    """A side of the sheet."""

    file: Path
    scenes: dict[str, Scene]
    title: Callable[[Words], str]
    left: Callable[["Column"], None]
    """What fills the left column of a half."""
    right: Callable[["Column"], None]


def page(side: Side) -> str:
    return "\n".join(
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {PAGE_WIDTH} {PAGE_HEIGHT}" '
            f'font-family="{FAMILY}" fill="{INK}">',
            f"<title>{' · '.join(side.title(words) for words in BOTH)}</title>",
            "<style>@page { size: A4 portrait; margin: 0 }</style>",
            "<defs>",
            *(
                _screen_itself(words.language, name, scene)
                for words in BOTH
                for name, scene in side.scenes.items()
            ),
            "</defs>",
            f'<rect width="{PAGE_WIDTH}" height="{PAGE_HEIGHT}" fill="#ffffff"/>',
            *_half(side, BOTH[0], 0),
            f'<path d="M0 {HALF}H{PAGE_WIDTH}" stroke="{PALE}" stroke-width="0.2" '
            'stroke-dasharray="2 2"/>',
            *_half(side, BOTH[1], HALF),
            "</svg>",
            "",
        )
    )


class Column:
    """A column of a half, filled from its top."""

    def __init__(self, words: Words, x: float, width: float, top: float) -> None:
        self.words = words
        self.x = x
        self.width = width
        self.y = top
        self.drawn: list[str] = []

    def set(
        self, marked: str, size: float, *, x: float = 0, y: float = 0, width: float = 0
    ) -> float:
        """Set a text at a place in the column; tells how high it stands."""
        left = self.x + x
        bound_to = width or self.width - x
        made = paragraph(spelt(self.words, marked), left, self.y + y, bound_to, size)
        self.drawn += made.drawn
        return made.height

    def heading(self, marked: str) -> None:
        self.drawn.append(f'<g fill="{ACCENT}">')
        self.y += self.set(f"*{marked}*", HEADING) + 1.2
        self.drawn.append("</g>")

    def keys(self, keys: str, marked: str) -> None:
        """What a key does, or two of them."""
        if len(keys) == 1:
            self.drawn += box_drawing.key(Key(keys), self.x + 1.2, self.y, 8, 7)
        else:
            for index, each in enumerate(keys):
                self.drawn += box_drawing.key(Key(each), self.x + 5.5 * index, self.y, 5, 5.6)
        self.paragraph(marked)

    def paragraph(self, marked: str) -> None:
        """A text beside the picture that has just been drawn."""
        self.y += max(self.set(marked, BODY, x=ICON), 7) + 2

    def message(self, name: str, meaning: str) -> None:
        self.drawn.append(_strip(self.words.language, name, self.x, self.y, STRIP))
        self.y += max(self.set(meaning, SMALL, x=STRIP + 2.5, y=-0.4), 3.6) + 1

    def beside(self, name: str, width: float, *texts: str) -> None:
        """A screen, and texts to the right of it, one below the other."""
        self.drawn.append(_screen(self.words.language, name, self.x, self.y, width))
        down = -0.6
        for marked in texts:
            down += self.set(marked, BODY, x=width + 3, y=down)
        self.y += max(down, width * FRAMED_HEIGHT / FRAMED_WIDTH)

    def in_turn(self, names: tuple[str, str, str], steps: tuple[str, str, str]) -> None:
        """Three screens side by side, with what is done under each."""
        gap = 4.0
        each = (self.width - gap * 2) / 3
        tall = each * FRAMED_HEIGHT / FRAMED_WIDTH
        heights = []
        for index, (name, step) in enumerate(zip(names, steps, strict=True)):
            x = index * (each + gap)
            self.drawn.append(_screen(self.words.language, name, self.x + x, self.y, each))
            heights.append(self.set(step, SMALL, x=x, y=tall + 0.8, width=each))
        self.y += tall + 0.8 + max(heights)


def spelt(words: Words, marked: str) -> str:
    """A text with the edition's figures in it, and its spaces as its language wants them."""
    return bound(words.language, marked.format(**figures()))


def _half(side: Side, words: Words, top: float) -> list[str]:
    """One language; refuses to draw over the edge."""
    left = Column(words, MARGIN, 88, top + FIRST)
    right = Column(words, 106, 92, top + FIRST)
    side.left(left)
    side.right(right)
    over = max(left.y, right.y) - top - LAST
    if over > 0:
        raise SystemExit(f"the card's half {words.language!r} is {over:.1f} mm too long")
    opening = f'<g lang="{words.language}" xml:lang="{words.language}">'
    return [opening, *_title(words, side.title(words), top + 7), *left.drawn, *right.drawn, "</g>"]


def _title(words: Words, title: str, top: float) -> list[str]:
    right = PAGE_WIDTH - MARGIN
    return [
        f'<g fill="{ACCENT}">',
        *paragraph(f"*{title}*", MARGIN, top, right, TITLE).drawn,
        one_line(spelt(words, words.edition), right, top + 6, HEADING, 'text-anchor="end"'),
        f'<path d="M{MARGIN} {short(top + 8.6)}H{right}" stroke="{ACCENT}" stroke-width="0.4"/>',
        "</g>",
    ]


# The front: how to bank

SKETCHES = (box_drawing.receiving, box_drawing.paying, box_drawing.paying_each_other)


def _the_box(column: Column) -> None:
    """The box, what its slots do, an example, and how it rests."""
    column.drawn += box_drawing.box(column.x, column.y, RENT_CARDS)
    right, down = box_drawing.SCREEN_PLACE
    at = column.x + right, column.y + down
    column.drawn.append(_screen(column.words.language, "ready", *at, box_drawing.SCREEN_WIDTH))
    beside = box_drawing.WIDTH + 4
    for sketch, rule in zip(SKETCHES, column.words.slots, strict=True):
        column.drawn += sketch(column.x + beside, column.y)
        column.set(f"*{rule.heading}*", BODY, x=beside + 15, y=1.2)
        column.set(rule.text, BODY, x=beside, y=11)
        column.y += box_drawing.HEIGHT / 3
    column.y += 3
    column.heading(column.words.example)
    column.in_turn(("entry", "payer", "payee"), column.words.steps)
    column.y += 3
    column.message("new-card", column.words.new_card)
    column.y += 2
    column.drawn.append(_screen(column.words.language, "asleep", column.x, column.y + 0.6, 10.5))
    column.paragraph(column.words.asleep)


def _the_keys(column: Column) -> None:
    """What the keys do, and what the messages mean."""
    words = column.words
    for keys, marked in (
        ("MK", words.amount),
        ("G", words.salary),
        ("C", words.mistake),
        ("C", words.new_game),
    ):
        column.keys(keys, marked)
    column.drawn.append(_strip(words.language, "countdown", column.x + ICON, column.y - 1, STRIP))
    column.y += 4.6
    column.keys(",F", words.volume)
    column.y += 1
    column.heading(words.messages)
    for name, meaning in words.meanings.items():
        column.message(name, meaning)


FRONT = Side(
    DOCS / "bankers-card.svg", FRONT_SCENES, lambda words: words.title, _the_box, _the_keys
)


# The back: what the F key does

WIDE, NARROW = 42.0, 30.0
"""Of a screen that has words beside it."""
PIXEL = 0.28
"""Of an entry that is cut out of the list."""


def _the_list(column: Column) -> None:
    """The list that F opens, what M and C do in it, and the final count."""
    words = column.words.function
    column.beside("f-list", WIDE, words.opens)
    column.y += 3
    column.beside("f-mortgage-sum", NARROW, words.moves)
    column.y += 3
    column.keys("C", words.leaves)
    column.y += 1
    column.heading(words.final_count)
    column.in_turn(("balances", "counting", "winner"), words.steps)
    column.y += 1.4
    column.y += column.set(words.counting, SMALL)


def _the_digits(column: Column) -> None:
    """What each digit does."""
    language, words = column.words.language, column.words.function
    column.heading(words.digits)
    areas = entry_areas(shown(language, "f-list", BACK_SCENES["f-list"]))
    widest = max(area.width for area in areas.values())
    for digit, meaning in words.meanings.items():
        area = areas[digit]._replace(width=widest)
        column.drawn += _entry(language, "f-list", column.x, column.y, area)
        text = column.set(meaning, BODY, x=(widest + FRAME) * PIXEL + 2, y=-0.4)
        column.y += max(text, 3.6) + 1.6
    column.beside("f-game", NARROW, *words.next_game)


BACK = Side(
    DOCS / "bankers-card-f.svg",
    BACK_SCENES,
    lambda words: words.function.title,
    _the_list,
    _the_digits,
)

SIDES = (FRONT, BACK)


# Pictures of screens and of the box


def _screen_itself(language: str, name: str, scene: Scene) -> str:
    """A screen once and for all, in a frame without which its lit corners end in the paper."""
    frame = f'x="-{FRAME}" y="-{FRAME}" width="{FRAMED_WIDTH}" height="{FRAMED_HEIGHT}"'
    return (
        f'<g id="screen-{language}-{name}"><rect {frame} fill="#000000"/>'
        f'<path d="{outline(draw(shown(language, name, scene)))}" fill="#ffffff"/></g>'
    )


FRAME = 4
"""Pixels of black around a screen."""
FRAMED_WIDTH, FRAMED_HEIGHT = WIDTH + 2 * FRAME, HEIGHT + 2 * FRAME


def _screen(language: str, name: str, x: float, y: float, width: float) -> str:
    """A screen in its frame, as wide as asked for."""
    scale = width / FRAMED_WIDTH
    inset = FRAME * scale
    return (
        f'<use href="#screen-{language}-{name}" '
        f'transform="translate({x + inset:.3f} {y + inset:.3f}) scale({scale:.4f})"/>'
    )


def _strip(language: str, name: str, x: float, y: float, width: float) -> str:
    """The message line of a screen alone, with enough of the frame around it."""
    air = 3
    first = MESSAGE_TOP - air
    rows, columns = HEIGHT - first + 1, WIDTH + 2 * air
    where = f'x="{short(x)}" y="{short(y)}" width="{short(width)}" '
    height = short(width * rows / columns)
    return (
        f'<svg {where}height="{height}" viewBox="{-air} {first} {columns} {rows}">'
        f'<use href="#screen-{language}-{name}"/></svg>'
    )


def _entry(language: str, name: str, x: float, y: float, area: Area) -> list[str]:
    """An entry of a list alone, in a frame of its own: the list has its neighbours there."""
    inset = FRAME / 2 * PIXEL
    width, height = area.width * PIXEL, area.height * PIXEL
    framed = f'width="{short(width + 2 * inset)}" height="{short(height + 2 * inset)}"'
    where = f'x="{short(x + inset)}" y="{short(y + inset)}" '
    return [
        f'<rect x="{short(x)}" y="{short(y)}" {framed} fill="#000000"/>',
        f'<svg {where}width="{short(width)}" height="{short(height)}" '
        f'viewBox="{area.left} {area.top} {area.width} {area.height}">'
        f'<use href="#screen-{language}-{name}"/></svg>',
    ]


def main() -> None:
    for side in SIDES:
        side.file.write_text(page(side), encoding="utf-8")
        print(f"{side.file.name}: one page, {len(side.scenes)} screens, {len(BOTH)} languages")


if __name__ == "__main__":
    main()
