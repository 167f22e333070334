"""The renderer against the pictures in docs/screens, and what must be legible in them."""

from itertools import chain, combinations
from pathlib import Path
from string import printable
from unicodedata import normalize

import pytest
from PIL import Image, ImageChops

import hal.fonts
from hal.digits import big_glyph
from hal.language import FRENCH, Language
from hal.picture import SIZE, draw
from hal.view import IDLE, Item, Menu, Message, Tenant, Text, View
from tests import golden

VIEWS = golden.views()
FRENCH_VIEWS = golden.french_views()
FRENCH_LISTS = golden.french_lists()

FIRST_PAGE = {
    "1": Text.ALL,
    "2": Text.MORTGAGE,
    "3": Text.INTEREST,
    "4": Text.UTILITY,
    "5": Text.JAIL,
    "6": Text.HALF,
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
PLACES = {
    **{digit: (0, 14 + 10 * row) for row, digit in enumerate("12345")},
    **{digit: (62, 14 + 10 * row) for row, digit in enumerate("67890")},
}
"""The left upper corner of each entry of a list."""
MESSAGE_AIR = 49
"""Where an accent of the message line begins."""
PAGE_MARK = (121, 54, 128, 63)
LETTERS = Image.open(Path(hal.fonts.__file__).parent / "6x10.png").convert("1")


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


@pytest.mark.parametrize("name", FRENCH_LISTS)
def test_golden_list_in_french(name: str) -> None:
    drawn = golden.enlarged(draw(FRENCH_LISTS[name]))
    with Image.open(golden.FRENCH_FOLDER / f"{name}.png") as kept:
        assert drawn.tobytes() == kept.convert("1").tobytes(), f"{name} looks different"


def test_no_picture_is_left_over_and_the_page_shows_them_all() -> None:
    assert {path.stem for path in golden.FOLDER.glob("*.png")} == set(VIEWS)
    in_french = {path.stem for path in golden.FRENCH_FOLDER.iterdir()}
    assert in_french == set(FRENCH_VIEWS) | set(FRENCH_LISTS)
    assert golden.PAGE.read_text(encoding="utf-8") == golden.page()


def test_every_text_of_the_rules_has_a_picture_in_both_languages() -> None:
    for shown in (VIEWS, FRENCH_VIEWS | FRENCH_LISTS):
        lines = [view.message for view in shown.values() if view.message]
        entries = [entry for view in shown.values() for entry in golden.entries(view)]
        assert golden.texts(lines + entries) | {Text.WHOLE_AMOUNT} == set(Text)


def view(field: str, message: str = "") -> View:
    said = Message(Text.WHOLE_AMOUNT, message) if message else None
    return View(field, said, None, (Tenant.NOBODY, Tenant.NOBODY), 2, "duel-masters")


@pytest.mark.parametrize("digit", "0123456789MK")
def test_digits_are_at_least_28_pixels_high(digit: str) -> None:
    box = big_glyph(digit).getbbox()
    assert box
    assert box[3] - box[1] >= 28


@pytest.mark.parametrize("field", ["99,999M", "88,888K", "0,88888", "88888,", "99999M", IDLE])
def test_the_widest_fields_fit(field: str) -> None:
    """Nothing is cut off at the right: the same field on a wider screen has no pixel beyond."""
    width = sum(big_glyph(letter).width + 3 for letter in field) - 3
    assert width <= SIZE[0]


def test_all_digits_differ() -> None:
    assert len({big_glyph(letter).tobytes() for letter in "0123456789-,MK"}) == 14


def test_one_more_digit_changes_one_digit_of_pixels() -> None:
    """What the display's bus has to carry for a keystroke."""
    changed = ImageChops.logical_xor(draw(view("1,5")), draw(view("1,55"))).getbbox()
    assert changed
    left, top, right, bottom = changed
    assert right - left <= big_glyph("5").width
    assert (top // 8, (bottom - 1) // 8) == (2, 5)


def test_long_messages_take_the_smaller_font() -> None:
    picture = draw(view("0", "A MESSAGE OF 21 CHARS"))
    assert picture.crop((0, 51, 128, 64)).getbbox()
    assert picture.size == SIZE


def test_a_letter_that_the_font_does_not_have() -> None:
    assert draw(view("0", "Ω")).tobytes() == draw(view("0", "?")).tobytes()


@pytest.mark.parametrize("accented", sorted({*"".join(FRENCH.values())} - {*printable}))
def test_a_capital_with_an_accent_is_as_tall_as_one_without(accented: str) -> None:
    """And the accent is above it, clear of it and of the big field."""
    plain = normalize("NFD", accented)[0]
    with_accent, without = draw(view("88,8M", accented)), draw(view("88,8M", plain))
    added = ImageChops.logical_xor(with_accent, without).getbbox()
    assert added
    _left, top, _right, bottom = added
    assert (top, bottom) == (49, 51)
    assert not without.crop((0, 48, 128, 52)).getbbox()


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


def written(text: str) -> Image.Image:
    """A text in the smaller font."""
    picture = Image.new("1", (6 * len(text), 10))
    for index, letter in enumerate(text):
        row, column = divmod(ord(letter) - 0x20, 32)
        picture.paste(
            LETTERS.crop((6 * column, 10 * row, 6 * column + 6, 10 * row + 10)), (6 * index, 0)
        )
    return picture


def reads(
    picture: Image.Image, left: int, top: int, text: str, rows: tuple[int, int] = (0, 10)
) -> bool:
    """Whether just that text is there, whole, as far as those rows of it go."""
    first, end = rows
    wanted = written(text)
    right = left + wanted.width
    there = picture.crop((left, top + first, right, top + end))
    return right <= SIZE[0] and there == wanted.crop((0, first, wanted.width, end))


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
        assert reads(picture, left + 10, top, Message(text).spoken(language)), text


@pytest.mark.parametrize("language", Language)
@pytest.mark.parametrize("page", [FIRST_PAGE, SECOND_PAGE, GAMES], ids=["first", "second", "game"])
def test_an_entry_keeps_its_place_whatever_else_is_offered(
    page: dict[str, Text], language: Language
) -> None:
    """A list of some entries is each of them on a list of its own, one upon the other."""
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
def test_a_list_of_two_pages_shows_the_key_that_turns_them_in_a_corner(
    language: Language,
) -> None:
    pages = FIRST_PAGE, SECOND_PAGE
    for number, page in enumerate(pages):
        both = draw(a_list(*pages, page=number, language=language))
        alone = draw(a_list(page, language=language))
        assert is_key(both, 121, 54, "F")
        assert alone.crop(PAGE_MARK).getbbox() is None
        assert ImageChops.logical_xor(both, alone).getbbox() == PAGE_MARK


def test_a_list_takes_the_place_of_the_field_and_the_message() -> None:
    assert draw(a_list(FIRST_PAGE)._replace(field="88,8M", message=Message(Text.NO_FUNDS))) == draw(
        a_list(FIRST_PAGE)
    )
    status_row = (0, 0, SIZE[0], 11)
    assert draw(a_list(FIRST_PAGE)).crop(status_row) == draw(view("0")).crop(status_row)


def test_five_long_names_stand_where_short_ones_do() -> None:
    editions = ("banking", "disney", "duel-masters", "europe", "france98")
    picture = draw(names(*editions))
    for digit, name in enumerate(editions, 1):
        left, top = PLACES[str(digit)]
        assert is_key(picture, left, top, str(digit))
        assert reads(picture, left + 10, top, name)


def test_six_long_names_stand_closer_and_all_of_them_can_be_read() -> None:
    six = ("duel-masters", "young-garden", "TALL-LETTERS", "gypsy-jugged", "ABCDEF123456", "quays")
    tops = (10, 19, 28, 37, 46, 54)
    picture = draw(names(*six))
    for digit, (name, top) in enumerate(zip(six, tops, strict=True), 1):
        assert reads(picture, 34, top, name, rows=(1, 9 if digit < 5 else 8))
        assert is_key(picture, 24, top, str(digit))
    assert reads(picture, 34, tops[-1], "quays", rows=(1, 10))
    assert not picture.crop((0, 11, 24, 64)).getbbox()


def test_six_short_names_stand_as_ever() -> None:
    picture = draw(names("a", "b", "c", "d", "e", "fine-ish"))
    assert is_key(picture, 62, 14, "6")
    assert reads(picture, 72, 14, "fine-ish")


def test_a_list_that_nobody_thought_of_is_drawn_all_the_same() -> None:
    assert draw(names(*["far-too-long"] * 10)).size == SIZE


# Tables, minutes, and long messages


def cards(*contents: str | Text) -> View:
    said = (
        Message(content) if isinstance(content, Text) else Message(Text.WHOLE_AMOUNT, content)
        for content in contents
    )
    return view("")._replace(table=tuple(Item(str(n), one) for n, one in enumerate(said, 1)))


@pytest.mark.parametrize("language", Language)
def test_eight_cards_stand_in_two_columns_and_their_amounts_below_each_other(
    language: Language,
) -> None:
    amounts = ("123,45M", "99,999M", "0,01234K", "15M", "999K", "10K", "0")
    picture = draw(cards(*amounts, Text.OUT)._replace(language=language))
    out = Message(Text.OUT).spoken(language)
    for place, content in enumerate((*amounts, out)):
        column, row = divmod(place, 4)
        left, top = 70 * column, 13 + 9 * row
        assert is_key(picture, left, top, str(place + 1))
        assert reads(picture, left + 58 - 6 * len(content), top, content, rows=(0, 9))


@pytest.mark.parametrize("how_many", [1, 2, 3, 4])
def test_four_cards_or_fewer_stand_in_the_middle(how_many: int) -> None:
    picture = below_the_status_row(cards(*["99,999M"] * how_many))
    box = picture.getbbox()
    assert box
    left, top, right, bottom = box
    assert right - left <= 58
    assert abs(left - (SIZE[0] - right)) <= 1
    assert abs(top - (MESSAGE_AIR - 11 - bottom)) <= 2


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


def test_a_table_takes_the_place_of_the_field_and_leaves_the_message() -> None:
    """And an accent of the message is clear of the last card."""
    bare = cards(*["99,999M"] * 8)
    assert draw(bare._replace(field="88,8M")) == draw(bare)
    both = draw(bare._replace(message=Message(Text.FINAL_COUNT), language=Language.FRENCH))
    said = draw(view("", "DÉCOMPTE FINAL"))
    assert both.crop((0, 49, *SIZE)) == said.crop((0, 49, *SIZE))
    assert both.crop((0, 0, SIZE[0], 49)) == draw(bare).crop((0, 0, SIZE[0], 49))


@pytest.mark.parametrize("minutes", [0, 1, 90, 999])
def test_the_minutes_left_stand_in_place_of_the_edition(minutes: int) -> None:
    shown = view("1500")._replace(minutes_left=minutes)
    assert draw(shown) == draw(view("1500")._replace(edition=f"{minutes} MIN"))
    assert draw(shown._replace(test=True)) == draw(view("1500")._replace(test=True))


@pytest.mark.parametrize("language", Language)
def test_a_message_that_is_too_long_has_narrower_spaces_before_it_is_cut(
    language: Language,
) -> None:
    everybody = Message(Text.WINNER, "1 2 3 4 5 6 7 8")
    said = everybody.spoken(language)
    line = draw(view("")._replace(message=everybody, language=language)).crop((0, 51, *SIZE))
    assert len(said) > 21
    assert sum(line.histogram()[255:]) == sum(written(said).histogram()[255:])


def test_what_was_drawn_before_leaves_no_trace() -> None:
    shown = a_list(FIRST_PAGE, SECOND_PAGE), cards("15M", Text.OUT), view("15M", "NO FUNDS")
    once = [draw(each).tobytes() for each in shown]
    assert [draw(each).tobytes() for each in shown] == once
