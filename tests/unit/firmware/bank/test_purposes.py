"""Every purpose has its texts in both languages."""

from string import Formatter

import pytest

from firmware.bank.purposes import Purpose
from hal.display.messages import Language, Text


@pytest.mark.parametrize("purpose", Purpose, ids=lambda purpose: purpose.name)
def test_the_sentences_of_the_page(purpose: Purpose) -> None:
    assert set(purpose.sentences) == {language.value for language in Language}
    fields = [
        {name for _, name, _, _ in Formatter().parse(sentence) if name}
        for sentence in purpose.sentences.values()
    ]
    assert fields[0] == fields[1]
    assert "amount" in fields[0] <= {"payer", "payee", "amount"}


@pytest.mark.parametrize("purpose", Purpose, ids=lambda purpose: purpose.name)
def test_an_english_sentence_has_the_amount_before_the_payee(purpose: Purpose) -> None:
    """Unless the payee is its subject: “Card 1 pays 1,1M to card 4”."""
    sentence = purpose.sentences["en"]
    if "{payee}" in sentence and not sentence.startswith("{payee}"):
        assert sentence.index("{amount}") < sentence.index("{payee}")


@pytest.mark.parametrize("purpose", Purpose, ids=lambda purpose: purpose.name)
def test_a_move_has_a_name_in_the_history_and_in_the_report(purpose: Purpose) -> None:
    assert purpose.is_move == bool(purpose.heading)
    assert not purpose.is_move or purpose.history in Text.__members__


def test_the_headings_of_the_report_differ() -> None:
    headings = [purpose.heading for purpose in Purpose if purpose.is_move]
    assert len(set(headings)) == len(headings)
