"""The F key in cases that scripts cannot express: a failing disk, a lost reader."""

from pathlib import Path

import pytest

from firmware.bank import edition as editions
from firmware.bank.ledger import Ledger
from firmware.bank.purposes import Purpose
from firmware.bank.records import Kind, Record
from firmware.storage.ledger_file import opened_by_box, shared_for_changes
from firmware.table.box import Box
from firmware.table.modes import Mode
from hal.display.sounds import Sound
from hal.events import MILLISECOND, SECOND, PowerLow, ReaderBack, ReaderLost
from tests.unit.firmware.table.test_box import BANKING, CARDS, LEFT, RIGHT, Table

MINUTE = 60 * SECOND


def break_disk(table: Table) -> None:
    table.store._connection.execute("PRAGMA query_only = ON")


def mend_disk(table: Table) -> None:
    table.store._connection.execute("PRAGMA query_only = OFF")
    table.wait(2 * SECOND)


@pytest.fixture
def busy() -> Table:
    """Two games, money moved in both, cards in both slots."""
    table = Table()
    table.ledger.move(5, 6, 1_000_000, Purpose.ENTRY)
    table.ledger.new_game(BANKING)
    table.insert(LEFT, 1)
    table.insert(RIGHT, 2)
    table.press("2M")
    return table


def hold_the_last(table: Table, keys: str) -> Sound:
    """Press keys and hold the last one for a second; return the last sound."""
    table.press(keys[:-1])
    return table.hold(keys[-1], SECOND)[-1]


@pytest.mark.parametrize(
    "keys",
    [
        "F1M",  # M is held
        "F2750KM",
        "F3750KM",
        "F47KM",
        "F5M",
        "F61MM",
        "F7M",
        "F8MM",
        "F9M",
        "F02",
        "F0390M",
        "F042",
        "F053MM",
        "F06M",
    ],
)
def test_d3_a_failing_disk_refuses_every_entry(busy: Table, keys: str) -> None:
    before = busy.ledger.accounts, busy.ledger.cards, busy.ledger.game
    break_disk(busy)
    assert hold_the_last(busy, keys) is Sound.ERROR
    assert busy.message == "ERROR"
    assert busy.box.mode is Mode.READY  # what was open has closed, without an interruption
    assert (busy.ledger.accounts, busy.ledger.cards, busy.ledger.game) == before
    assert not busy.ledger.current.counting
    mend_disk(busy)
    assert busy.field == "13M"
    sound = hold_the_last(busy, keys)  # now it succeeds; with F1, one player is left (F25)
    assert sound in (Sound.OK, Sound.UNDO, Sound.KEY, Sound.ALARM)


def test_d3_a_failing_disk_in_the_final_count(busy: Table) -> None:
    busy.remove(RIGHT)
    busy.press("F9M")
    busy.press("3M")
    break_disk(busy)
    assert busy.press("1M") == (Sound.ERROR,)
    assert (busy.message, busy.field) == ("ERROR", "20M")
    busy.press("C")
    assert busy.press("C") == (Sound.ERROR,)
    assert (busy.message, busy.field) == ("ERROR", "20M")
    busy.remove(LEFT)
    assert busy.press("C") == (Sound.ERROR,)
    assert (busy.message, busy.ledger.current.counting) == ("ERROR", True)
    assert busy.insert(LEFT, 3) == (Sound.CARD,)  # it is counted when the disk can be written
    busy.wait(SECOND)
    assert (busy.message, busy.field) == ("FINAL COUNT", "15M")
    assert busy.press("C") == (Sound.ERROR,)
    assert busy.message == "NOTHING TO UNDO"
    mend_disk(busy)
    assert busy.press("1M") == (Sound.OK,)
    assert busy.ledger.current.worth(3) == 16_000_000
    assert busy.press("C") == (Sound.UNDO,)
    busy.remove(LEFT)
    assert busy.press("C") == (Sound.KEY,)
    assert not busy.ledger.current.counting


def test_d3_a_failing_disk_keeps_what_was_taken_back(busy: Table) -> None:
    """C5: neither C nor HISTORY makes the move again, and both can be tried later."""
    busy.press("F8MM")
    break_disk(busy)
    assert busy.press("C") == (Sound.ERROR,)
    assert (busy.message, busy.field) == ("ERROR", "15M")
    busy.press("C")
    busy.press("F8MM")
    assert (busy.message, busy.field) == ("ERROR", "15M")
    mend_disk(busy)
    assert busy.press("F8MM") == (Sound.OK,)
    assert busy.field == "13M"


