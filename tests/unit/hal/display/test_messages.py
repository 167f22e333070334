"""The messages in both languages: complete, and short enough for the screen."""

import re
from pathlib import Path

import pytest
from PIL import ImageChops

from firmware.bank import edition as editions
from firmware.bank.money import Units, spell_out
from firmware.bank.names import LONGEST_NAME
from hal.display.messages import Language, Message, Text
from hal.display.renderer import HEIGHT, MESSAGE_TOP, SIZE, WIDTH, draw
from hal.display.view import Occupant, View

ROOT = Path(__file__).parents[4]

ON_THE_LINE = 21
"""Letters of the smaller font on the message line."""
ON_THE_LINE_IN_BOLD = 16
LONGEST_AMOUNT = Units(millions=1, thousands=10**9).write(12_345_678).text
"""0,01234K; a real amount has at most seven characters, such as 123,45M."""
AN_EDITION = editions.load(editions.DEFAULT)
LONGEST_DETAILS = {
    Text.MIN: LONGEST_AMOUNT,
    Text.MAX: LONGEST_AMOUNT,
    Text.STEP: LONGEST_AMOUNT,
    Text.NEW_GAME_IN: "2",
    Text.VOLUME: "3",
    Text.WHOLE_AMOUNT: spell_out(AN_EDITION.fullest),
    Text.DICE: "2-24",
    Text.NEXT: "n" * editions.LONGEST_NAME,
    Text.NEXT_GAME: "999 MIN",
    Text.NAME: "W" * LONGEST_NAME,
    Text.STILL: "1 2 3 4 +",
    Text.WINNER: "1 2 3 4 5 6",
}
WITHOUT_WORDS = {Text.WHOLE_AMOUNT, Text.NAME}
"""They consist of their detail alone, in every language."""
IN_TWO_COLUMNS = (
    Text.BANKRUPT,
    Text.MORTGAGE,
    Text.INTEREST,
    Text.UTILITY,
    Text.FINE,
    Text.SELL,
    Text.AGAIN,
    Text.HISTORY,
    Text.COUNT,
    Text.GAME,
    Text.POT,
    Text.NORMAL,
    Text.FAST,
    Text.CLOCK,
    Text.EDITION,
    Text.FORGET,
    Text.BACK,
)
TO_CONFIRM = (
    *IN_TWO_COLUMNS[1:7],
    *(Text.COUNT, Text.FIGHT_LOST, Text.POT, Text.UNDO, Text.WINNER),
)
"""The texts that may stand before ``? M``."""
PURPOSES = (
    Text.PAID,
    Text.SALARY,
    Text.BANKRUPT,
    Text.MORTGAGE,
    Text.INTEREST,
    Text.RENT,
    Text.FINE,
    Text.SALE,
    Text.FIGHT,
    Text.TAX,
    Text.POT,
)
"""The purposes in the history."""
BESIDE_A_DIGIT = 8
"""Letters of an entry in a list of two columns, or in a table of eight cards."""


def view(message: Message | None, language: Language = Language.FRENCH) -> View:
    empty = Occupant.NONE, Occupant.NONE
    return View("88,8M", message, None, empty, 2, "banking", language=language)


def line_of(text: str) -> bytes:
    """The pixels of any text on the message line."""
    picture = draw(view(Message(Text.WHOLE_AMOUNT, text)))
    return picture.crop((0, MESSAGE_TOP - 3, WIDTH, HEIGHT)).tobytes()


# The texts


RULE = re.compile(r"\*\*?([A-Z]\d+)\*\*?")


def test_every_text_has_both_languages_and_its_rule() -> None:
    rules = set(RULE.findall((ROOT / "docs" / "rules.md").read_text(encoding="utf-8")))
    for text in set(Text) - WITHOUT_WORDS:
        assert text.english
        assert text.french
        assert text.rule in rules


def test_all_french_texts_differ() -> None:
    """But for a game and an edition, both the next one, and for a move that was taken back."""
    others = set(Text) - {Text.NEXT_GAME, Text.UNDONE} - WITHOUT_WORDS
    assert len({text.french for text in others}) == len(others)


def test_french_texts_are_in_capitals() -> None:
    assert [text for text in Text if text.french != text.french.upper()] == []


@pytest.mark.parametrize("text", Text, ids=lambda text: text.name)
def test_a_message_fits_the_line_with_its_longest_detail(text: Text) -> None:
    said = view(Message(text, LONGEST_DETAILS.get(text, ""))).said
    assert len(said) <= ON_THE_LINE, said


@pytest.mark.parametrize("language", Language)
def test_the_names_of_a_list_fit_into_two_columns(language: Language) -> None:
    spoken = [Message(text).translated(language) for text in (*IN_TWO_COLUMNS, Text.OUT)]
    assert [name for name in spoken if len(name) > BESIDE_A_DIGIT] == []


