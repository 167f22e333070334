"""The box in French: every message has its words, they fit, and only the screen speaks them."""

import argparse
import re
from pathlib import Path

import pytest
from PIL import ImageChops

from firmware import bank
from firmware import edition as editions
from firmware.app import App
from firmware.config import Config
from firmware.ledger import Ledger
from firmware.ledger_file import Owner
from firmware.money import Units, spell_out
from firmware.store import Store
from hal.events import SECOND, Instant, Key
from hal.language import FRENCH, Language
from hal.picture import HEIGHT, MESSAGE_TOP, SIZE, WIDTH, draw
from hal.view import Message, Tenant, Text, View, ledger_error
from sim.board import SimBoard
from sim.clocks import VirtualClock
from sim.trace import Happening, line

ON_THE_LINE = 21
"""Letters of the smaller font."""
ON_THE_LINE_IN_BOLD = 16
LONGEST_AMOUNT = Units(millions=1, thousands=10**9).write(12_345_678).text
"""0,01234K: longer than any big field that fits its screen, such as 123,45M."""
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
    Text.NEXT_CLOCK: "999",
    Text.WINNER: "1 2 3 4 5 6",
}
IN_TWO_COLUMNS = (
    Text.ALL,
    Text.MORTGAGE,
    Text.INTEREST,
    Text.UTILITY,
    Text.JAIL,
    Text.HALF,
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
TO_CONFIRM = (*IN_TWO_COLUMNS[:7], Text.COUNT, Text.FIGHT_LOST, Text.POT, Text.UNDO, Text.BACK)
"""What may follow ``M =``."""
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
"""What a move of the history may have been for."""
BESIDE_A_DIGIT = 8
"""Letters, in a list of two columns, or a table of eight cards."""


def view(message: Message | None, language: Language = Language.FRENCH) -> View:
    nobody = Tenant.NOBODY, Tenant.NOBODY
    return View("88,8M", message, None, nobody, 2, "banking", language=language)


def line_of(text: str) -> bytes:
    """The pixels of any text on the message line."""
    picture = draw(view(Message(Text.WHOLE_AMOUNT, text)))
    return picture.crop((0, MESSAGE_TOP - 3, WIDTH, HEIGHT)).tobytes()


# The words


def test_every_text_has_french_words() -> None:
    assert [text.value for text in Text] == list(FRENCH)
    assert all(FRENCH[text.value] for text in Text if text is not Text.WHOLE_AMOUNT)


def test_no_two_messages_read_alike() -> None:
    assert len(set(FRENCH.values())) == len(FRENCH)


def test_they_are_capitals_as_the_english_ones() -> None:
    assert [words for words in FRENCH.values() if words != words.upper()] == []


@pytest.mark.parametrize("text", Text, ids=lambda text: text.name)
def test_a_message_fits_its_line_with_the_longest_that_may_follow(text: Text) -> None:
    said = view(Message(text, LONGEST_DETAILS.get(text, ""))).said
    assert len(said) <= ON_THE_LINE, said


@pytest.mark.parametrize("language", Language)
def test_the_names_of_a_list_fit_into_two_columns(language: Language) -> None:
    spoken = [Message(text).spoken(language) for text in (*IN_TWO_COLUMNS, Text.OUT)]
    assert [name for name in spoken if len(name) > BESIDE_A_DIGIT] == []


@pytest.mark.parametrize("language", Language)
@pytest.mark.parametrize("text", TO_CONFIRM, ids=lambda text: text.name)
def test_what_m_would_do_fits_the_line_in_the_larger_font(text: Text, language: Language) -> None:
    said = view(Message(text, lead="M ="), language).said
    assert said.startswith("M = ")
    assert len(said) <= ON_THE_LINE_IN_BOLD, said


@pytest.mark.parametrize("language", Language)
@pytest.mark.parametrize("ago", [Text.EARLIER, "59S", "59MIN", "99H"])
@pytest.mark.parametrize("purpose", PURPOSES, ids=lambda text: text.name)
def test_every_move_of_the_history_fits_the_line(
    purpose: Text, ago: Text | str, language: Language
) -> None:
    said = view(Message(purpose, ago, "2>1"), language).said
    assert len(said) <= ON_THE_LINE, said


def test_a_move_of_the_history_is_told_in_one_language() -> None:
    move = Message(Text.MORTGAGE, Text.EARLIER, "2>B")
    assert view(move).said == "2>B HYPOTH. PLUS TÔT"
    assert str(move) == view(move, Language.ENGLISH).said == "2>B MORTGAGE EARLIER"


def test_what_the_next_game_will_be_is_told_in_one_language() -> None:
    """An edition has the same name in both."""
    assert view(Message(Text.NEXT, Text.FAST)).said == "SUIVANTE RAPIDE"
    assert view(Message(Text.NEXT, Text.FAST), Language.ENGLISH).said == "NEXT FAST"
    assert view(Message(Text.NEXT, "europe")).said == "SUIVANTE europe"


@pytest.mark.parametrize("letter", sorted({*"".join(FRENCH.values())} - {" "}))
@pytest.mark.parametrize("filled", ["", " " * 17], ids=["bold", "small"])
def test_both_fonts_have_every_letter(letter: str, filled: str) -> None:
    """And with its accent it is not the letter without."""
    others = {line_of(filled + other + ".") for other in "?AEIOU CN" if other != letter}
    assert line_of(f"{filled}{letter}.") not in others


# What the people at the table read, and what everybody else does


def test_the_screen_is_french_and_the_message_stays_english() -> None:
    shown = view(Message(Text.STEP, "1K"))
    assert (shown.said, str(shown.message)) == ("MULTIPLE DE 1K", "STEP 1K")
    assert view(Message(Text.STEP, "1K"), Language.ENGLISH).said == "STEP 1K"
    assert view(None).said == ""


def test_a_whole_amount_is_the_same_in_both() -> None:
    amount = Message(Text.WHOLE_AMOUNT, "123 456 000")
    assert draw(view(amount)).tobytes() == draw(view(amount, Language.ENGLISH)).tobytes()


def test_only_the_message_line_differs() -> None:
    funds = Message(Text.NO_FUNDS)
    difference = ImageChops.logical_xor(draw(view(funds)), draw(view(funds, Language.ENGLISH)))
    changed = difference.getbbox()
    assert changed
    assert changed[1] >= MESSAGE_TOP - 2
    assert draw(view(None)).tobytes() == draw(view(None, Language.ENGLISH)).tobytes()
    assert difference.size == SIZE


def test_a_refused_ledger_is_told_in_french() -> None:
    assert ledger_error(Language.FRENCH).said == "ERREUR REGISTRE"
    assert ledger_error().said == str(ledger_error(Language.FRENCH).message) == "LEDGER ERROR"


def test_the_box_shows_every_view_in_its_language() -> None:
    views: list[View] = []
    words: list[str] = []

    def watch(at: Instant, thing: Happening) -> None:
        if isinstance(thing, View):
            views.append(thing)
            words.append(line(at, thing).partition("screen ")[2])

    board = SimBoard(VirtualClock(), watch)
    app = App(board, Ledger(Store.in_memory(), AN_EDITION), language=Language.FRENCH)
    for key in (Key.FIVE, Key.COMMA):
        board.keypad.press(key)
        board.keypad.let_go(key)
        app.turn()
    board.horizon = Instant(120 * SECOND)
    while not app.box.asleep:
        app.turn()
    assert {view.language for view in views} == {Language.FRENCH}
    assert [view.said for view in views] == ["", "PAS DE CARTE", "VOLUME 3", "", ""]
    assert words == ["-----", "----- | NO CARD", "----- | VOLUME 3", "-----", "dark"]


def test_a_box_that_nobody_told_speaks_english() -> None:
    board = SimBoard(VirtualClock())
    App(board, Ledger(Store.in_memory(), AN_EDITION))
    assert board.screen.view
    assert board.screen.view.language is Language.ENGLISH


# The settings


@pytest.mark.parametrize(
    ("words", "settings", "wanted"),
    [
        ([], Config(), Language.ENGLISH),
        ([], Config(language=Language.FRENCH), Language.FRENCH),
        (["--language", "fr"], Config(), Language.FRENCH),
        (["--language", "fr"], Config(language=Language.ENGLISH), Language.FRENCH),
        (["--language", "en"], Config(language=Language.FRENCH), Language.ENGLISH),
    ],
)
def test_the_command_line_comes_before_the_config_file_and_that_before_english(
    words: list[str], settings: Config, wanted: Language
) -> None:
    for owner in (Owner.BOX, Owner.SIMULATOR):
        parser = argparse.ArgumentParser()
        bank.add_options(parser, owner)
        assert bank.wanted_language(parser.parse_args(words), settings) is wanted


def test_a_language_that_the_box_does_not_speak(capsys: pytest.CaptureFixture[str]) -> None:
    parser = argparse.ArgumentParser()
    bank.add_options(parser, Owner.BOX)
    with pytest.raises(SystemExit):
        parser.parse_args(["--language", "de"])
    assert "argument --language: invalid choice: 'de'" in capsys.readouterr().err


def test_the_page_of_the_screens_has_the_words_in_both_languages() -> None:
    page = (Path(__file__).parents[2] / "docs" / "screens.md").read_text(encoding="utf-8")
    _english, _heading, section = page.partition("## In French")
    rows = re.findall(r"^\| !\[(.+)\]\(.+\) \| (`.+`) \|$", section, re.MULTILINE)
    for text in set(Text) - {Text.WHOLE_AMOUNT}:
        words = FRENCH[text.value]
        assert any(words in french and text.value in english for french, english in rows), text
