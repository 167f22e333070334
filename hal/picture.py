"""The renderer: turns a view into the 128×64 one-bit picture that the OLED shows.

From top to bottom: the status row (left slot, edition, volume, right slot), the
big field, the message line. The big field fills four of the controller's pages
exactly and is written from the left, so that one more digit changes one digit's
width of pixels and nothing else.
"""

from functools import cache
from pathlib import Path

from PIL import Image, ImageDraw

from hal.digits import big_glyph
from hal.events import Slot
from hal.sounds import LOUDEST
from hal.view import Tenant, View

SIZE = WIDTH, HEIGHT = 128, 64
FIELD_TOP = 16
MESSAGE_TOP = 51
TEST = "TEST"
"""In the status row, in place of the edition, while the console is open."""

_GAP = 3
_SIGN_WIDTH = 22
_SIGN_HEIGHT = 11
_SIGNS = {Slot.LEFT: ("+", 0), Slot.RIGHT: ("-", WIDTH - _SIGN_WIDTH)}
_VOLUME_LEFT = 97
_FONTS = {"6x10": (6, 10), "8x13B": (8, 13)}
_LETTERS_A_ROW = 32
_BOLD = "8x13B"
_PLAIN_CAPITALS = {"À": "A", "É": "E", "Ê": "E"}
_ACCENT_TOP, _ACCENT_HEIGHT = 1, 2
"""Where a capital of the bold font has its accent."""


def draw(view: View) -> Image.Image:
    """The picture of a view; the same view gives the same pixels, always."""
    picture = Image.new("1", SIZE)
    if view.lit:
        _draw_status(picture, view)
        _draw_field(picture, view.field)
        _draw_message(picture, view.said)
    return picture


def _draw_status(picture: Image.Image, view: View) -> None:
    for slot, (sign, left) in _SIGNS.items():
        _draw_slot(picture, sign, left, view.tenant(slot))
    middle = (_SIGN_WIDTH + _VOLUME_LEFT) // 2
    title = TEST if view.test else view.edition
    _write(picture, "6x10", middle - _width("6x10", title) // 2, 0, title)
    _draw_volume(picture, view.volume)


def _draw_slot(picture: Image.Image, sign: str, left: int, tenant: int | Tenant) -> None:
    """A slot's sign, what it means (+ receives, − pays), and whose card is in it."""
    match tenant:
        case Tenant.NOBODY:
            text = sign
        case Tenant.REFUSED:
            text = f"{sign}!"
        case number:
            text = f"{sign}{number}"
    start = left + (_SIGN_WIDTH - _width("6x10", text)) // 2
    _write(picture, "6x10", start, 0, text)
    if tenant is not Tenant.NOBODY:
        box = (left, 0, left + _SIGN_WIDTH, _SIGN_HEIGHT)
        picture.paste(picture.crop(box).point(lambda lit: not lit, "1"), box)


def _draw_volume(picture: Image.Image, volume: int) -> None:
    """One bar for each level, filled as far as the volume goes."""
    pen = ImageDraw.Draw(picture)
    for level in range(1, LOUDEST + 1):
        left = _VOLUME_LEFT + 3 * (level - 1)
        top = 9 - 3 * level if level <= volume else 8
        pen.rectangle((left, top, left + 1, 8), fill=1)


def _draw_field(picture: Image.Image, text: str) -> None:
    left = 0
    for letter in text:
        glyph = big_glyph(letter)
        picture.paste(glyph, (left, FIELD_TOP))
        left += glyph.width + _GAP


def _draw_message(picture: Image.Image, text: str) -> None:
    """In the larger of the small fonts, if the text fits in it."""
    font = _BOLD if _width(_BOLD, text) <= WIDTH else "6x10"
    _write(picture, font, (WIDTH - _width(font, text)) // 2, MESSAGE_TOP, text)


def _width(font: str, text: str) -> int:
    return len(text) * _FONTS[font][0]


def _write(picture: Image.Image, font: str, left: int, top: int, text: str) -> None:
    """A letter that is taller than its font stands out at the top."""
    width, height = _FONTS[font]
    for index, letter in enumerate(text):
        drawn = _letter(font, letter)
        picture.paste(drawn, (left + index * width, top + height - drawn.height))


@cache
def _letter(font: str, letter: str) -> Image.Image:
    if font == _BOLD and letter in _PLAIN_CAPITALS:
        return _accented(letter)
    return _cut_out(font, letter)


def _accented(letter: str) -> Image.Image:
    """The plain capital with the accent on top of it.

    With its accent a capital of the bold font is no taller than without: DÉJÀ would look
    like DéJà. The message line has the room above.
    """
    width, height = _FONTS[_BOLD]
    tall = Image.new("1", (width, height + _ACCENT_HEIGHT))
    tall.paste(_cut_out(_BOLD, _PLAIN_CAPITALS[letter]), (0, _ACCENT_HEIGHT))
    accent = (0, _ACCENT_TOP, width, _ACCENT_TOP + _ACCENT_HEIGHT)
    tall.paste(_cut_out(_BOLD, letter).crop(accent))
    return tall


def _cut_out(font: str, letter: str) -> Image.Image:
    """A letter out of its font; what Latin-1 does not have is a question mark."""
    width, height = _FONTS[font]
    code = ord(letter) if 0x20 <= ord(letter) <= 0xFF else ord("?")
    row, column = divmod(code - 0x20, _LETTERS_A_ROW)
    left, top = column * width, row * height
    return _sheet(font).crop((left, top, left + width, top + height))


@cache
def _sheet(font: str) -> Image.Image:
    with Image.open(Path(__file__).parent / "fonts" / f"{font}.png") as sheet:
        return sheet.convert("1")
