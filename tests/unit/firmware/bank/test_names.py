"""What may be the name of a card (N6, D48)."""

import pytest

from firmware.bank.names import LONGEST_NAME, is_name


@pytest.mark.parametrize(
    "name",
    [
        "A",
        "Ana",
        "ana",
        "ANA",
        "Zoé",
        "François",
        "Ana Maria",
        "Anne-Marie",
        "O'Neill",
        "D'Al-Bo Ri",
        "ÀÉÎÕÜß",
        "ÿ",
        "A" * LONGEST_NAME,
        "a b c d ef",
    ],
)
def test_names(name: str) -> None:
    assert is_name(name)


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        " Ana",
        "Ana ",
        "-Ana",
        "Ana-",
        "'Ana",
        "Ana'",
        "An  na",
        "An- na",
        "An--na",
        "An''na",
        "Ana2",
        "Ana.",
        "Ana_B",
        "A" * (LONGEST_NAME + 1),
        "Ana\n",
        "An\x1bna",
        "Ana\N{NO-BREAK SPACE}B",
        "An\N{RIGHT SINGLE QUOTATION MARK}na",
        "Łukasz",
        "Ÿvette",
        "Œuf",
        "Ана",
        "安娜",
        "E\N{COMBINING ACUTE ACCENT}va",
        "An×na",
        "An÷na",
        "Ana²",
        "Mª",
        "Anaº",
        "µ",
    ],
)
def test_texts_that_are_no_names(text: str) -> None:
    assert not is_name(text)
