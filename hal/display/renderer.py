"""The renderer: draws a view as the 128×64 one-bit picture that the OLED shows.

From top to bottom: the status row (left slot, edition, volume, right slot), the big field,
the message line. The big field fills exactly four pages of the controller. An amount is centred.
What is typed is written from the left, so that another digit changes only the pixels of that
digit. A card's number is in a frame, so that it does not look like an amount.

A menu replaces everything but the status row, and a table replaces the big field. In both,
each item begins with the digit of its key or card, dark on light.
"""

from functools import cache

from PIL import Image, ImageDraw

from hal.display import fonts
from hal.display.capitals import LETTER_HEIGHT, written
from hal.display.digits import FIGURE_HEIGHT, Face, face_of_amount, face_of_entry
from hal.display.messages import Language
from hal.display.sounds import LOUDEST
from hal.display.view import Item, Menu, Occupant, View
from hal.events import Slot

SIZE = WIDTH, HEIGHT = 128, 64
FIELD_TOP = 16
MESSAGE_TOP = 51
TEST = "T"
"""In the status row, instead of the volume, while the console is open (D20)."""

_LIT = 255
_TYPED_LEFT = 10
_AMOUNT_ROOM = 124
"""The width of the field without a margin at both ends."""
_FRAME = (FIELD_TOP - 5, FIELD_TOP + FIGURE_HEIGHT - 1)
"""The first and the last row of the frame around a card's number."""
_NUMBER_TOP = FIELD_TOP - 1
"""The top of a card's number, in the middle of the frame."""
_FRAME_MARGIN = 9
_FRAME_STROKE = 2
_FRAME_RADIUS = 9
_SIGN_WIDTH = 22
_SIGN_HEIGHT = 11
_SIGNS = {Slot.LEFT: ("+", 0), Slot.RIGHT: ("-", WIDTH - _SIGN_WIDTH)}
_VOLUME_LEFT = 97
_FONTS = {"6x10": (6, 10), "6x12": (6, 12), "8x13B": (8, 13)}
_LETTERS_A_ROW = 32
_BOLD = "8x13B"
_LIST = "6x12"
"""The font of the lists; its capitals are eight rows high, below two rows for accents."""
_LIST_ACCENT_HEIGHT = 2
_PLAIN_CAPITALS = {"À": "A", "È": "E", "É": "E", "Ê": "E", "Ô": "O"}
_ACCENT_HEIGHT = 2
"""The height of an accent on a capital of the bold font."""
_NARROW_SPACE = 3
"""Between the words of a message that is otherwise too long for the line."""

_LABEL_WIDTH, _LABEL_HEIGHT = 7, 9
_NAME_LEFT = _LABEL_WIDTH + 3
"""The start of a name, from the left edge of its column."""
_COLUMN_WIDTH = _NAME_LEFT + 48
"""A label and eight letters."""
_COLUMNS = 0, 62
_ROWS = 12, 22, 33, 43, 54
"""The rows of a menu: 1 to 5 in the left column, 6 to 0 in the right one."""
_TIGHT_LEFT = _SIGN_WIDTH + 2
_TIGHT_ROWS = 10, 19, 28, 37, 46, 54
"""The rows of a menu that needs six rows, because its names are too long for two columns.

It begins higher, between the signs of the slots.
"""
_TABLE_COLUMNS = 0, WIDTH - _COLUMN_WIDTH
_TABLE_MIDDLE = (WIDTH - _COLUMN_WIDTH) // 2
_TABLE_ROWS = (26,), (19, 33), (14, 26, 38), (12, 21, 30, 39)
"""The rows of a table, by how many it has."""
_PAGE_KEY = "F"
"""In the corner of a menu that has more than one page."""


def draw(view: View) -> Image.Image:
    """Draw a view; equal views give equal pictures."""
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
                _draw_field(picture, view)
    return picture


