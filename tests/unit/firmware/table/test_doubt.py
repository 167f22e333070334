"""Writes with an uncertain outcome: the ledger is reopened to find what is on disk (D27)."""

import random
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import pytest

from firmware.bank import edition as editions
from firmware.bank.ledger import Ledger
from firmware.bank.records import JournalFailed, Kind
from firmware.storage.audit import audit
from firmware.storage.ledger_file import opened_by_box, reading
from firmware.storage.opening import DiskLocation
from firmware.storage.store import Store
from firmware.table.box import Box
from hal.display.sounds import Sound
from hal.events import SECOND, CardIn, Instant, Key, KeyDown, KeyUp, Slot
from sim.board.stock import STOCK, players
from tests.campaign.disk.card import DiskFault, SdCard

BANKING = editions.load("banking")
OPENING = 15_000_000


class Table(NamedTuple):
    """A box with card 1 in the left slot, on a card that can fail."""

    card: SdCard
    path: Path
    store: Store
    ledger: Ledger
    box: Box

    def press(self, keys: str, at: int = 0) -> list[Sound]:
        now = Instant(at)
        sounds: list[Sound] = []
        for key in keys:
            sounds += self.box.handle(KeyDown(now, Key(key)))
            sounds += self.box.handle(KeyUp(now, Key(key)))
        return sounds

    @property
    def shown(self) -> tuple[str, str]:
        return self.box.view.field, str(self.box.view.message or "")

    def on_disk(self, card: int) -> int:
        """Read by another program."""
        with reading(self.path) as connection:
            return Ledger(Store(connection), BANKING).balance(card)

    def faults(self) -> list[str]:
        with reading(self.path) as connection:
            return [fault for finding in audit(connection) for fault in finding.faults]


@pytest.fixture(params=range(4))
def seed(request: pytest.FixtureRequest) -> int:
    """Decides what a failed sync has written."""
    return int(request.param)


@pytest.fixture(params=[True, False], ids=["log", "journal"])
def table(tmp_path: Path, seed: int, request: pytest.FixtureRequest) -> Iterator[Table]:
    """In both of SQLite's journal modes."""
    rng = random.Random(seed)
    path = tmp_path / "ledger.db"
    with SdCard(tmp_path, rng, shares_memory=request.param) as card, opened_by_box(path) as store:
        ledger = Ledger(store, BANKING)
        ledger.know(players(BANKING))
        box = Box(ledger, Instant(0))
        box.handle(CardIn(Instant(0), Slot.LEFT, STOCK[0]))
        yield Table(card, path, store, ledger, box)
        card.fail(None)


