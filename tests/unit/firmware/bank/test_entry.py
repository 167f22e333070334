import pytest

from firmware.entry import Entry, Typed
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
def test_what_the_big_field_shows(keys: str, shown: str) -> None:
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


@pytest.mark.parametrize(
    ("keys", "unit", "mantissa", "scale"),
    [
        ("15", 1_000_000, 15_000_000, 1),
        ("1,5", 1_000_000, 15_000_000, 10),
        (",5", 1_000, 5_000, 10),
        ("0,12345", 1, 12_345, 100_000),
        ("12,", 1_000, 12_000, 1),
        ("0,", 1_000, 0, 1),
    ],
)
def test_worth(keys: str, unit: int, mantissa: int, scale: int) -> None:
    assert typed(keys).worth(unit) == Typed(mantissa, scale)


def test_limits_are_compared_exactly() -> None:
    half = Typed(5, 10)
    assert half.below(1)
    assert not Typed(10, 10).below(1)
    assert not Typed(10, 10).above(1)
    assert Typed(11, 10).above(1)
    assert Typed(9, 10).below(1)


def test_multiples_of_a_step() -> None:
    assert Typed(12_000, 10).whole_multiple_of(100)
    assert Typed(12_000, 10).whole_multiple_of(1_200)
    assert not Typed(12_005, 10).whole_multiple_of(100)
    assert not Typed(15, 10).whole_multiple_of(1)
    assert Typed(12_000, 10).amount == 1_200


def test_only_digits_and_the_comma_belong_in_an_entry() -> None:
    with pytest.raises(AssertionError):
        Entry().type(Key.GO)
