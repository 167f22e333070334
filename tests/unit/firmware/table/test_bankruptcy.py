"""BANKRUPT holds M for a second (F5), and the last player has won (F25)."""

import pytest

from firmware.bank import edition as editions
from firmware.bank.records import Kind
from firmware.table.box import Box
from firmware.table.modes import Mode
from hal.display.sounds import Sound
from hal.events import MILLISECOND, SECOND, Slot
from tests.unit.firmware.table.test_box import BANKING, LEFT, RIGHT, SMALL, Table

HALF = SECOND // 2


@pytest.fixture
def table() -> Table:
    """Card 2 is about to lose everything to card 1; card 3 has moved money, too (F16)."""
    table = Table()
    table.insert(LEFT, 3)
    table.press("GC")
    table.remove(LEFT)
    table.insert(LEFT, 1)
    table.insert(RIGHT, 2)
    table.press("F1")
    return table


def assert_asked(table: Table) -> None:
    assert (table.field, table.message, table.status) == ("15M", "BANKRUPT? HOLD M", "2>1")
    assert table.ledger.balance(2) == 15_000_000


def test_m_held_for_exactly_a_second(table: Table) -> None:
    assert_asked(table)
    assert table.down("M") == (Sound.KEY,)
    assert table.box.deadline == table.now + SECOND
    assert table.wait(SECOND - MILLISECOND) == ()
    assert_asked(table)
    assert table.wait(MILLISECOND) == (Sound.OK,)
    assert (table.ledger.balance(1), table.ledger.balance(2)) == (30_000_000, 0)
    assert (table.message, table.status) == ("", "2>1 15M")
    assert table.wait(10 * SECOND) == ()
    assert table.up("M") == ()
    assert table.status == "2>1 15M"  # letting go is no key
    table.remove(RIGHT)
    assert table.insert(RIGHT, 2) == (Sound.ERROR,)
    assert table.message == "OUT"


def test_m_let_go_earlier(table: Table) -> None:
    for _ in range(3):
        assert table.hold("M", SECOND - MILLISECOND) == (Sound.KEY, Sound.ERROR)
        assert_asked(table)
    assert table.wait(10 * SECOND) == ()
    assert_asked(table)
    assert table.hold("M", SECOND) == (Sound.KEY, Sound.OK)


@pytest.mark.parametrize("key", "KG")
def test_another_key_lets_go_of_m_and_is_refused(table: Table, key: str) -> None:
    table.down("M")
    table.wait(HALF)
    assert table.down(key) == (Sound.ERROR, Sound.ERROR)
    assert table.wait(10 * SECOND) == ()
    assert table.up("M") == ()
    assert_asked(table)


@pytest.mark.parametrize("key", "5,")
def test_a_digit_lets_go_of_m_and_interrupts(table: Table, key: str) -> None:
    table.down("M")
    table.wait(HALF)
    assert table.down(key) == (Sound.ERROR, Sound.ERROR)
    assert table.wait(SECOND) == ()
    assert table.up("M") == ()
    assert table.message == "NOT DONE"
    assert table.ledger.balance(2) == 15_000_000


def test_c_lets_go_of_m_and_leaves(table: Table) -> None:
    table.down("M")
    table.wait(HALF)
    assert table.press("C") == (Sound.ERROR, Sound.KEY)
    assert table.wait(SECOND) == ()
    assert (table.up("M"), table.box.mode) == ((), Mode.READY)
    assert table.ledger.balance(2) == 15_000_000


def test_f_lets_go_of_m_and_opens_the_list(table: Table) -> None:
    table.down("M")
    assert table.down("F") == (Sound.ERROR, Sound.KEY)
    assert table.wait(SECOND) == ()
    assert table.box.view.menu


def test_a_key_that_was_down_before_m_changes_nothing(table: Table) -> None:
    assert table.down("K") == (Sound.ERROR,)
    assert table.down("M") == (Sound.KEY,)
    table.wait(HALF)
    assert table.up("K") == ()
    assert table.wait(HALF) == (Sound.OK,)


def test_m_must_be_pressed_in_this_question() -> None:
    table = Table()
    table.insert(RIGHT, 2)
    table.press("F")
    assert table.down("M") == (Sound.ERROR,)  # the list does not know it
    assert table.press("1") == (Sound.KEY,)
    assert table.wait(10 * SECOND) == ()
    assert table.up("M") == ()
    assert table.message == "BANKRUPT? HOLD M"
    assert table.hold("M", SECOND) == (Sound.KEY, Sound.OK)


@pytest.mark.parametrize("slot", [LEFT, RIGHT])
def test_an_interruption_ends_the_hold(table: Table, slot: Slot) -> None:
    table.down("M")
    table.wait(HALF)
    assert table.remove(slot) == (Sound.ERROR,)
    assert table.wait(SECOND) == ()
    assert table.up("M") == ()
    assert table.message == "NOT DONE"
    assert table.ledger.balance(2) == 15_000_000


