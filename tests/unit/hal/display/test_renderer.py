"""The renderer draws the pictures in docs/screens, and every text in them is legible."""

from itertools import chain, combinations
from pathlib import Path
from string import printable
from unicodedata import normalize

import pytest
from PIL import Image, ImageChops

import hal.display.fonts
from hal.display.digits import WIDE
from hal.display.messages import Language, Message, Text
from hal.display.renderer import SIZE, draw
from hal.display.view import Item, Menu, Occupant, View
from tests import golden

VIEWS = golden.views()
FRENCH_VIEWS = golden.french_views()
FRENCH_LISTS = golden.french_lists()
FRENCH_STATUSES = golden.french_statuses()

FIRST_PAGE = {
    "1": Text.BANKRUPT,
    "2": Text.MORTGAGE,
    "3": Text.INTEREST,
    "4": Text.UTILITY,
    "5": Text.FINE,
    "6": Text.SELL,
    "7": Text.AGAIN,
    "8": Text.HISTORY,
    "9": Text.COUNT,
    "0": Text.GAME,
}
SECOND_PAGE = {"1": Text.FIGHT_LOST, "2": Text.POT}
GAMES = {
    "1": Text.NORMAL,
    "2": Text.FAST,
    "3": Text.CLOCK,
    "4": Text.EDITION,
    "5": Text.FORGET,
    "6": Text.BACK,
}
TOPS = 12, 22, 33, 43, 54
PLACES = {
    **{digit: (0, top) for top, digit in zip(TOPS, "12345", strict=True)},
    **{digit: (62, top) for top, digit in zip(TOPS, "67890", strict=True)},
}
"""The top left corner of each entry of a list."""
ACCENTS_TOP, LETTERS_TOP = 48, 52
"""The top rows of the accents and of the letters on the message line."""
PAGE_MARK = (121, 54, 128, 63)
LIST, SMALL = "6x12", "6x10"
FOLDER = Path(hal.display.fonts.__file__).parent
LETTERS = {font: Image.open(FOLDER / f"{font}.png").convert("1") for font in (LIST, SMALL)}
HEIGHTS = {LIST: 12, SMALL: 10}


@pytest.mark.parametrize("name", VIEWS)
def test_golden_image(name: str) -> None:
    drawn = golden.enlarged(draw(VIEWS[name]))
    with Image.open(golden.FOLDER / f"{name}.png") as kept:
        assert drawn.tobytes() == kept.convert("1").tobytes(), f"{name} looks different"


@pytest.mark.parametrize("name", FRENCH_VIEWS)
def test_golden_message_in_french(name: str) -> None:
    drawn = golden.enlarged(golden.message_line(draw(FRENCH_VIEWS[name])))
    with Image.open(golden.FRENCH_FOLDER / f"{name}.png") as kept:
        assert drawn.tobytes() == kept.convert("1").tobytes(), f"{name} looks different"


@pytest.mark.parametrize("name", FRENCH_STATUSES)
def test_golden_status_row_in_french(name: str) -> None:
    drawn = golden.enlarged(golden.status_row(draw(FRENCH_STATUSES[name])))
    with Image.open(golden.FRENCH_FOLDER / f"{name}.png") as kept:
        assert drawn.tobytes() == kept.convert("1").tobytes(), f"{name} looks different"


@pytest.mark.parametrize("name", FRENCH_LISTS)
def test_golden_list_in_french(name: str) -> None:
    drawn = golden.enlarged(draw(FRENCH_LISTS[name]))
    with Image.open(golden.FRENCH_FOLDER / f"{name}.png") as kept:
        assert drawn.tobytes() == kept.convert("1").tobytes(), f"{name} looks different"


def test_the_page_shows_all_pictures_and_there_are_no_others() -> None:
    assert {path.stem for path in golden.FOLDER.glob("*.png")} == set(VIEWS)
    in_french = {path.stem for path in golden.FRENCH_FOLDER.iterdir()}
    assert in_french == set(FRENCH_VIEWS) | set(FRENCH_STATUSES) | set(FRENCH_LISTS)
    assert golden.PAGE.read_text(encoding="utf-8") == golden.page()


def test_every_text_of_the_rules_has_a_picture_in_both_languages() -> None:
    for shown in (VIEWS, FRENCH_VIEWS | FRENCH_STATUSES | FRENCH_LISTS):
        lines = [line for view in shown.values() for line in (view.message, view.middle) if line]
        entries = [entry for view in shown.values() for entry in golden.entries(view)]
        without_words = {Text.WHOLE_AMOUNT, Text.NAME}  # they are the same in both
        assert golden.texts(lines + entries) | without_words == set(Text)
    assert any(view.message and view.message.text is Text.NAME for view in VIEWS.values())