def _draw_status(picture: Image.Image, view: View) -> None:
    for slot, (sign, left) in _SIGNS.items():
        _draw_slot(picture, sign, left, view.occupant(slot), filled=view.is_filled(slot))
    middle = (_SIGN_WIDTH + _VOLUME_LEFT) // 2
    title = view.title(view.language)
    _write(picture, "6x10", middle - _width("6x10", title) // 2, 0, title)
    if view.test:
        picture.paste(_label(TEST), (_VOLUME_LEFT, 0))
    else:
        _draw_volume(picture, view.volume)


def _draw_slot(
    picture: Image.Image, sign: str, left: int, occupant: int | Occupant, *, filled: bool
) -> None:
    """Draw a slot's sign (+ receives, - pays), and the number of the card in it as a badge."""
    match occupant:
        case Occupant.NONE:
            text = sign
        case Occupant.REFUSED:
            text = f"{sign}!"
        case number:
            text = f"{sign}{number}"
    start = left + (_SIGN_WIDTH - _width("6x10", text)) // 2
    _write(picture, "6x10", start, 0, text)
    if occupant is Occupant.NONE:
        return
    if filled:
        box = (left, 0, left + _SIGN_WIDTH, _SIGN_HEIGHT)
        picture.paste(picture.crop(box).point(lambda lit: not lit, "1"), box)
    else:
        outline = (left, 0, left + _SIGN_WIDTH - 1, _SIGN_HEIGHT - 1)
        ImageDraw.Draw(picture).rectangle(outline, outline=1)


def _draw_volume(picture: Image.Image, volume: int) -> None:
    """Draw a bar for each level, tall up to the volume."""
    pen = ImageDraw.Draw(picture)
    for level in range(1, LOUDEST + 1):
        left = _VOLUME_LEFT + 3 * (level - 1)
        top = 9 - 3 * level if level <= volume else 8
        pen.rectangle((left, top, left + 1, 8), fill=1)


def _draw_field(picture: Image.Image, view: View) -> None:
    text = view.field
    if view.card is not None:
        _draw_number(picture, text)
    elif view.typed:
        _draw_figures(picture, face_of_entry(text), text, _TYPED_LEFT, FIELD_TOP)
    else:
        face = face_of_amount(text, _AMOUNT_ROOM)
        _draw_figures(picture, face, text, (WIDTH - face.width(text)) // 2, FIELD_TOP)


def _draw_number(picture: Image.Image, text: str) -> None:
    """Draw a card's number in a frame, in the middle of the screen."""
    face = face_of_amount(text, _AMOUNT_ROOM)
    left = (WIDTH - face.width(text)) // 2
    top, bottom = _FRAME
    frame = (left - _FRAME_MARGIN, top, left + face.width(text) - 1 + _FRAME_MARGIN, bottom)
    ImageDraw.Draw(picture).rounded_rectangle(frame, _FRAME_RADIUS, outline=1, width=_FRAME_STROKE)
    _draw_figures(picture, face, text, left, _NUMBER_TOP)


def _draw_figures(picture: Image.Image, face: Face, text: str, left: int, top: int) -> None:
    for letter, offset in zip(text, face.lefts(text), strict=True):
        glyph = face.glyph(letter)
        picture.paste(_LIT, (left + offset, top), glyph)


def _draw_menu(picture: Image.Image, menu: Menu, language: Language) -> None:
    names = {item.label: item.content.translated(language) for item in menu.shown}
    for label, (left, top) in _places(names).items():
        picture.paste(_label(label), (left, top))
        _write(picture, _LIST, left + _NAME_LEFT, top - _LIST_ACCENT_HEIGHT, names[label])
    if len(menu.pages) > 1:
        picture.paste(_label(_PAGE_KEY), (WIDTH - _LABEL_WIDTH, _ROWS[-1]))


def _places(names: dict[str, str]) -> dict[str, tuple[int, int]]:
    """Return the position of each item's label; it depends on the digit, not on other items.

    Long names may extend into the right column, except beside a sixth item.
    """
    places = {label: (int(label) - 1) % 10 for label in names}
    long = any(_NAME_LEFT + _width(_LIST, name) > _COLUMN_WIDTH for name in names.values())
    if long and max(places.values()) == len(_TIGHT_ROWS) - 1:
        return {label: (_TIGHT_LEFT, _TIGHT_ROWS[place]) for label, place in places.items()}
    rows = len(_ROWS)
    return {
        label: (_COLUMNS[place // rows], _ROWS[place % rows]) for label, place in places.items()
    }


def _draw_table(picture: Image.Image, table: tuple[Item, ...], language: Language) -> None:
    """Draw a table in one column in the middle, or in two, the left one first."""
    one_column = len(table) <= len(_TABLE_ROWS)
    columns = (_TABLE_MIDDLE,) if one_column else _TABLE_COLUMNS
    rows = min(-(-len(table) // len(columns)), len(_TABLE_ROWS))
    places = [(left, top) for left in columns for top in _TABLE_ROWS[rows - 1]]
    for item, (left, top) in zip(table, places, strict=False):
        content = item.content.translated(language)
        picture.paste(_label(item.label), (left, top))
        _write(picture, "6x10", left + _COLUMN_WIDTH - _width("6x10", content), top, content)


@cache
def _label(label: str) -> Image.Image:
    """Draw a letter or digit dark on light."""
    drawn = Image.new("1", (_LABEL_WIDTH, _LABEL_HEIGHT), _LIT)
    dark = _letter("6x10", label).crop((0, 0, _LABEL_WIDTH - 2, _LABEL_HEIGHT))
    drawn.paste(dark.point(lambda lit: not lit, "1"), (1, 0))
    return drawn


def _draw_message(picture: Image.Image, text: str) -> None:
    """Draw the message line in large capitals, or in a font that has its letters and fits."""
    capitals = written(text, WIDTH)
    if capitals:
        left = (WIDTH - capitals.width) // 2
        picture.paste(_LIT, (left, HEIGHT - LETTER_HEIGHT), capitals)
        return
    font = _BOLD if _width(_BOLD, text) <= WIDTH else _LIST
    space = _FONTS[font][0] if _width(font, text) <= WIDTH else _NARROW_SPACE
    words = text.split(" ")
    left = (WIDTH - _width(font, "".join(words)) - space * (len(words) - 1)) // 2
    for word in words:
        _write(picture, font, left, MESSAGE_TOP, word)
        left += _width(font, word) + space


def _width(font: str, text: str) -> int:
    return len(text) * _FONTS[font][0]


def _write(picture: Image.Image, font: str, left: int, top: int, text: str) -> None:
    """Write a text; a letter that is taller than its font extends beyond the top.

    Only lit pixels are drawn, because letters of tight rows extend into the row below.
    """
    width, height = _FONTS[font]
    for index, letter in enumerate(text):
        drawn = _letter(font, letter)
        picture.paste(_LIT, (left + index * width, top + height - drawn.height), drawn)


@cache
def _letter(font: str, letter: str) -> Image.Image:
    accented = font == _BOLD and letter in _PLAIN_CAPITALS
    return _accented(letter) if accented else _cut_out(font, letter)


def _accented(letter: str) -> Image.Image:
    """Draw the plain capital with the accent above it.

    In the bold font, capitals with and without accent have the same height: DÉJÀ would look
    like DéJà. The message line has room above.
    """
    width, height = _FONTS[_BOLD]
    tall = Image.new("1", (width, height + _ACCENT_HEIGHT))
    tall.paste(_cut_out(_BOLD, _PLAIN_CAPITALS[letter]), (0, _ACCENT_HEIGHT))
    short = _cut_out(_BOLD, letter)
    _left, top, _right, _bottom = short.getbbox() or (0, 0, 0, 0)
    tall.paste(short.crop((0, top, width, top + _ACCENT_HEIGHT)))
    return tall


def _cut_out(font: str, letter: str) -> Image.Image:
    """Return a letter of a font; a question mark if it is not in Latin-1."""
    width, height = _FONTS[font]
    code = ord(letter) if 0x20 <= ord(letter) <= 0xFF else ord("?")
    row, column = divmod(code - 0x20, _LETTERS_A_ROW)
    left, top = column * width, row * height
    return fonts.sheet(font).crop((left, top, left + width, top + height))