def test_a_card_put_in_does_not_change_who_gets_the_money() -> None:
    table = Table()
    table.insert(LEFT, 3)
    table.remove(LEFT)
    table.insert(RIGHT, 2)
    table.press("F1")
    table.down("M")
    table.insert(LEFT, 1)
    assert table.status == "2>B"
    assert table.wait(SECOND) == (Sound.OK,)
    assert (table.ledger.balance(1), table.ledger.balance(2)) == (15_000_000, 0)
    assert table.status == "2>B 15M"


def test_a_player_without_money_goes_bankrupt() -> None:
    table = Table()
    table.insert(RIGHT, 2)
    table.press("15M")
    table.press("F1")
    assert (table.field, table.message) == ("0", "BANKRUPT? HOLD M")
    assert table.hold("M", SECOND) == (Sound.KEY, Sound.OK)
    assert table.ledger.current.out == {2}
    assert table.status == "2>B 0"


def test_a_payee_who_would_have_too_much_is_refused_when_the_second_is_over() -> None:
    table = Table(editions.parse("small", SMALL))
    table.insert(LEFT, 1)
    for _ in range(9):
        table.press("99999K")
    table.press("90000K")
    table.insert(RIGHT, 2)
    table.press("F1")
    assert table.down("M") == (Sound.KEY,)
    assert table.wait(SECOND) == (Sound.ERROR,)
    assert (table.message, table.box.mode) == ("FULL", Mode.READY)  # no interruption
    assert table.up("M") == ()
    assert not table.ledger.current.out
    assert table.press("C") == (Sound.KEY,)
    assert table.press("5") == (Sound.KEY,)


# The last player (F25)


def bankrupt(table: Table, number: int) -> Sound:
    """The right card loses everything; returns the last sound."""
    table.remove(RIGHT)
    table.insert(RIGHT, number)
    table.press("F1")
    return table.hold("M", SECOND)[-1]


@pytest.fixture
def two_left(table: Table) -> Table:
    """Cards 1 and 3 still play."""
    assert table.hold("M", SECOND) == (Sound.KEY, Sound.OK)
    return table


def test_the_last_player_has_won(two_left: Table) -> None:
    assert bankrupt(two_left, 3) is Sound.ALARM
    assert (two_left.message, two_left.status) == ("WINNER 1", "3>1 15M")
    assert not two_left.ledger.current.counting
    two_left.wait(59 * SECOND)
    assert two_left.message == "WINNER 1"  # until the next key or card
    assert two_left.press("M") == (Sound.ERROR,)
    assert two_left.message == "NO AMOUNT"


def test_a_card_ends_the_message(two_left: Table) -> None:
    bankrupt(two_left, 3)
    two_left.remove(LEFT)
    assert two_left.message == ""


def test_it_is_no_refusal_so_c_brings_the_player_back(two_left: Table) -> None:
    bankrupt(two_left, 3)
    assert two_left.press("C") == (Sound.UNDO,)
    assert (two_left.message, two_left.ledger.balance(3)) == ("", 15_000_000)
    two_left.press("F1")
    assert two_left.hold("M", SECOND) == (Sound.KEY, Sound.ALARM)
    assert two_left.message == "WINNER 1"


def test_the_winner_need_not_be_in(table: Table) -> None:
    """Cards 2 and 3 lose all to the bank. Card 1 has paid its salary back before."""
    table.press("C")
    table.remove(RIGHT)
    table.press("GC")
    table.remove(LEFT)
    assert bankrupt(table, 2) is Sound.OK
    assert bankrupt(table, 3) is Sound.ALARM
    assert table.message == "WINNER 1"


def test_a_card_that_was_only_put_in_does_not_play() -> None:
    """F16: of cards 1, 2 and 3 only the payee is left."""
    table = Table()
    table.insert(LEFT, 3)
    table.remove(LEFT)
    table.insert(LEFT, 1)
    table.insert(RIGHT, 2)
    table.press("F1")
    assert table.hold("M", SECOND) == (Sound.KEY, Sound.ALARM)
    assert table.message == "WINNER 1"


def test_a_player_who_is_alone_from_the_start_has_not_won() -> None:
    table = Table()
    table.insert(LEFT, 1)
    table.remove(LEFT)
    table.insert(RIGHT, 2)
    table.press("F1")
    assert table.hold("M", SECOND) == (Sound.KEY, Sound.OK)
    assert table.message == ""


def test_a_fast_game_ends_with_the_count_instead() -> None:
    table = Table()
    table.ledger.new_game(BANKING, kind=Kind.FAST)
    table.box = Box(table.ledger, table.now)
    table.insert(LEFT, 1)
    table.insert(RIGHT, 2)
    table.press("F1")
    assert table.hold("M", SECOND) == (Sound.KEY, Sound.ALARM)
    assert table.ledger.current.counting
    assert table.message == "FINAL COUNT"