def test_single_failed_sync_is_resolved_at_once(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The answer always matches the disk."""
    table.press("1")
    table.card.fail(DiskFault.SYNC)
    opened = DiskLocation.open

    def repaired(location: DiskLocation) -> sqlite3.Connection:
        table.card.fail(None)
        return opened(location)

    monkeypatch.setattr(DiskLocation, "open", repaired)
    sounds = table.press("M")
    moved = table.on_disk(1) - OPENING
    assert (sounds[-1], moved) in ((Sound.OK, 1_000_000), (Sound.ERROR, 0))
    assert not table.ledger.in_doubt
    assert table.ledger.balance(1) == OPENING + moved
    assert table.faults() == []


def test_no_balance_shows_while_in_doubt(table: Table) -> None:
    table.card.fail(DiskFault.SYNC)
    table.press("1M")
    if not table.ledger.in_doubt:
        # The rollback journal has restored the file: the move is certainly not on disk.
        assert table.shown == ("15M", "ERROR")
        return
    assert table.shown == ("-----", "LEDGER ERROR")
    assert table.press("5M", at=SECOND) == [Sound.ERROR, Sound.ERROR]
    assert table.press("C", at=SECOND) == [Sound.ERROR]
    assert table.shown == ("-----", "LEDGER ERROR")


def test_recovery_is_retried(table: Table) -> None:
    """With the next event, or after ten seconds; then the balance on disk shows."""
    table.card.fail(DiskFault.SYNC)
    table.press("1M")
    table.card.fail(None)
    table.box.advance(Instant(9 * SECOND))
    in_doubt = table.ledger.in_doubt
    assert table.shown[1] == ("LEDGER ERROR" if in_doubt else "ERROR")
    table.box.advance(Instant(10 * SECOND))
    assert not table.ledger.in_doubt
    balance = table.on_disk(1)
    assert table.ledger.balance(1) == balance
    # Without a doubt, ERROR was the message of a refusal, which stays (G2).
    assert table.shown == (BANKING.units.write(balance).text, "" if in_doubt else "ERROR")
    assert table.press("2M", at=11 * SECOND)[-1] is Sound.OK
    assert table.on_disk(1) == balance + 2_000_000
    assert table.faults() == []


def test_full_disk_refuses_moves_until_it_has_space(table: Table) -> None:
    """Balances still show (D3)."""
    table.card.fail(DiskFault.FULL)
    # The space that the file has already may be enough for a move or two.
    sounds = [table.press("1M")[-1] for _ in range(6)]
    moves = sounds.count(Sound.OK)
    assert sounds[-3:] == [Sound.ERROR] * 3
    balance = OPENING + moves * 1_000_000
    assert table.shown == (BANKING.units.write(balance).text, "ERROR")
    assert table.on_disk(1) == balance
    table.card.fail(None)
    assert table.press("1M")[-1] is Sound.OK
    assert table.on_disk(1) == balance + 1_000_000
    assert table.faults() == []


def test_disk_that_is_writable_again_accepts_the_next_move(table: Table) -> None:
    table.card.fail(DiskFault.READ_ONLY)
    assert table.press("1M")[-1] is Sound.ERROR
    assert table.shown == ("15M", "ERROR")
    table.card.fail(None)
    assert table.press("1M")[-1] is Sound.OK
    assert table.on_disk(1) == OPENING + 1_000_000


def test_refused_move_never_comes_back(table: Table) -> None:
    """Also if another reader keeps SQLite's shared memory alive."""
    with reading(table.path) as reader:
        reader.execute("SELECT count(*) FROM posting").fetchall()
        table.card.fail(DiskFault.SYNC)
        table.press("1M")
        table.card.fail(None)
        table.box.advance(Instant(10 * SECOND))
        assert not table.ledger.in_doubt
        settled = table.ledger.balance(1)
    table.card.cut()
    table.store.close()
    table.card.restore()
    assert table.on_disk(1) == settled


READ_AND_CLOSE = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1])
print(connection.execute("SELECT count(*) FROM posting").fetchone()[0])
connection.close()
"""
"""The last program that closes a ledger checkpoints its log and deletes it."""


def test_recovered_copy_releases_no_lock(tmp_path: Path) -> None:
    """Otherwise another program would delete the log of the box, and the next moves with it."""
    path = tmp_path / "ledger.db"
    with opened_by_box(path) as store:
        Ledger(store, BANKING).know(players(BANKING))
        location = store._file._location
        assert location
        with closing(location.recovered_copy()) as copy:
            assert copy.execute("SELECT count(*) FROM posting").fetchone() == (6,)
        command = [sys.executable, "-c", READ_AND_CLOSE, str(path)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        assert done.stdout == "6\n"
        assert (tmp_path / "ledger.db-wal").exists()


def bring_into_doubt(table: Table) -> None:
    table.card.fail(DiskFault.SYNC)
    table.press("1M")
    assert table.ledger.in_doubt
    table.card.fail(None)


# Without a log the rollback journal restores the file, so there is no doubt.
with_a_log = pytest.mark.parametrize("table", [True], indirect=True, ids=["log"])


@with_a_log
def test_rest_of_an_amount_is_not_another_amount(table: Table) -> None:
    """The key that ends the doubt is refused, and so are the digits after it."""
    bring_into_doubt(table)
    assert table.press("15M", at=SECOND) == [Sound.ERROR] * 3
    assert table.shown[1] == "NOT DONE"
    balance = table.on_disk(1)
    assert balance in (OPENING, OPENING + 1_000_000)
    assert table.press("C", at=2 * SECOND) == [Sound.KEY]
    assert table.press("5M", at=2 * SECOND)[-1] is Sound.OK
    assert table.on_disk(1) == balance + 5_000_000


@with_a_log
def test_rest_of_an_amount_is_refused_if_a_key_up_ends_the_doubt(table: Table) -> None:
    bring_into_doubt(table)
    table.card.fail(DiskFault.SYNC)
    assert table.box.handle(KeyDown(Instant(SECOND), Key("1"))) == (Sound.ERROR,)
    table.card.fail(None)
    table.box.handle(KeyUp(Instant(SECOND), Key("1")))
    assert not table.ledger.in_doubt
    balance = table.on_disk(1)
    assert table.press("5M", at=SECOND) == [Sound.ERROR] * 2
    assert table.shown[1] == "NOT DONE"
    assert table.on_disk(1) == balance


@with_a_log
def test_nothing_is_written_while_in_doubt(table: Table) -> None:
    bring_into_doubt(table)
    with pytest.raises(JournalFailed):
        table.ledger.set_volume(1)
    assert table.ledger.refresh()
    table.ledger.set_volume(1)
    assert table.ledger.state.volume == 1


@with_a_log
def test_c_that_is_held_when_a_doubt_ends_does_nothing(table: Table) -> None:
    """Saving the played time failed while it was down."""
    table.press("F032M")
    table.box.handle(KeyDown(Instant(0), Key.CANCEL))
    table.box.advance(Instant(3 * SECOND))
    table.box.handle(KeyUp(Instant(3 * SECOND), Key.CANCEL))
    assert table.ledger.current.kind is Kind.CLOCK
    table.press("1M", at=61 * SECOND)
    table.box.handle(KeyDown(Instant(63 * SECOND - 1), Key.CANCEL))
    table.card.fail(DiskFault.SYNC)
    table.box.advance(Instant(63 * SECOND))
    assert table.ledger.in_doubt
    table.card.fail(None)
    assert table.box.handle(KeyUp(Instant(63 * SECOND), Key.CANCEL)) == ()
    assert not table.ledger.in_doubt


@with_a_log
def test_c_that_is_pressed_in_doubt_starts_no_game(table: Table) -> None:
    bring_into_doubt(table)
    table.card.fail(DiskFault.SYNC)
    assert table.box.handle(KeyDown(Instant(SECOND), Key.CANCEL)) == (Sound.ERROR,)
    table.card.fail(None)
    table.box.advance(Instant(20 * SECOND))
    assert not table.ledger.in_doubt
    assert table.box.handle(KeyUp(Instant(20 * SECOND), Key.CANCEL)) == ()
    assert table.ledger.game == 1


@with_a_log
def test_a_refused_key_without_digits_to_follow_does_not_ask_for_an_acknowledgement(
    table: Table,
) -> None:
    bring_into_doubt(table)
    table.card.fail(DiskFault.SYNC)
    assert table.press("GMK", at=SECOND) == [Sound.ERROR] * 3
    table.card.fail(None)
    table.box.advance(Instant(20 * SECOND))
    assert not table.ledger.in_doubt
    assert table.shown[1] == ""
    assert table.press("5M", at=20 * SECOND) == [Sound.KEY, Sound.OK]


@with_a_log
@pytest.mark.parametrize("typed", ["1", "F", "F6", "F1", "F03"])
def test_a_doubt_interrupts_what_is_half_done(table: Table, typed: str) -> None:
    """A minute of a timed game cannot be written while something is half done."""
    table.box.handle(CardIn(Instant(0), Slot.RIGHT, STOCK[1]))
    table.press("F032M")
    table.box.handle(KeyDown(Instant(0), Key.CANCEL))
    table.box.advance(Instant(3 * SECOND))
    table.box.handle(KeyUp(Instant(3 * SECOND), Key.CANCEL))
    assert table.ledger.current.kind is Kind.CLOCK
    table.press(typed, at=62 * SECOND)
    table.card.fail(DiskFault.SYNC)
    assert table.box.advance(Instant(63 * SECOND)) == (Sound.ERROR,)
    assert table.shown == ("-----", "LEDGER ERROR")
    assert table.box.view.status == "1 MIN"
    table.card.fail(None)
    table.box.advance(Instant(80 * SECOND))
    assert not table.ledger.in_doubt
    assert table.shown == ("15M", "NOT DONE")
    assert table.press("7", at=80 * SECOND) == [Sound.ERROR]
    assert table.press("C", at=80 * SECOND) == [Sound.KEY]
    assert table.press("7", at=80 * SECOND) == [Sound.KEY]


@with_a_log
def test_the_count_opens_when_the_doubt_ends(table: Table) -> None:
    """Time is up while the ledger is in doubt (F22, D27)."""
    table.press("F031M")
    table.box.handle(KeyDown(Instant(0), Key.CANCEL))
    table.box.advance(Instant(3 * SECOND))
    table.box.handle(KeyUp(Instant(3 * SECOND), Key.CANCEL))
    table.press("G", at=4 * SECOND)
    table.card.fail(DiskFault.SYNC)
    table.press("1M", at=60 * SECOND)
    assert table.ledger.in_doubt
    assert table.box.advance(Instant(63 * SECOND)) == (Sound.ALARM,)
    table.card.fail(None)
    table.box.advance(Instant(80 * SECOND))
    assert not table.ledger.in_doubt
    assert table.ledger.current.counting
    assert table.shown[1] == "FINAL COUNT"
