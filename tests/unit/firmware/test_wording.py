"""The words of the commands for accounts, amounts and dates."""

from firmware import wording
from firmware.bank import edition as editions
from firmware.bank.records import BANK, POT, Kind

BANKING = editions.load("banking")


def test_accounts() -> None:
    assert [wording.account_name(number) for number in (BANK, 3, POT)] == ["bank", "card 3", "pot"]


def test_an_amount_that_five_digits_do_not_show_ends_with_an_ellipsis() -> None:
    assert wording.written(BANKING, 18_500_000) == "18,5M"
    assert wording.written(BANKING, -92_000_000) == "-92M"
    assert wording.written(BANKING, 123_456_000) == "123,45M…"


def test_a_date_that_no_calendar_has() -> None:
    """The row of a ledger can have any number."""
    assert wording.when(2**62) == "?"


def test_a_game_against_the_clock_names_its_minutes() -> None:
    assert wording.kind_name(Kind.CLOCK, 90) == "clock 90 min"
    assert wording.kind_name(Kind.FAST, 0) == "fast"


def test_one_is_singular() -> None:
    assert (wording.plural(1, "card"), wording.plural(2, "card")) == ("1 card", "2 cards")
    assert wording.plural(0, "move") == "0 moves"


def test_the_columns_of_a_table_are_aligned() -> None:
    assert list(wording.table(("card", "balance"), [("1", "15M"), ("12345", "")])) == [
        "card   balance",
        "1      15M",
        "12345",
    ]