def view(field: str, message: str = "") -> View:
    said = Message(Text.WHOLE_AMOUNT, message) if message else None
    return View(field, said, None, (Occupant.NONE, Occupant.NONE), 2, "duel-masters")


def test_one_more_digit_changes_one_digit_of_pixels() -> None:
    """These pixels are sent to the display for a keystroke."""
    begun, longer = (view(field)._replace(typed=True) for field in ("1,5", "1,55"))
    changed = ImageChops.logical_xor(draw(begun), draw(longer)).getbbox()
    assert changed
    left, top, right, bottom = changed
    assert right - left <= WIDE.glyph("5").width
    assert (top // 8, (bottom - 1) // 8) == (2, 5)


FIELD = (0, 11, SIZE[0], 49)


@pytest.mark.parametrize("field", ["0", "15M", "11,1M", "99,999M", "1500", "123,45M", "-----"])
def test_an_amount_is_centred(field: str) -> None:
    box = draw(view(field)).crop(FIELD).getbbox()
    assert box
    left, _top, right, _bottom = box
    assert abs(left - (SIZE[0] - right)) <= 1
    assert left >= 2


@pytest.mark.parametrize("field", ["0", "1", "1,5", "99,999", "44444,", "0,88888"])
def test_what_is_typed_stays_at_its_place(field: str) -> None:
    box = draw(view(field)._replace(typed=True)).crop(FIELD).getbbox()
    assert box
    left, _top, right, _bottom = box
    assert 10 <= left <= 12
    assert right <= SIZE[0]


@pytest.mark.parametrize("number", range(1, 9))
def test_the_number_of_a_card_is_framed_and_centred(number: int) -> None:
    picture = draw(view(str(number))._replace(card=number))
    box = picture.crop(FIELD).getbbox()
    assert box
    left, top, right, bottom = box
    assert abs(left - (SIZE[0] - right)) <= 1
    middle = (top + bottom) // 2 + FIELD[1]
    assert picture.getpixel((left, middle))
    assert picture.getpixel((right - 1, middle))
    for beside in (left + 4, right - 5):  # nothing between the frame and the figure
        assert not picture.crop((beside, middle - 10, beside + 1, middle + 10)).getbbox()
    assert not picture.crop((0, 10, SIZE[0], 11)).getbbox()
    assert not picture.crop((0, 48, SIZE[0], 49)).getbbox()


@pytest.mark.parametrize(("shown", "filled"), [(3, (True, False)), (5, (False, True))])
def test_the_badge_of_the_card_whose_balance_shows_is_filled(
    shown: int, filled: tuple[bool, bool]
) -> None:
    both = draw(view("15M")._replace(occupants=(3, 5), balance_of=shown))
    badges = [both.crop((left, 0, left + 22, 11)) for left in (0, 106)]
    assert tuple(bool(badge.getpixel((2, 5))) for badge in badges) == filled
    for badge in badges:  # the outline
        assert badge.getbbox() == (0, 0, 22, 11)


@pytest.mark.parametrize("occupants", [(3, Occupant.NONE), (Occupant.REFUSED, 4), (1, 2)])
def test_badges_are_filled_unless_two_cards_are_in(
    occupants: tuple[int | Occupant, int | Occupant],
) -> None:
    picture = draw(view("15M")._replace(occupants=occupants))
    for occupant, left in zip(occupants, (0, 106), strict=True):
        lit = bool(picture.getpixel((left + 2, 5)))
        assert lit == (occupant is not Occupant.NONE)


def test_long_messages_have_the_smaller_font() -> None:
    picture = draw(view("0", "A MESSAGE OF 21 CHARS"))
    assert picture.crop((0, 51, 128, 64)).getbbox()
    assert picture.size == SIZE


def test_an_unknown_letter_is_a_question_mark() -> None:
    """In a text that has small letters, too."""
    assert draw(view("0", "Ωa")).tobytes() == draw(view("0", "?a")).tobytes()


@pytest.mark.parametrize(
    "accented", sorted({*"".join(text.french for text in Text)} - {*printable})
)
def test_a_capital_with_an_accent_is_as_tall_as_one_without(accented: str) -> None:
    """The accent is above the letter, and touches neither it nor the big field."""
    plain = normalize("NFD", accented)[0]
    with_accent, without = draw(view("88,8M", accented)), draw(view("88,8M", plain))
    added = ImageChops.logical_xor(with_accent, without).getbbox()
    assert added
    _left, top, _right, bottom = added
    assert top >= ACCENTS_TOP
    assert bottom <= LETTERS_TOP
    assert not without.crop((0, ACCENTS_TOP, SIZE[0], LETTERS_TOP)).getbbox()


def test_a_sleeping_screen_is_dark() -> None:
    assert draw(VIEWS["asleep"]).getbbox() is None
    assert draw(a_list(FIRST_PAGE)._replace(lit=False)).getbbox() is None


# The lists of the F key


def items(entries: dict[str, Text]) -> tuple[Item, ...]:
    return tuple(Item(digit, Message(text)) for digit, text in entries.items())


def a_list(*pages: dict[str, Text], page: int = 0, language: Language = Language.ENGLISH) -> View:
    menu = Menu(tuple(items(entries) for entries in pages), page)
    return view("")._replace(menu=menu, language=language)


def names(*them: str) -> View:
    """A list of names that are the same in every language."""
    entries = (
        Item(str(number % 10), Message(Text.WHOLE_AMOUNT, name))
        for number, name in enumerate(them, 1)
    )
    return view("")._replace(menu=Menu((tuple(entries),)))


def written(text: str, font: str = SMALL) -> Image.Image:
    """A text in a font whose letters are six pixels wide."""
    height = HEIGHTS[font]
    picture = Image.new("1", (6 * len(text), height))
    for index, letter in enumerate(text):
        row, column = divmod(ord(letter) - 0x20, 32)
        box = (6 * column, height * row, 6 * column + 6, height * row + height)
        picture.paste(LETTERS[font].crop(box), (6 * index, 0))
    return picture


def reads(
    picture: Image.Image, left: int, top: int, text: str, rows: tuple[int, int] = (0, 10)
) -> bool:
    """Whether exactly these rows of the text are there."""
    first, end = rows
    wanted = written(text)
    right = left + wanted.width
    there = picture.crop((left, top + first, right, top + end))
    return right <= SIZE[0] and there == wanted.crop((0, first, wanted.width, end))


def lists(
    picture: Image.Image, left: int, top: int, text: str, rows: tuple[int, int] = (0, 10)
) -> bool:
    """Whether exactly these rows of a list's entry are there; the first two are for accents."""
    first, end = rows
    wanted = written(text, LIST)
    right = left + wanted.width
    there = picture.crop((left, top - 2 + first, right, top - 2 + end))
    return right <= SIZE[0] and there == wanted.crop((0, first, wanted.width, end))


@pytest.mark.parametrize("letter", "ABCDEFGHIJKLMNOPRSTUVWXYZ0123456789bdhkl")
def test_letters_of_lists_are_eight_pixels_high(letter: str) -> None:
    box = written(letter, LIST).getbbox()
    assert box
    assert (box[1], box[3]) == (2, 10)


def is_key(picture: Image.Image, left: int, top: int, label: str) -> bool:
    """Whether a label is there, dark on light, with a light pixel all around it."""
    wanted = Image.new("1", (7, 9), 1)
    wanted.paste(ImageChops.invert(written(label).crop((0, 0, 5, 9))), (1, 0))
    return picture.crop((left, top, left + 7, top + 9)).tobytes() == wanted.tobytes()


def below_the_status_row(shown: View) -> Image.Image:
    return draw(shown).crop((0, 11, *SIZE))


def every_subset(entries: dict[str, Text]) -> list[dict[str, Text]]:
    sizes = range(1, len(entries) + 1)
    chosen = chain.from_iterable(combinations(entries, size) for size in sizes)
    return [{digit: entries[digit] for digit in digits} for digits in chosen]


@pytest.mark.parametrize("language", Language)
@pytest.mark.parametrize("page", [FIRST_PAGE, SECOND_PAGE, GAMES], ids=["first", "second", "game"])
def test_every_entry_can_be_read_beside_its_digit(
    page: dict[str, Text], language: Language
) -> None:
    picture = draw(a_list(page, language=language))
    for digit, text in page.items():
        left, top = PLACES[digit]
        assert is_key(picture, left, top, digit)
        assert lists(picture, left + 10, top, Message(text).translated(language)), text


@pytest.mark.parametrize("language", Language)
@pytest.mark.parametrize("page", [FIRST_PAGE, SECOND_PAGE, GAMES], ids=["first", "second", "game"])
def test_an_entry_keeps_its_place_in_every_list(page: dict[str, Text], language: Language) -> None:
    """The picture of a list is the union of the pictures of its entries."""
    drawn: dict[tuple[str, ...], Image.Image] = {}
    for offered in every_subset(page):
        *others, last = offered
        whole = below_the_status_row(a_list(offered, language=language))
        if others:
            alone = drawn[(last,)]
            assert ImageChops.logical_and(drawn[tuple(others)], alone).getbbox() is None
            wanted = ImageChops.logical_or(drawn[tuple(others)], alone)
            assert whole.tobytes() == wanted.tobytes(), list(offered)
        drawn[tuple(offered)] = whole


@pytest.mark.parametrize("language", Language)
def test_a_list_of_two_pages_shows_f_in_a_corner(
    language: Language,
) -> None:
    pages = FIRST_PAGE, SECOND_PAGE
    for number, page in enumerate(pages):
        both = draw(a_list(*pages, page=number, language=language))
        alone = draw(a_list(page, language=language))
        assert is_key(both, 121, 54, "F")
        assert alone.crop(PAGE_MARK).getbbox() is None
        assert ImageChops.logical_xor(both, alone).getbbox() == PAGE_MARK


def test_a_list_replaces_the_field_and_the_message() -> None:
    assert draw(a_list(FIRST_PAGE)._replace(field="88,8M", message=Message(Text.NO_FUNDS))) == draw(
        a_list(FIRST_PAGE)
    )
    status_row = (0, 0, SIZE[0], 11)
    assert draw(a_list(FIRST_PAGE)).crop(status_row) == draw(view("0")).crop(status_row)


def test_five_long_names_have_the_usual_places() -> None:
    editions = ("banking", "disney", "duel-masters", "europe", "france98")
    picture = draw(names(*editions))
    for digit, name in enumerate(editions, 1):
        left, top = PLACES[str(digit)]
        assert is_key(picture, left, top, str(digit))
        assert lists(picture, left + 10, top, name, rows=(2, 10))


def test_six_long_names_are_closer_and_legible() -> None:
    six = ("duel-masters", "young-garden", "TALL-LETTERS", "gypsy-jugged", "ABCDEF123456", "quays")
    tops = (10, 19, 28, 37, 46, 54)
    picture = draw(names(*six))
    for digit, (name, top) in enumerate(zip(six, tops, strict=True), 1):
        assert lists(picture, 34, top, name, rows=(3, 10 if digit < 5 else 9))
        assert is_key(picture, 24, top, str(digit))
    assert lists(picture, 34, tops[-1], "quays", rows=(3, 12))
    assert not picture.crop((0, 11, 24, 64)).getbbox()


def test_six_short_names_have_the_usual_places() -> None:
    picture = draw(names("a", "b", "c", "d", "e", "fine-ish"))
    assert is_key(picture, 62, 12, "6")
    assert lists(picture, 72, 12, "fine-ish")


def test_a_list_that_is_too_long_is_drawn() -> None:
    assert draw(names(*["far-too-long"] * 10)).size == SIZE


# Tables, minutes, and long messages


def cards(*contents: str | Text) -> View:
    said = (
        Message(content) if isinstance(content, Text) else Message(Text.WHOLE_AMOUNT, content)
        for content in contents
    )
    return view("")._replace(table=tuple(Item(str(n), one) for n, one in enumerate(said, 1)))


@pytest.mark.parametrize("language", Language)
def test_eight_cards_are_in_two_columns_with_aligned_amounts(
    language: Language,
) -> None:
    amounts = ("123,45M", "99,999M", "0,01234K", "15M", "999K", "10K", "0")
    picture = draw(cards(*amounts, Text.OUT)._replace(language=language))
    out = Message(Text.OUT).translated(language)
    for place, content in enumerate((*amounts, out)):
        column, row = divmod(place, 4)
        left, top = 70 * column, 12 + 9 * row
        assert is_key(picture, left, top, str(place + 1))
        assert reads(picture, left + 58 - 6 * len(content), top, content, rows=(0, 9))


@pytest.mark.parametrize("how_many", [1, 2, 3, 4])
def test_four_cards_or_fewer_are_centred(how_many: int) -> None:
    picture = below_the_status_row(cards(*["99,999M"] * how_many))
    box = picture.getbbox()
    assert box
    left, top, right, bottom = box
    assert right - left <= 58
    assert abs(left - (SIZE[0] - right)) <= 1
    assert abs(top - (ACCENTS_TOP - 11 - bottom)) <= 2


@pytest.mark.parametrize(("how_many", "rows"), [(5, 3), (6, 3), (7, 4), (8, 4)])
def test_more_cards_share_two_columns_evenly(how_many: int, rows: int) -> None:
    picture = draw(cards(*["0"] * how_many))
    keys = {(left, top) for left in (0, 70) for top in range(11, 50)}
    found = {
        label: place
        for label in map(str, range(1, how_many + 1))
        for place in keys
        if is_key(picture, *place, label)
    }
    assert len(found) == how_many
    assert [left for _label, (left, _top) in sorted(found.items())].count(0) == rows
    tops = [top for _label, (_left, top) in sorted(found.items())]
    assert tops[rows:] == tops[: how_many - rows]
    assert tops[:rows] == sorted(tops[:rows])


def test_more_cards_than_any_edition_has_are_cut_off() -> None:
    assert draw(cards(*["15M"] * 9)) == draw(cards(*["15M"] * 8))


def test_a_table_replaces_the_field_but_not_the_message() -> None:
    """An accent of the message does not touch the last card."""
    bare = cards(*["99,999M"] * 8)
    assert draw(bare._replace(field="88,8M")) == draw(bare)
    both = draw(bare._replace(message=Message(Text.FINAL_COUNT), language=Language.FRENCH))
    said = draw(view("", "DÉCOMPTE FINAL"))
    line = (0, ACCENTS_TOP, *SIZE)
    assert both.crop(line) == said.crop(line)
    above = (0, 0, SIZE[0], ACCENTS_TOP)
    assert both.crop(above) == draw(bare).crop(above)


@pytest.mark.parametrize("minutes", [0, 1, 90, 999])
def test_the_minutes_left_replace_the_edition(minutes: int) -> None:
    shown = view("1500")._replace(minutes_left=minutes)
    assert draw(shown) == draw(view("1500")._replace(edition=f"{minutes} MIN"))


@pytest.mark.parametrize("language", Language)
def test_a_move_replaces_the_edition_and_the_minutes(language: Language) -> None:
    way = Message(Text.WHOLE_AMOUNT, "2>1 1,4M")
    moved = view("13,6M")._replace(middle=way, minutes_left=90, language=language)
    assert draw(moved) == draw(view("13,6M")._replace(edition="2>1 1,4M"))


LONGEST_AMOUNTS = ("123,45M", "99,999M", "12345K", "0,1K")


@pytest.mark.parametrize("language", Language)
@pytest.mark.parametrize("amount", LONGEST_AMOUNTS)
@pytest.mark.parametrize(
    "middle",
    [Message(Text.WHOLE_AMOUNT, "2>1"), Message(Text.UNDO_SHORT), Message(Text.COUNT)],
    ids=str,
)
def test_the_status_fits_between_the_slots_and_the_volume(
    middle: Message, amount: str, language: Language
) -> None:
    if middle.text is not Text.COUNT:
        middle = middle._replace(detail=f"{middle.detail} {amount}".strip())
    both = view("0")._replace(occupants=(1, 2), language=language)
    empty = both._replace(edition="")
    written_there = ImageChops.logical_xor(draw(both._replace(middle=middle)), draw(empty))
    left, _top, right, bottom = written_there.getbbox() or (0, 0, 0, 0)
    assert left >= 22
    assert right <= VOLUME[0] - 1
    assert bottom <= 11
    assert right - left >= 6 * len(middle.translated(language)) - 4  # all letters


VOLUME = (97, 0, 105, 9)


@pytest.mark.parametrize("minutes", [None, 90])
@pytest.mark.parametrize("volume", [0, 3])
def test_the_console_replaces_the_volume_by_a_t(minutes: int | None, volume: int) -> None:
    shown = view("1500")._replace(minutes_left=minutes, volume=volume)
    test = draw(shown._replace(test=True))
    assert is_key(test, 97, 0, "T")
    changed = ImageChops.logical_xor(draw(shown), test).getbbox()
    assert changed
    left, _top, right, bottom = changed
    assert left >= VOLUME[0]
    assert right <= VOLUME[2]
    assert bottom <= VOLUME[3]


@pytest.mark.parametrize("language", Language)
def test_a_message_that_is_too_long_gets_narrower_spaces(
    language: Language,
) -> None:
    everybody = Message(Text.WINNER, "1 2 3 4 5 6 7 8")
    said = everybody.translated(language)
    line = draw(view("")._replace(message=everybody, language=language)).crop((0, 51, *SIZE))
    assert len(said) > 21
    assert sum(line.histogram()[255:]) == sum(written(said, LIST).histogram()[255:])


def test_drawing_does_not_depend_on_earlier_views() -> None:
    shown = a_list(FIRST_PAGE, SECOND_PAGE), cards("15M", Text.OUT), view("15M", "NO FUNDS")
    once = [draw(each).tobytes() for each in shown]
    assert [draw(each).tobytes() for each in shown] == once
