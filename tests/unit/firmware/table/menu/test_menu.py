"""What F does where no script can reach: a failing disk, a dying reader, figures of no edition."""

from pathlib import Path

import pytest

from firmware import edition as editions
from firmware import figures
from firmware.box import Box
from firmware.history import age_of
from firmware.ledger import Ledger
from firmware.ledger_file import held_by_box, shared_for_changes
from firmware.records import Kind, Record
from hal.events import MILLISECOND, SECOND, PowerLow, ReaderBack, ReaderLost
from hal.sounds import Sound
from tests.unit.test_box import BANKING, CARDS, LEFT, RIGHT, Table

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
    table.ledger.new_game(BANKING)
    table.insert(LEFT, 1)
    table.insert(RIGHT, 2)
    table.press("2M")
    return table


@pytest.mark.parametrize(
    "keys",
    [
        "F1M",
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
        "F053M",
        "F06M",
    ],
)
def test_a_failing_disk_refuses_it_and_nothing_has_changed(busy: Table, keys: str) -> None:
    before = busy.ledger.accounts, busy.ledger.cards, busy.ledger.game
    break_disk(busy)
    assert busy.press(keys) == (Sound.ERROR,)
    assert busy.message == "ERROR"
    assert (busy.ledger.accounts, busy.ledger.cards, busy.ledger.game) == before
    assert not busy.ledger.current.counting
    mend_disk(busy)
    assert busy.field == "13M"
    sound = busy.press(keys)  # and now it can be done
    assert sound in ((Sound.OK,), (Sound.UNDO,), (Sound.KEY,))


def test_a_failing_disk_in_the_final_count(busy: Table) -> None:
    busy.press("F9M")
    break_disk(busy)
    assert busy.press("1M") == (Sound.ERROR,)
    assert (busy.message, busy.field) == ("ERROR", "17M")
    busy.remove(LEFT)
    assert busy.insert(LEFT, 3) == (Sound.CARD,)  # counted as soon as it can be written
    busy.wait(SECOND)
    assert (busy.message, busy.field) == ("FINAL COUNT", "15M")
    assert busy.press("C") == (Sound.ERROR,)
    assert busy.message == "ERROR"
    mend_disk(busy)
    assert busy.press("1M") == (Sound.OK,)
    assert busy.ledger.current.worth(3) == 16_000_000
    assert busy.press("C") == (Sound.KEY,)
    assert not busy.ledger.current.counting


def test_a_failing_disk_lets_a_card_be_put_in(busy: Table) -> None:
    break_disk(busy)
    busy.remove(LEFT)
    assert busy.insert(LEFT, 4) == (Sound.CARD,)
    assert busy.field == "4"


def test_time_is_up_on_a_failing_disk_too() -> None:
    table = Table()
    table.ledger.new_game(BANKING, kind=Kind.CLOCK, minutes=2)
    table.box = Box(table.ledger, table.now)
    table.wait(MINUTE)
    break_disk(table)
    assert table.wait(MINUTE) == (Sound.ALARM,)
    assert table.message == "TIME"
    assert table.box.view.minutes_left == 0


def test_the_bankruptcy_that_ends_a_game_and_the_count_come_together() -> None:
    table = Table()
    table.ledger.new_game(BANKING, kind=Kind.FAST)
    table.insert(RIGHT, 1)
    # The disk is full after one more row: the money alone would still find room.
    table.store._connection.execute(
        "CREATE TEMP TRIGGER full BEFORE INSERT ON event WHEN NEW.what = 'count opened' "
        "BEGIN SELECT RAISE(ABORT, 'database or disk is full'); END"
    )
    assert table.press("F1M") == (Sound.ERROR,)
    assert table.message == "ERROR"
    assert table.ledger.balance(1) == 15_000_000
    assert not table.ledger.current.out


def test_a_power_cut_at_the_end_of_time_costs_the_last_minute_and_not_the_alarm() -> None:
    table = Table()
    table.ledger.new_game(BANKING, kind=Kind.CLOCK, minutes=1)
    table.box = Box(table.ledger, table.now)
    # The plug is pulled after the first thing that is written when the time is up.
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


def test_what_the_command_line_changes_ends_what_f_has_opened(tmp_path: Path) -> None:
    """A move of a card that has just been forgotten must not come back to its number."""
    path = tmp_path / "ledger.db"
    with held_by_box(path) as store:
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


def test_what_is_wrong_with_the_box_does_not_hide_what_f_says(busy: Table) -> None:
    busy.box.handle(PowerLow(busy.now))
    assert busy.message == "LOW POWER"
    busy.press("F")
    assert busy.box.view.menu is not None
    assert busy.message == ""
    busy.press("5")
    assert busy.message == "M = JAIL"
    busy.press("C")
    assert busy.message == "LOW POWER"


