"""Amounts: how the big field and the message line show them, and how scripts write them."""

import pytest

from firmware.bank.money import Units, spell_out

BANKING = Units(1_000_000, 1_000)
PLAIN = Units(1, 1_000)


@pytest.mark.parametrize(
    ("amount", "text", "exact"),
    [
        (15_000_000, "15M", True),
        (14_980_000, "14,98M", True),
        (1_000_000, "1M", True),
        (999_000, "999K", True),
        (100_000, "100K", True),
        (10_000, "10K", True),
        (99_999_000, "99,999M", True),
        (0, "0", True),
        (123_456_000, "123,45M", False),
        (1_234_567, "1,2345M", False),
        (1_000_001, "1M", False),
        (10_000_100, "10M", False),
        (99_999_000_000, "99999M", True),
        (99_998_001_000, "99998M", False),
        (999_999, "999,99K", False),
        (1_500, "1,5K", True),
        (1_001, "1,001K", True),
        (100, "0,1K", True),
        (1, "0,001K", True),
    ],
)
def test_five_digits_of_the_largest_unit(amount: int, text: str, exact: bool) -> None:
    assert BANKING.write(amount) == (text, exact)


@pytest.mark.parametrize(
    ("amount", "text", "exact"),
    [
        (0, "0", True),
        (1, "1", True),
        (1_500, "1500", True),
        (99_999, "99999", True),
        (100_000, "100K", True),
        (100_456, "100,45K", False),
        (123_400, "123,4K", True),
        (99_999_000, "99999K", True),
    ],
)
def test_a_plain_edition_needs_no_letter_up_to_five_digits(
    amount: int, text: str, exact: bool
) -> None:
    assert PLAIN.write(amount) == (text, exact)


def test_the_zero_in_front_of_a_comma_is_no_digit() -> None:
    assert Units(10**9, 10**6).write(123_450) == ("0,12345K", True)
    assert Units(10**9, 10**6).write(123_456) == ("0,12345K", False)


def test_more_than_five_digits_of_the_largest_unit() -> None:
    """No card can hold that much, but all players together can, and the bank owes it."""
    assert BANKING.write(599_994_500_000) == ("599994M", False)


def test_only_key_m_worth_one_makes_an_edition_plain() -> None:
    assert PLAIN.plain
    assert not BANKING.plain
    assert PLAIN.fullest == 99_999 * 1_000
    assert BANKING.fullest == 99_999 * 1_000_000


@pytest.mark.parametrize(
    ("text", "amount"),
    [
        ("15M", 15_000_000),
        ("155,456M", 155_456_000),
        ("155456K", 155_456_000),
        ("155456000", 155_456_000),
        (",5M", 500_000),
        ("0", 0),
        ("0,000001M", 1),
        ("123456789012345678901", 123456789012345678901),
    ],
)
def test_a_script_writes_exact_amounts(text: str, amount: int) -> None:
    assert BANKING.read(text) == amount


def test_letters_mean_what_the_keys_mean() -> None:
    assert PLAIN.read("1500M") == 1_500
    assert PLAIN.read("1,5K") == 1_500


@pytest.mark.parametrize(
    "text", ["", "M", ",", "1,", "1,M", "1M5", "1.5M", "-1M", "1,2,3M", "x", "١"]
)
def test_invalid_amounts_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is not an amount"):
        BANKING.read(text)


def test_amounts_beyond_all_balances() -> None:
    assert BANKING.read("9" * 1000) == int("9" * 1000)
    with pytest.raises(ValueError, match="an amount of 5000 digits is larger than any balance"):
        BANKING.read("9" * 5000 + "M")


@pytest.mark.parametrize("text", ["0,5", "1,0005K"])
def test_parts_of_a_currency_unit_do_not_exist(text: str) -> None:
    with pytest.raises(ValueError, match="not a whole number of currency units"):
        BANKING.read(text)


def test_a_third_unit_is_refused() -> None:
    with pytest.raises(ValueError, match="there is no unit 'G'"):
        BANKING.of("G")


def test_every_digit_in_groups_of_three() -> None:
    assert spell_out(0) == "0"
    assert spell_out(999) == "999"
    assert spell_out(123_456_000) == "123 456 000"
