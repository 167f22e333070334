"""C takes back the newest thing, a move or a new number (C2, S10), and what shows after it."""

import pytest

from hal.display.sounds import Sound
from hal.events import SECOND
from tests.unit.firmware.table.test_box import LEFT, RIGHT, Table

NOTHING = ((Sound.ERROR,), "NOTHING TO UNDO")


def undo(table: Table) -> tuple[tuple[Sound, ...], str]:
    """Press C; clear the message of a refusal first."""
    if table.message:
        table.press("C")
    return table.press("C"), table.message


UNDONE = ((Sound.UNDO,), "")


def test_numbers_are_taken_back_the_newest_first() -> None:
    table = Table(known=0)
    table.insert(RIGHT, 1)
    table.insert(LEFT, 2)
    table.wait(2 * SECOND)
    assert undo(table) == UNDONE
    assert list(table.ledger.cards) == [1]
    assert undo(table) == UNDONE
    assert not table.ledger.cards
    assert undo(table) == NOTHING


def test_a_number_that_is_newer_than_a_move() -> None:
    table = Table(known=1)
    table.insert(LEFT, 1)
    table.press("1M")
    table.insert(RIGHT, 2)
    table.wait(2 * SECOND)
    assert undo(table) == UNDONE
    assert list(table.ledger.cards) == [1]
    assert table.ledger.balance(1) == 16_000_000
    assert table.status == "B>1"
    assert undo(table) == UNDONE
    assert table.ledger.balance(1) == 15_000_000
    assert undo(table) == NOTHING


def test_a_number_that_is_older_than_a_move_of_another_card() -> None:
    """Both cards are in when the bank pays one of them (F6)."""
    table = Table(known=1)
    table.insert(RIGHT, 2)
    table.insert(LEFT, 1)
    table.press("F62MM")
    assert table.ledger.balance(1) == 16_000_000
    assert undo(table) == UNDONE
    assert undo(table) == UNDONE
    assert list(table.ledger.cards) == [1]


def test_a_number_with_a_move_stays_even_if_the_move_is_taken_back() -> None:
    table = Table(known=0)
    table.insert(LEFT, 1)
    table.press("G")
    assert undo(table) == UNDONE
    assert undo(table) == NOTHING
    assert list(table.ledger.cards) == [1]


def test_nothing_older_is_reached_if_the_newest_card_has_left() -> None:
    table = Table(known=1)
    table.insert(LEFT, 1)
    table.press("1M")
    table.insert(RIGHT, 2)
    table.remove(RIGHT)
    assert undo(table) == NOTHING
    table.insert(RIGHT, 2)  # another visit
    assert undo(table) == NOTHING
    assert table.ledger.balance(1) == 16_000_000


def test_nothing_older_is_reached_if_a_card_of_the_newest_move_has_left() -> None:
    table = Table()
    table.insert(LEFT, 1)
    table.press("1M")
    table.insert(RIGHT, 2)
    table.press("2M")
    table.remove(RIGHT)
    assert undo(table) == NOTHING
    assert table.ledger.balance(1) == 18_000_000


def test_history_opens_the_way_to_what_is_older() -> None:
    table = Table()
    table.insert(LEFT, 1)
    table.press("1M")
    table.insert(RIGHT, 2)
    table.press("2M")
    table.remove(RIGHT)
    assert table.press("F8MM") == (Sound.UNDO,)
    assert table.ledger.balance(1) == 16_000_000
    table.press("K")  # C would make it again (C5)
    assert undo(table) == UNDONE
    assert table.ledger.balance(1) == 15_000_000


def test_a_new_game_leaves_nothing_to_take_back() -> None:
    table = Table(known=0)
    table.insert(LEFT, 1)
    table.hold("C", 3 * SECOND)
    table.wait(2 * SECOND)
    assert undo(table) == NOTHING
    assert list(table.ledger.cards) == [1]


# Which balance shows


@pytest.fixture
def table() -> Table:
    """Card 1 on the left has 15M, card 2 on the right has 14M."""
    table = Table()
    table.insert(RIGHT, 2)
    table.press("1M")
    table.insert(LEFT, 1)
    table.wait(SECOND)
    return table


def test_the_payers(table: Table) -> None:
    table.press("2M")
    table.wait(2 * SECOND)
    assert table.field == "17M"  # the payee's
    assert undo(table) == UNDONE
    assert (table.field, table.status) == ("14M", "UNDO 2M")


def test_the_payees_if_the_bank_paid(table: Table) -> None:
    table.press("F62MM")
    assert undo(table) == UNDONE
    assert (table.field, table.status) == ("15M", "UNDO 1M")
    table.wait(50 * SECOND)
    assert (table.field, table.status) == ("15M", "UNDO 1M")  # until the next key or card
    table.press("K")
    assert (table.field, table.status) == ("14M", "2>1")


def test_the_payees_if_the_payer_has_left(table: Table) -> None:
    """HISTORY takes back a move of card 3 to card 1; card 2 is on the right."""
    table.remove(RIGHT)
    table.insert(RIGHT, 3)
    table.press("5M")
    table.remove(RIGHT)
    table.insert(RIGHT, 2)
    assert table.press("F8MM") == (Sound.UNDO,)
    assert (table.field, table.status) == ("15M", "UNDO 5M")


def test_the_right_cards_if_no_card_of_the_move_is_in(table: Table) -> None:
    table.remove(RIGHT)
    table.insert(RIGHT, 3)
    table.press("5M")
    table.remove(RIGHT)
    table.remove(LEFT)
    table.insert(LEFT, 4)
    table.insert(RIGHT, 2)
    assert table.press("F8MM") == (Sound.UNDO,)
    assert (table.field, table.status) == ("14M", "UNDO 5M")


def test_no_card_is_in(table: Table) -> None:
    table.remove(RIGHT)
    table.remove(LEFT)
    assert table.press("F8MM") == (Sound.UNDO,)
    assert (table.field, table.status) == ("-----", "UNDO 1M")


def test_a_refused_undo_changes_no_status(table: Table) -> None:
    table.press("14M")
    table.press("F8M")
    table.remove(RIGHT)
    table.press("C")
    assert undo(table) == NOTHING
    assert table.status == "B>1"
