"""The figures of the big field: digits, the comma, the dash and the units, from a bitmap.

They are 29 pixels high, legible by a child from across a table. Their widths differ, so that 11,1M
is one word. Long amounts are drawn in a narrower face.
"""

from functools import cache
from typing import NamedTuple

from PIL import Image

from hal.display import fonts

FIGURES = "0123456789MK,-"
"""The order of the figures in a sheet; each is at the left of its cell."""
FIGURE_HEIGHT = 32
"""The height of a cell: the comma extends below the digits."""
_CELL_WIDTH = 26
_GAP = 3
_COMMA_GAP = 2
_DASH_GAP = 7


class Face(NamedTuple):
    """The figures of one width."""

    sheet: str

    def glyph(self, letter: str) -> Image.Image:
        """Return the picture of a figure, as wide as the figure."""
        return _glyph(self.sheet, letter)

    def width(self, text: str) -> int:
        lefts = self.lefts(text)
        return lefts[-1] + self.glyph(text[-1]).width if text else 0

    def lefts(self, text: str) -> list[int]:
        """The left edge of each figure of a text."""
        lefts = []
        left = 0
        for index, letter in enumerate(text):
            lefts.append(left)
            left += self.glyph(letter).width + _gap(text[index : index + 2])
        return lefts


WIDE, NARROW = Face("figures"), Face("figures-narrow")


def face_of_amount(text: str, room: int) -> Face:
    """The wide face if the text fits into the room."""
    return WIDE if WIDE.width(text) <= room else NARROW


def face_of_entry(text: str) -> Face:
    """The face of what is being typed: it depends on the first digit only.

    Typing a digit never changes those already shown. Only an entry that begins with ``0,`` can be
    six characters long.
    """
    return NARROW if text.startswith("0") else WIDE


def _gap(pair: str) -> int:
    if pair == "1,":
        return _GAP  # the foot of a 1 would touch the comma
    if "," in pair:
        return _COMMA_GAP
    return _DASH_GAP if "-" in pair else _GAP


@cache
def _glyph(sheet: str, letter: str) -> Image.Image:
    left = FIGURES.index(letter) * _CELL_WIDTH
    cell = fonts.sheet(sheet).crop((left, 0, left + _CELL_WIDTH, FIGURE_HEIGHT))
    _left, _top, right, _bottom = cell.getbbox() or (0, 0, 0, 0)
    return cell.crop((0, 0, right, FIGURE_HEIGHT))
