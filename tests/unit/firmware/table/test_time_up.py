"""Time is up while something is half done: the count waits for it (F22)."""

import pytest

from firmware.bank.ledger import Ledger
from firmware.bank.purposes import Purpose
from firmware.bank.records import Kind
from firmware.table.box import Box
from firmware.table.modes import Mode
from hal.display.sounds import Sound
from hal.events import MILLISECOND, SECOND
from tests.unit.firmware.table.test_box import BANKING, LEFT, RIGHT, Table

MINUTE = 60 * SECOND


@pytest.fixture
def table() -> Table:
    """Five seconds before the second game ends, after one minute; cards 1 and 2 are in."""
    table = Table()
    table.ledger.move(5, 6, 1_000_000, Purpose.ENTRY)
    table.ledger.new_game(BANKING, kind=Kind.CLOCK, minutes=1)
    table.box = Box(table.ledger, table.now)
    table.wait(MINUTE - 5 * SECOND)
    table.insert(LEFT, 1)
    table.insert(RIGHT, 2)
    return table


def time_up(table: Table, keys: str) -> None:
    """The time is over while something is half done."""
    table.press(keys)
    shown = table.box.view
    assert table.wait(5 * SECOND) == (Sound.ALARM,)
    after = table.box.view
    assert table.message == "TIME"
    assert (after.field, after.menu) == (shown.field, shown.menu)
    assert not table.ledger.current.counting


def test_nothing_half_done() -> None:
    table = Table()
    table.ledger.new_game(BANKING, kind=Kind.CLOCK, minutes=1)
    table.box = Box(table.ledger, table.now)
    assert table.wait(MINUTE) == (Sound.ALARM,)
    assert (table.message, table.status) == ("TIME", "COUNT")
    assert table.ledger.current.counting
    table.wait(2 * SECOND)
    assert table.message == "FINAL COUNT"


@pytest.mark.parametrize("keys", ["7", "F", "F2", "F2750K", "F03", "F9"])
def test_the_message_shows_for_two_seconds_and_what_is_half_done_stays(
    table: Table, keys: str
) -> None:
    table.press(keys)
    shown = table.box.view._replace(minutes_left=0)
    assert table.wait(5 * SECOND) == (Sound.ALARM,)
    table.wait(2 * SECOND - MILLISECOND)
    assert table.message == "TIME"
    table.wait(MILLISECOND)
    assert table.box.view == shown
    assert not table.ledger.current.counting


def test_an_entry_is_completed_and_then_the_count_opens(table: Table) -> None:
    time_up(table, "7")
    assert table.press("M") == (Sound.OK,)
    assert table.ledger.balance(1) == 22_000_000
    assert table.ledger.current.counting
    assert table.message == "FINAL COUNT"


def test_a_question_is_answered_and_then_the_count_opens(table: Table) -> None:
    time_up(table, "F2750K")
    assert table.press("M") == (Sound.OK,)
    assert table.ledger.balance(2) == 15_000_000 - 830_000
    assert table.ledger.current.counting


@pytest.mark.parametrize("keys", ["7", "F", "F2"])
def test_c_leaves_and_then_the_count_opens(table: Table, keys: str) -> None:
    time_up(table, keys)
    assert table.press("C") == (Sound.KEY,)
    assert (table.message, table.status) == ("FINAL COUNT", "COUNT")


def test_a_refused_unit_key_opens_the_count(table: Table) -> None:
    """The entry is cleared (G1), so nothing is half done."""
    time_up(table, "99")
    assert table.press("M") == (Sound.ERROR,)
    assert table.message == "MAX 20M"
    assert table.ledger.current.counting


def test_an_interruption_opens_the_count(table: Table) -> None:
    time_up(table, "7")
    assert table.remove(RIGHT) == (Sound.ERROR,)
    assert table.message == "NOT DONE"
    assert table.ledger.current.counting
    assert table.press("7") == (Sound.ERROR,)
    table.press("C")
    assert (table.message, table.status) == ("FINAL COUNT", "COUNT")


def test_a_list_closes_as_if_time_were_not_up(table: Table) -> None:
    """Fifteen seconds after its key (N3); it is an interruption."""
    time_up(table, "F")
    table.wait(10 * SECOND - MILLISECOND)
    assert table.box.view.menu
    assert table.wait(MILLISECOND) == ()
    assert table.message == "NOT DONE"
    assert table.ledger.current.counting


def test_the_box_stays_awake_for_a_minute_after_the_alarm(table: Table) -> None:
    time_up(table, "F2")
    table.wait(MINUTE - MILLISECOND)
    assert not table.box.asleep
    assert not table.ledger.current.counting
    table.wait(MILLISECOND)
    assert table.box.asleep
    assert table.ledger.current.counting  # sleep has interrupted the question


def test_the_time_is_up_in_one_thing_after_another(table: Table) -> None:
    """F opens its list over an entry: something is half done all the time."""
    time_up(table, "7")
    assert table.press("F") == (Sound.KEY,)
    assert table.press("5") == (Sound.KEY,)
    assert not table.ledger.current.counting
    assert table.press("M") == (Sound.OK,)
    assert table.ledger.current.counting


def test_m_that_is_being_held_goes_on(table: Table) -> None:
    table.wait(4 * SECOND + SECOND // 2)
    table.press("F1")
    table.down("M")
    assert table.wait(SECOND // 2) == (Sound.ALARM,)
    assert (table.message, table.ledger.balance(2)) == ("TIME", 15_000_000)
    assert table.wait(SECOND // 2) == (Sound.ALARM,)  # one player is left (F25)
    assert (table.message, table.ledger.balance(2)) == ("WINNER 1", 0)
    assert table.ledger.current.counting


def test_c_that_is_being_held_goes_on_to_a_new_game(table: Table) -> None:
    table.wait(3 * SECOND)
    table.press("7")
    table.down("C")
    assert table.wait(2 * SECOND) == (Sound.ALARM,)
    assert table.wait(SECOND) == (Sound.NEW_GAME,)
    assert not table.ledger.current.counting
    table.up("C")
    table.wait(10 * SECOND)
    assert not table.ledger.current.counting


def test_going_back_to_another_game_opens_no_count(table: Table) -> None:
    time_up(table, "F06")
    assert table.press("M") == (Sound.UNDO,)
    assert table.ledger.game == 1
    assert not table.ledger.current.counting


def test_choosing_the_next_game_opens_the_count(table: Table) -> None:
    time_up(table, "F0")
    assert table.press("2") == (Sound.KEY,)
    assert table.message == "NEXT GAME FAST"
    assert table.ledger.current.counting


def test_a_power_cut_meanwhile_repeats_the_last_minute(table: Table) -> None:
    time_up(table, "7")
    table.ledger = Ledger(table.store, BANKING)
    table.box = Box(table.ledger, table.now)
    assert table.status == "1 MIN"
    assert table.box.mode is Mode.NO_CARD
    assert table.wait(MINUTE) == (Sound.ALARM,)
    assert table.ledger.current.counting
