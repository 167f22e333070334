"""The capitals of the message line: proportional, twelve rows high, as wide as the text allows.

A text may also have digits and punctuation. Long texts are set closer, then in narrower letters.
"""

from functools import cache
from typing import NamedTuple

from PIL import Image

from hal.display import fonts

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789ÀÂÇÈÉÊËÎÏÔÙÛÜ,.?!>-+':="
"""The order of the letters in the sheet."""
LETTER_HEIGHT = 16
"""Four rows for accents, and twelve for the letter."""
_CELL_WIDTH, _CELL_HEIGHT = 16, LETTER_HEIGHT + 1
"""A row below each letter marks its width, with the space around it."""
_LIT = 255


class Setting(NamedTuple):
    """A way to set a text."""

    narrowed: int
    """The columns by which letters are narrower: the row of the sheet."""
    tracking: int
    """Pixels that are added between letters."""
    space: int
    """Pixels between words."""


SETTINGS = (
    Setting(0, 2, 10),
    Setting(0, 1, 8),
    Setting(0, 0, 7),
    Setting(1, 0, 6),
    Setting(1, -1, 6),
    Setting(2, -1, 6),
    Setting(2, -1, 5),
)
"""From the widest to the narrowest."""


class _Letter(NamedTuple):
    picture: Image.Image
    before: int
    """Dark columns before the picture, and after it."""
    after: int


def written(text: str, room: int) -> Image.Image | None:
    """Return the widest picture of a text that fits; None if none does, or a letter is missing."""
    if all(letter in LETTERS for letter in text.replace(" ", "")):
        for setting in SETTINGS:
            lefts, width = _set(text, setting)
            if width <= room:
                return _draw(text, setting.narrowed, lefts, width)
    return None


def _set(text: str, setting: Setting) -> tuple[list[int], int]:
    """Return the left edge of each letter, and the width of the text."""
    lefts = []
    left, after = 0, None
    for character in text:
        if character == " ":
            left += setting.space
            after = None
        else:
            letter = _letter(character, setting.narrowed)
            if after is not None:
                left += max(1, after + letter.before + setting.tracking)
            lefts.append(left)
            left += letter.picture.width
            after = letter.after
    return lefts, left


def _draw(text: str, narrowed: int, lefts: list[int], width: int) -> Image.Image:
    drawn = Image.new("1", (width, LETTER_HEIGHT))
    for character, left in zip(text.replace(" ", ""), lefts, strict=True):
        letter = _letter(character, narrowed).picture
        drawn.paste(_LIT, (left, 0), letter)
    return drawn


@cache
def _letter(character: str, narrowed: int) -> _Letter:
    left, top = LETTERS.index(character) * _CELL_WIDTH, narrowed * _CELL_HEIGHT
    cell = fonts.sheet("capitals").crop((left, top, left + _CELL_WIDTH, top + _CELL_HEIGHT))
    _left, _top, width, _bottom = cell.crop((0, LETTER_HEIGHT, *cell.size)).getbbox() or (0,) * 4
    letter = cell.crop((0, 0, _CELL_WIDTH, LETTER_HEIGHT))
    first, _top, end, _bottom = letter.getbbox() or (0, 0, 0, 0)
    return _Letter(letter.crop((first, 0, end, LETTER_HEIGHT)), first, width - end)
