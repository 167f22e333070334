"""The renderer against the pictures in docs/screens, and what must be legible in them."""

from string import printable
from unicodedata import normalize

import pytest
from PIL import Image, ImageChops

from hal.digits import big_glyph
from hal.language import FRENCH
from hal.picture import SIZE, draw
from hal.view import IDLE, Message, Tenant, Text, View
from tests import golden

VIEWS = golden.views()
FRENCH_VIEWS = golden.french_views()


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


def test_no_picture_is_left_over_and_the_page_shows_them_all() -> None:
    assert {path.stem for path in golden.FOLDER.glob("*.png")} == set(VIEWS)
    assert {path.stem for path in golden.FRENCH_FOLDER.iterdir()} == set(FRENCH_VIEWS)
    assert golden.PAGE.read_text(encoding="utf-8") == golden.page()


def test_every_message_of_the_rules_has_a_picture() -> None:
    shown = {view.message.text for view in VIEWS.values() if view.message}
    assert shown == set(Text)
    in_french = {view.message.text for view in FRENCH_VIEWS.values() if view.message}
    assert in_french == set(Text) - {Text.WHOLE_AMOUNT}


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