def test_d3_a_failing_disk_restores_no_card(busy: Table) -> None:
    """F19: the C that was to restore it was a key."""
    assert busy.press("F052MM") == (Sound.UNDO,)
    break_disk(busy)
    assert busy.press("C") == (Sound.ERROR,)
    assert (busy.message, list(busy.ledger.cards)) == ("ERROR", [1, 3, 4, 5, 6])
    mend_disk(busy)
    busy.press("C")
    assert busy.press("C") == (Sound.ERROR,)
    assert busy.message == "NOTHING TO UNDO"


def test_d3_a_failing_disk_accepts_a_known_card(busy: Table) -> None:
    break_disk(busy)
    busy.remove(LEFT)
    assert busy.insert(LEFT, 4) == (Sound.CARD,)
    assert busy.field == "4"


def test_f22_time_is_up_on_a_failing_disk_too() -> None:
    table = Table()
    table.ledger.new_game(BANKING, kind=Kind.CLOCK, minutes=2)
    table.box = Box(table.ledger, table.now)
    table.wait(MINUTE)
    break_disk(table)
    assert table.wait(MINUTE) == (Sound.ALARM,)
    assert table.message == "TIME"
    assert table.box.view.minutes_left == 0


def test_f21_the_last_bankruptcy_and_the_count_are_one_transaction() -> None:
    table = Table()
    table.ledger.new_game(BANKING, kind=Kind.FAST)
    table.insert(RIGHT, 1)
    # The disk is full after one more row: there is space for the posting only.
    table.store._connection.execute(
        "CREATE TEMP TRIGGER full BEFORE INSERT ON event WHEN NEW.what = 'count opened' "
        "BEGIN SELECT RAISE(ABORT, 'database or disk is full'); END"
    )
    assert hold_the_last(table, "F1M") is Sound.ERROR
    assert table.message == "ERROR"
    assert table.ledger.balance(1) == 15_000_000
    assert not table.ledger.current.out


def test_f22_a_power_cut_at_the_end_repeats_the_last_minute_with_the_alarm() -> None:
    table = Table()
    table.ledger.new_game(BANKING, kind=Kind.CLOCK, minutes=1)
    table.box = Box(table.ledger, table.now)
    # The power is cut after the first write when the time is up.
    table.store._connection.execute(
        "CREATE TEMP TRIGGER cut BEFORE INSERT ON setting "
        "BEGIN SELECT RAISE(ABORT, 'there is no power'); END"
    )
    table.wait(MINUTE)
    table.store._connection.execute("DROP TRIGGER cut")
    table.ledger = Ledger(table.store, BANKING)
    table.box = Box(table.ledger, table.now)
    assert table.message == "FINAL COUNT"
    assert table.wait(MINUTE) == (Sound.ALARM,)


def test_d30_a_card_that_is_forgotten_meanwhile_closes_the_history(tmp_path: Path) -> None:
    """A move of a forgotten card must not be reversed to its number."""
    path = tmp_path / "ledger.db"
    with opened_by_box(path) as store:
        ledger = Ledger(store, BANKING)
        ledger.know([CARDS[1], CARDS[2]])
        table = Table()
        table.box = Box(ledger, table.now)
        table.insert(LEFT, 1)
        table.insert(RIGHT, 2)
        table.press("3M")
        table.remove(RIGHT)
        table.press("F8M")
        with shared_for_changes(path) as other:
            Ledger(other, BANKING).forget(2)
        assert table.press("M") == (Sound.ERROR,)
        assert ledger.accounts == {0: -18_000_000, 1: 18_000_000, 2: 0}
        table.press("F")
        assert table.box.view.menu is not None
        assert "HISTORY" not in table.box.view.menu.names


# The parts


def test_low_power_does_not_hide_the_message_of_an_entry(busy: Table) -> None:
    busy.box.handle(PowerLow(busy.now))
    assert busy.message == "LOW POWER"
    busy.press("F")
    assert busy.box.view.menu is not None
    assert busy.message == ""
    busy.press("5")
    assert busy.message == "FINE? M"
    busy.press("C")
    assert busy.message == "LOW POWER"


def test_n3_a_lost_reader_interrupts_a_question_that_needs_its_card(busy: Table) -> None:
    busy.press("F1")
    assert busy.box.handle(ReaderLost(busy.now, RIGHT)) == (Sound.ERROR,)
    assert busy.press("M") == (Sound.ERROR,)
    assert busy.message == "NOT DONE"
    assert busy.ledger.balance(2) == 13_000_000


