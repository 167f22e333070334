"""The amounts of the legibility benchmark, and a short run of it."""

import shutil

import pytest

from hal.display.messages import Text
from tests.bench import legibility

OTHER_SEED = 7


def test_amounts_are_of_all_lengths_and_as_the_box_writes_them() -> None:
    amounts = legibility.random_amounts(legibility.AMOUNTS, legibility.SEED)
    assert len(amounts) == legibility.AMOUNTS
    assert {sum(letter.isdigit() for letter in amount) for amount in amounts} >= {1, 2, 3, 4, 5}
    assert {amount[-1] for amount in amounts} >= {"M", "K"}
    for amount in amounts:
        whole, comma, rest = amount.rstrip("MK").partition(",")
        assert whole == str(int(whole))
        assert not comma or rest.rstrip("0") == rest != ""


def test_every_english_text_is_read() -> None:
    said = {word for message in legibility.messages() for word in (message.text, message.ask)}
    assert said >= set(Text) - {Text.WHOLE_AMOUNT, Text.NAME}


# `make test` installs it; in CI a skip is a failure.
@pytest.mark.skipif(not shutil.which("tesseract"), reason="tesseract-ocr is not installed")
def test_amounts_can_be_read_blurred_and_at_half_size() -> None:
    amounts = legibility.random_amounts(40, OTHER_SEED)
    pictures = map(legibility.amount_picture, amounts)
    assert len(legibility.misread(amounts, pictures, legibility.IN_AMOUNTS)) <= 2


def test_without_tesseract_one_sentence_says_what_is_skipped(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(shutil, "which", lambda _name: None)
    legibility.main()
    assert capsys.readouterr().out == (
        "legibility: skipped, because tesseract is missing (apt-get install tesseract-ocr)\n\n"
    )