def test_a_reader_that_dies_takes_its_card_and_what_f_had_opened(busy: Table) -> None:
    busy.press("F1")
    busy.box.handle(ReaderLost(busy.now, RIGHT))
    assert busy.press("M") == (Sound.ERROR,)  # nothing typed, no longer all of card 2's money
    assert busy.message == "NO AMOUNT"
    assert busy.ledger.balance(2) == 13_000_000


def test_the_box_wants_to_be_told_when_f_is_left() -> None:
    table = Table()
    table.press("F")
    assert table.box.deadline == table.now + 15 * SECOND


def test_a_key_that_is_down_keeps_open_what_f_has_opened() -> None:
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


def test_a_sleeping_box_wants_to_be_told_of_every_minute_of_a_clock_game_and_of_nothing_else() -> (
    None
):
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


def test_a_reader_that_fails_for_a_moment_costs_nothing_that_was_counted() -> None:
    table = Table(known=1)
    table.insert(LEFT, 1)
    table.press("F9M")
    table.press("7M")
    assert table.box.handle(ReaderLost(table.now, LEFT)) == ()  # no winner is sounded
    table.box.handle(ReaderBack(table.now, LEFT))
    table.insert(LEFT, 1)
    table.wait(SECOND)
    assert (table.field, table.message) == ("22M", "FINAL COUNT")
    table.remove(LEFT)
    table.insert(LEFT, 1)  # by hand: from its balance
    table.wait(SECOND)
    assert table.field == "15M"


def test_a_dead_reader_is_told_during_the_whole_count() -> None:
    table = Table()
    table.insert(LEFT, 1)
    table.press("F9M")
    table.box.handle(ReaderLost(table.now, RIGHT))
    assert table.message == "RIGHT READER"


def test_going_back_writes_before_it_believes_and_needs_to_read_nothing_after(
    busy: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    appended = busy.store.append

    def append_and_lose_the_disk(*records: Record) -> None:
        appended(*records)
        monkeypatch.setattr(busy.store, "replay", None)

    monkeypatch.setattr(busy.store, "append", append_and_lose_the_disk)
    assert busy.press("F06M") == (Sound.UNDO,)
    assert (busy.ledger.game, busy.ledger.balance(2)) == (1, 15_000_000)
    monkeypatch.undo()
    on_disk = Ledger(busy.store, BANKING)
    assert (on_disk.game, on_disk.accounts) == (1, busy.ledger.accounts)


def test_the_bankruptcy_of_a_card_that_was_forgotten_still_counts() -> None:
    table = Table()
    table.ledger.new_game(BANKING, kind=Kind.FAST)
    for number in range(3, 7):
        table.insert(LEFT, number)
    table.insert(RIGHT, 1)
    assert table.press("F1M") == (Sound.OK,)
    table.press("F051M")
    table.insert(RIGHT, 2)
    assert table.press("F1M") == (Sound.ALARM,)


def test_a_card_forgotten_during_a_long_c_has_no_account_in_the_new_game(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    with held_by_box(path) as store:
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


# Figures


@pytest.mark.parametrize(
    ("name", "value", "lifting", "interest"),
    [
        ("banking", 750_000, 830_000, 80_000),
        ("banking", 1_000_000, 1_100_000, 100_000),
        ("banking", 1_000, 10_000, 10_000),
        ("europe", 75, 83, 8),
        ("europe", 110, 121, 11),
        ("disney", 1, 2, 1),
        ("france98", 7_500, 8_300, 800),
        ("france98", 11_000, 12_100, 1_100),
    ],
)
def test_mortgages(name: str, value: int, lifting: int, interest: int) -> None:
    edition = editions.load(name)
    assert figures.lifting(edition, value) == lifting
    assert figures.interest(edition, value) == interest


def test_the_bank_never_pays_more_than_half() -> None:
    assert [figures.half(price) for price in (100, 75, 1)] == [50, 37, 0]


@pytest.mark.parametrize(
    ("duration", "said"),
    [
        (0, "0S"),
        (59 * SECOND + 999 * MILLISECOND, "59S"),
        (MINUTE, "1MIN"),
        (60 * MINUTE - 1, "59MIN"),
        (60 * MINUTE, "1H"),
        (25 * 60 * MINUTE, "25H"),
    ],
)
def test_how_long_ago(duration: int, said: str) -> None:
    assert age_of(duration) == said


def test_an_update_takes_the_editions_away_from_a_running_box(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    table = Table()
    assert "europe" in editions.names()
    monkeypatch.setattr(editions, "FOLDER", str(tmp_path / "gone"))
    table.press("F04")
    assert table.box.view.menu
    assert table.press("1") == (Sound.ERROR,)
    assert table.press("C") == (Sound.KEY,)
    assert table.field == "-----"