def test_n3_the_deadline_is_when_the_list_closes() -> None:
    table = Table()
    table.press("F")
    assert table.box.deadline == table.now + 15 * SECOND


def test_n3_a_held_key_keeps_the_list_open() -> None:
    table = Table()
    table.press("F")
    table.down("K")
    table.wait(20 * SECOND)
    assert table.box.view.menu is not None
    table.up("K")
    table.wait(15 * SECOND - MILLISECOND)
    assert table.box.view.menu is not None
    table.wait(MILLISECOND)
    assert table.box.view.menu is None


def test_f22_asleep_only_the_minutes_of_a_timed_game_are_deadlines() -> None:
    table = Table()
    table.wait(60 * SECOND)
    assert table.box.asleep
    assert table.box.deadline is None
    table.ledger.new_game(BANKING, kind=Kind.CLOCK, minutes=3)
    table.box = Box(table.ledger, table.now)
    table.wait(60 * SECOND)
    assert table.box.asleep
    assert table.box.deadline == table.now + MINUTE
    table.wait(2 * MINUTE)
    assert not table.box.asleep


def test_f16_a_reader_that_fails_for_a_moment_keeps_the_worth() -> None:
    table = Table(known=1)
    table.insert(LEFT, 1)
    table.press("1MF9M")
    table.press("7M")
    assert table.box.handle(ReaderLost(table.now, LEFT)) == ()  # without the sound of a winner
    table.box.handle(ReaderBack(table.now, LEFT))
    table.insert(LEFT, 1)
    table.wait(SECOND)
    assert (table.field, table.message) == ("23M", "FINAL COUNT")
    table.remove(LEFT)
    table.insert(LEFT, 1)  # put in again: it continues, too
    table.wait(SECOND)
    assert table.field == "23M"


def test_d6_a_lost_reader_is_reported_during_the_final_count() -> None:
    table = Table()
    table.insert(LEFT, 1)
    table.insert(RIGHT, 2)
    table.press("1MF9M")
    table.box.handle(ReaderLost(table.now, RIGHT))
    assert table.message == "RIGHT READER"
    table.box.handle(ReaderLost(table.now, LEFT))
    assert table.message == "LEFT READER"
    table.box.handle(ReaderBack(table.now, LEFT))
    table.box.handle(ReaderBack(table.now, RIGHT))
    assert table.message == "STILL 2"


def test_f20_going_back_reads_nothing_after_its_write(
    busy: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    appended = busy.store.append

    def append_and_lose_the_disk(*records: Record) -> None:
        appended(*records)
        monkeypatch.setattr(busy.store, "replay", None)

    monkeypatch.setattr(busy.store, "append", append_and_lose_the_disk)
    assert busy.press("F06M") == (Sound.UNDO,)
    assert (busy.ledger.game, busy.ledger.balance(5)) == (1, 14_000_000)
    monkeypatch.undo()
    on_disk = Ledger(busy.store, BANKING)
    assert (on_disk.game, on_disk.accounts) == (1, busy.ledger.accounts)


def test_f21_the_bankruptcy_of_a_forgotten_card_still_counts() -> None:
    table = Table()
    table.ledger.new_game(BANKING, kind=Kind.FAST)
    for number in range(3, 7):
        table.insert(LEFT, number)
        table.press("G")
    table.insert(RIGHT, 1)
    assert hold_the_last(table, "F1M") is Sound.OK
    table.press("F051MM")
    table.insert(RIGHT, 2)
    assert hold_the_last(table, "F1M") is Sound.ALARM


def test_d30_a_card_forgotten_during_a_long_c_has_no_account_in_the_new_game(
    tmp_path: Path,
) -> None:
    path = tmp_path / "ledger.db"
    with opened_by_box(path) as store:
        ledger = Ledger(store, BANKING)
        ledger.know([CARDS[1], CARDS[2]])
        table = Table()
        table.box = Box(ledger, table.now)
        table.insert(RIGHT, 2)
        table.press("15M")
        table.down("C")
        with shared_for_changes(path) as other:
            Ledger(other, BANKING).forget(2)
        table.wait(3 * SECOND)
        assert ledger.accounts == {0: -15_000_000, 1: 15_000_000}


def test_f18_missing_edition_files_are_an_error(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    table = Table()
    gone = {name: str(tmp_path / f"{name}.toml") for name in editions.names()}
    monkeypatch.setattr(editions, "_files", lambda: gone)
    table.press("F04")
    assert table.box.view.menu
    assert table.press("1") == (Sound.ERROR,)
    assert table.press("C") == (Sound.KEY,)
    assert table.field == "-----"
