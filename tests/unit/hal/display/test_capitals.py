"""The capitals of the message line."""

import pytest

from hal.display.capitals import LETTER_HEIGHT, LETTERS, written
from hal.display.messages import Language, Message, Text
from hal.display.renderer import WIDTH


@pytest.mark.parametrize("language", Language)
@pytest.mark.parametrize("text", Text, ids=lambda text: text.name)
def test_every_text_is_in_capitals_that_fit(text: Text, language: Language) -> None:
    picture = written(text.translated(language), WIDTH)
    assert picture
    assert picture.width <= WIDTH
    assert picture.height == LETTER_HEIGHT


@pytest.mark.parametrize("letter", [letter for letter in LETTERS if letter.isascii()])
def test_letters_and_digits_are_twelve_pixels_high(letter: str) -> None:
    picture = written(letter, WIDTH)
    assert picture
    box = picture.getbbox()
    assert box
    _left, top, _right, bottom = box
    if letter.isalnum():
        assert (top, bottom) == (4, 16)
    assert 4 <= top < bottom <= LETTER_HEIGHT


def test_all_letters_differ() -> None:
    pictures = {letter: written(letter, WIDTH) for letter in LETTERS}
    assert len({picture.tobytes() for picture in pictures.values() if picture}) == len(LETTERS)


def test_letters_do_not_touch() -> None:
    """In the closest setting: a dark column between any two."""
    for text in ("BANKRUPT? HOLD M", "AVAWATLTYV", "MWMWMWMW"):
        picture = written(text, WIDTH)
        assert picture
        columns = range(picture.width)
        lit = [bool(picture.crop((x, 0, x + 1, LETTER_HEIGHT)).getbbox()) for x in columns]
        letters = sum(now and not before for before, now in zip([False, *lit], lit, strict=False))
        assert letters >= len(text.replace(" ", ""))


def test_short_texts_are_set_wider() -> None:
    def gap(text: str) -> int:
        picture, first, last = (written(part, WIDTH) for part in (text, text[0], text[-1]))
        assert picture
        assert first
        assert last
        return picture.width - first.width - last.width

    assert gap("HH") >= 3
    long = written("HHHHHHHHHHHHH", WIDTH)
    assert long
    assert long.width <= WIDTH


@pytest.mark.parametrize("text", ["NEXT europe", "Ω", "W" * 16])
def test_other_letters_and_longer_texts_are_left_to_other_fonts(text: str) -> None:
    assert written(text, WIDTH) is None


def test_a_message_with_a_detail_fits() -> None:
    assert written(str(Message(Text.NEXT_GAME, "999 MIN")), WIDTH)


def test_nothing_is_an_empty_picture() -> None:
    picture = written("", WIDTH)
    assert picture
    assert picture.width == 0


@pytest.mark.parametrize("language", Language)
def test_what_c_does_is_in_large_capitals(language: Language) -> None:
    """C5: the equals sign is as wide in all settings as a plus."""
    said = Text.C_AGAIN.translated(language)
    picture = written(said, WIDTH)
    assert picture
    assert "=" in said
    equals, plus = written("=", WIDTH), written("+", WIDTH)
    assert equals
    assert plus
    assert equals.width == plus.width