@pytest.mark.parametrize("language", Language)
@pytest.mark.parametrize("text", TO_CONFIRM, ids=lambda text: text.name)
def test_a_confirmation_fits_the_line_in_the_larger_font(text: Text, language: Language) -> None:
    said = view(Message(text, ask=Text.PRESS_M), language).said
    assert said.endswith("? M")
    assert len(said) <= ON_THE_LINE_IN_BOLD, said


@pytest.mark.parametrize("language", Language)
@pytest.mark.parametrize("ago", [Text.EARLIER, Text.UNDONE, "59S", "59MIN", "99H"])
@pytest.mark.parametrize("purpose", PURPOSES, ids=lambda text: text.name)
def test_every_move_of_the_history_fits_the_line(
    purpose: Text, ago: Text | str, language: Language
) -> None:
    said = view(Message(purpose, ago, "2>1"), language).said
    assert len(said) <= ON_THE_LINE, said


def test_a_move_of_the_history_is_in_one_language() -> None:
    move = Message(Text.MORTGAGE, Text.EARLIER, "2>B")
    assert view(move).said == "2>B HYPOTH. PLUS TÔT"
    assert str(move) == view(move, Language.ENGLISH).said == "2>B MORTGAGE EARLIER"


def test_the_next_game_is_in_one_language() -> None:
    """An edition has the same name in both."""
    assert view(Message(Text.NEXT_GAME, Text.FAST)).said == "SUIVANTE RAPIDE"
    assert view(Message(Text.NEXT_GAME, "90 MIN")).said == "SUIVANTE 90 MIN"
    assert view(Message(Text.NEXT_GAME, Text.FAST), Language.ENGLISH).said == "NEXT GAME FAST"
    assert view(Message(Text.NEXT, "europe")).said == "SUIVANTE europe"


@pytest.mark.parametrize("letter", sorted({*"".join(text.french for text in Text)} - {" "}))
@pytest.mark.parametrize("filled", ["", " " * 17], ids=["bold", "small"])
def test_both_fonts_have_every_letter(letter: str, filled: str) -> None:
    """A letter with an accent differs from the one without."""
    others = {line_of(filled + other + ".") for other in "?AEIOU CN" if other != letter}
    assert line_of(f"{filled}{letter}.") not in others


# The screen is translated, other texts are not


def test_the_screen_is_french_and_the_message_stays_english() -> None:
    shown = view(Message(Text.STEP, "1K"))
    assert (shown.said, str(shown.message)) == ("MULTIPLE DE 1K", "STEP 1K")
    assert view(Message(Text.STEP, "1K"), Language.ENGLISH).said == "STEP 1K"
    assert view(None).said == ""


def test_a_whole_amount_is_the_same_in_both() -> None:
    amount = Message(Text.WHOLE_AMOUNT, "123 456 000")
    assert draw(view(amount)).tobytes() == draw(view(amount, Language.ENGLISH)).tobytes()


@pytest.mark.parametrize("name", ["Zoé", "ANA", "Anne-Marie", "D'Al-Bo Ri", "ÿ", "Ñandú Wéww"])
def test_a_name_is_drawn_as_it_was_typed(name: str) -> None:
    """N6: in any language, with small letters and all accents of Latin-1."""
    message = Message(Text.NAME, name)
    assert draw(view(message)).tobytes() == draw(view(message, Language.ENGLISH)).tobytes()
    line = line_of(name)
    assert draw(view(message)).crop((0, MESSAGE_TOP - 3, WIDTH, HEIGHT)).tobytes() == line
    others = [name.swapcase(), *(name.replace(letter, "?") for letter in set(name) - {" "})]
    assert line not in {line_of(other) for other in others if other != name}


def test_only_the_message_line_differs() -> None:
    funds = Message(Text.NO_FUNDS)
    difference = ImageChops.logical_xor(draw(view(funds)), draw(view(funds, Language.ENGLISH)))
    changed = difference.getbbox()
    assert changed
    assert changed[1] >= MESSAGE_TOP - 2
    assert draw(view(None)).tobytes() == draw(view(None, Language.ENGLISH)).tobytes()
    assert difference.size == SIZE


def test_the_page_of_the_screens_has_every_text_in_both_languages() -> None:
    page = (ROOT / "docs" / "screens.md").read_text(encoding="utf-8")
    _english, _heading, section = page.partition("## In French")
    rows = re.findall(r"^\| !\[(.+)\]\(.+\) \| (`.+`) \|$", section, re.MULTILINE)
    for text in set(Text) - WITHOUT_WORDS:
        words = text.french
        assert any(words in french and text.english in english for french, english in rows), text
