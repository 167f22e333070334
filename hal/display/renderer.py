"""The renderer: turns a view into the 128×64 one-bit picture that the OLED shows.

From top to bottom: the status row (left slot, edition, volume, right slot), the
big field, the message line. The big field fills four of the controller's pages
exactly and is written from the left, so that one more digit changes one digit's
width of pixels and nothing else.

A list to choose from takes the place of all but the status row, and a table of
cards that of the big field. In both, what belongs to a key or a card begins with
its digit, dark on light, as a key that is to be pressed.
"""

from functools import cache
from pathlib import Path

from PIL import Image, ImageDraw

from hal.digits import big_glyph
from hal.events import Slot
from hal.language import Language
from hal.sounds import LOUDEST
from hal.view import Item, Menu, Tenant, View

SIZE = WIDTH, HEIGHT = 128, 64
FIELD_TOP = 16
MESSAGE_TOP = 51
TEST = "TEST"
"""In the status row, in place of the edition, while the console is open."""

_LIT = 255
_GAP = 3
_SIGN_WIDTH = 22
_SIGN_HEIGHT = 11
_SIGNS = {Slot.LEFT: ("+", 0), Slot.RIGHT: ("-", WIDTH - _SIGN_WIDTH)}
_VOLUME_LEFT = 97
_FONTS = {"6x10": (6, 10), "8x13B": (8, 13)}
_LETTERS_A_ROW = 32
_BOLD = "8x13B"
_PLAIN_CAPITALS = {"À": "A", "È": "E", "É": "E", "Ê": "E", "Ô": "O"}
_ACCENT_HEIGHT = 2
"""Of a capital of the bold font."""
_NARROW_SPACE = 3
"""Between the words of a message that is too long for the line otherwise."""

_LABEL_WIDTH, _LABEL_HEIGHT = 7, 9
_NAME_LEFT = _LABEL_WIDTH + 3
"""Where a name begins, from the left edge of its column."""
_COLUMN_WIDTH = _NAME_LEFT + 48
"""A label and eight letters."""
_COLUMNS = 0, 62
_ROWS = 14, 24, 34, 44, 54
"""Of a list: 1 to 5 in the left column, 6 to 0 in the right one."""
_TIGHT_LEFT = _SIGN_WIDTH + 2
_TIGHT_ROWS = 10, 19, 28, 37, 46, 54
"""Of a list that needs six rows, because its names are too long for two columns.

Clear of the slots' signs to the left and right of it, it may begin higher.
"""
_TABLE_COLUMNS = 0, WIDTH - _COLUMN_WIDTH
_TABLE_MIDDLE = (WIDTH - _COLUMN_WIDTH) // 2
_TABLE_ROWS = (26,), (19, 33), (14, 26, 38), (13, 22, 31, 40)
"""Of a table, by how many rows it has."""
_PAGE_KEY = "F"
"""In the corner of a list that has more than one page."""


def draw(view: View) -> Image.Image:
    """The picture of a view; the same view gives the same pixels, always."""
    picture = Image.new("1", SIZE)
    if view.lit:
        _draw_status(picture, view)
        if view.menu:
            _draw_menu(picture, view.menu, view.language)
        else:
            _draw_message(picture, view.said)
            if view.table:
                _draw_table(picture, view.table, view.language)
            else:
                _draw_field(picture, view.field)
    return picture


def _draw_status(picture: Image.Image, view: View) -> None:
    for slot, (sign, left) in _SIGNS.items():
        _draw_slot(picture, sign, left, view.tenant(slot))
    middle = (_SIGN_WIDTH + _VOLUME_LEFT) // 2
    title = _title(view)
    _write(picture, "6x10", middle - _width("6x10", title) // 2, 0, title)
    _draw_volume(picture, view.volume)


def _title(view: View) -> str:
    if view.test:
        return TEST
    return view.edition if view.minutes_left is None else f"{view.minutes_left} MIN"


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


def _draw_menu(picture: Image.Image, menu: Menu, language: Language) -> None:
    names = {item.label: item.content.spoken(language) for item in menu.shown}
    for label, (left, top) in _places(names).items():
        picture.paste(_label(label), (left, top))
        _write(picture, "6x10", left + _NAME_LEFT, top, names[label])
    if len(menu.pages) > 1:
        picture.paste(_label(_PAGE_KEY), (WIDTH - _LABEL_WIDTH, _ROWS[-1]))


def _places(names: dict[str, str]) -> dict[str, tuple[int, int]]:
    """Where each entry of a list has its label: its digit decides, whatever else is offered.

    Long names may run over into the right column, but not where that has the sixth digit.
    """
    places = {label: (int(label) - 1) % 10 for label in names}
    long = any(_NAME_LEFT + _width("6x10", name) > _COLUMN_WIDTH for name in names.values())
    if long and max(places.values()) == len(_TIGHT_ROWS) - 1:
        return {label: (_TIGHT_LEFT, _TIGHT_ROWS[place]) for label, place in places.items()}
    rows = len(_ROWS)
    return {
        label: (_COLUMNS[place // rows], _ROWS[place % rows]) for label, place in places.items()
    }


def _draw_table(picture: Image.Image, table: tuple[Item, ...], language: Language) -> None:
    """Down the middle, or down the left column and then down the right one."""
    one_column = len(table) <= len(_TABLE_ROWS)
    columns = (_TABLE_MIDDLE,) if one_column else _TABLE_COLUMNS
    rows = min(-(-len(table) // len(columns)), len(_TABLE_ROWS))
    places = [(left, top) for left in columns for top in _TABLE_ROWS[rows - 1]]
    for item, (left, top) in zip(table, places, strict=False):
        content = item.content.spoken(language)
        picture.paste(_label(item.label), (left, top))
        _write(picture, "6x10", left + _COLUMN_WIDTH - _width("6x10", content), top, content)


@cache
def _label(label: str) -> Image.Image:
    """One letter or digit, dark on light."""
    drawn = Image.new("1", (_LABEL_WIDTH, _LABEL_HEIGHT), _LIT)
    dark = _letter("6x10", label).crop((0, 0, _LABEL_WIDTH - 2, _LABEL_HEIGHT))
    drawn.paste(dark.point(lambda lit: not lit, "1"), (1, 0))
    return drawn


def _draw_message(picture: Image.Image, text: str) -> None:
    """In the larger of the small fonts, if the text fits in it."""
    font = _BOLD if _width(_BOLD, text) <= WIDTH else "6x10"
    space = _FONTS[font][0] if _width(font, text) <= WIDTH else _NARROW_SPACE
    words = text.split(" ")
    left = (WIDTH - _width(font, "".join(words)) - space * (len(words) - 1)) // 2
    for word in words:
        _write(picture, font, left, MESSAGE_TOP, word)
        left += _width(font, word) + space


def _width(font: str, text: str) -> int:
    return len(text) * _FONTS[font][0]


def _write(picture: Image.Image, font: str, left: int, top: int, text: str) -> None:
    """A letter that is taller than its font stands out at the top.

    Only what is lit is drawn: in tight rows, letters reach down into the row below.
    """
    width, height = _FONTS[font]
    for index, letter in enumerate(text):
        drawn = _letter(font, letter)
        picture.paste(_LIT, (left + index * width, top + height - drawn.height), drawn)


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
    short = _cut_out(_BOLD, letter)
    _left, top, _right, _bottom = short.getbbox() or (0, 0, 0, 0)
    tall.paste(short.crop((0, top, width, top + _ACCENT_HEIGHT)))
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
