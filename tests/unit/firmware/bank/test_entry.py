"""What is typed: digits and a comma, their amount, and its limits."""

import pytest

from firmware.bank import edition as editions
from firmware.bank.entry import Entry, amount_of
from firmware.bank.money import Units
from firmware.bank.refusals import Refusal
from hal.events import Key


def typed(keys: str) -> Entry:
    entry = Entry()
    for letter in keys:
        entry = entry.type(Key(letter)) or entry
    return entry


@pytest.mark.parametrize(
    ("keys", "shown"),
    [
        ("1", "1"),
        ("1,5", "1,5"),
        (",", "0,"),
        (",5", "0,5"),
        ("0", "0"),
        ("00", "0"),
        ("07", "7"),
        ("0,", "0,"),
        ("0,12345", "0,12345"),
        (",12345", "0,12345"),
        ("12345,", "12345,"),
        ("10", "10"),
        ("100", "100"),
        ("1,0", "1,0"),
        (",0", "0,0"),
        ("0,0000", "0,0000"),
    ],
)
def test_the_big_field_shows_the_typed_keys(keys: str, shown: str) -> None:
    assert typed(keys).shown == shown


@pytest.mark.parametrize(
    ("keys", "refused"),
    [("12345", "6"), ("123,45", "6"), ("12345,", "6"), ("0,12345", "6"), (",12345", "6")],
)
def test_a_sixth_digit_is_refused(keys: str, refused: str) -> None:
    assert typed(keys).type(Key(refused)) is None


@pytest.mark.parametrize("keys", [",", "1,", "0,", "1,2", "12345,"])
def test_a_second_comma_is_refused(keys: str) -> None:
    assert typed(keys).type(Key.COMMA) is None


@pytest.mark.parametrize("keys", ["1234", "0,1234", ",1234", "123,4"])
def test_a_fifth_digit_is_accepted(keys: str) -> None:
    assert typed(keys).type(Key.FIVE) is not None


def test_blank_is_not_zero() -> None:
    assert typed("").is_blank
    assert typed(",").is_blank
    assert not typed("0").is_blank
    assert not typed("0,").is_blank
    assert not typed(",0").is_blank


def amount(keys: str, least: int = 0, most: int = 10**9, step: int = 1) -> int | Refusal:
    """The amount of an entry in currency units: key M means just the number typed."""
    plain = editions.load("banking")._replace(units=Units(1, 1_000))
    limited = plain._replace(entry_minimum=least, entry_maximum=most, step=step)
    return amount_of(typed(keys), Key.MILLIONS, limited)


@pytest.mark.parametrize(
    ("keys", "unit", "expected"),
    [
        ("15", Key.MILLIONS, 15_000_000),
        ("1,5", Key.MILLIONS, 1_500_000),
        (",5", Key.THOUSANDS, 500),
        ("12,", Key.THOUSANDS, 12_000),
        ("0,", Key.THOUSANDS, 0),
        ("0,12345", Key.MILLIONS, 123_450),
    ],
)
def test_the_amount_after_a_unit_key(keys: str, unit: Key, expected: int) -> None:
    banking = editions.load("banking")._replace(entry_minimum=0, step=1)
    assert amount_of(typed(keys), unit, banking) == expected


def test_a_blank_entry_has_no_amount() -> None:
    assert amount("") is amount(",") is Refusal.NO_AMOUNT


def test_limits_are_compared_exactly() -> None:
    assert amount("0,5", least=1) is Refusal.TOO_SMALL
    assert amount("1,0", least=1, most=1) == 1
    assert amount("1,1", most=1) is Refusal.TOO_LARGE
    assert amount("0,9", least=1) is Refusal.TOO_SMALL


def test_the_final_count_has_no_maximum() -> None:
    """F16: a whole estate can be typed at once; minimum and step are those of an entry."""
    banking = editions.load("banking")
    estate = typed("9000")
    assert amount_of(estate, Key.MILLIONS, banking) is Refusal.TOO_LARGE
    assert amount_of(estate, Key.MILLIONS, banking, limited=False) == 9_000_000_000
    assert amount_of(typed("9"), Key.THOUSANDS, banking, limited=False) is Refusal.TOO_SMALL
    assert amount_of(typed("1,2345"), Key.MILLIONS, banking, limited=False) is Refusal.NOT_A_STEP


def test_multiples_of_a_step() -> None:
    assert amount("1200,0", step=100) == 1_200
    assert amount("1200,0", step=1_200) == 1_200
    assert amount("1200,5", step=100) is Refusal.NOT_A_STEP
    assert amount("1,5") is Refusal.NOT_A_STEP
    assert amount("0,12345") is Refusal.NOT_A_STEP


def test_only_digits_and_the_comma_belong_in_an_entry() -> None:
    with pytest.raises(AssertionError):
        Entry().type(Key.GO)
