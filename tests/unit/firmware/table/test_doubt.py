"""Writes whose outcome nobody knows: the ledger is opened anew, and says what is on disk (D27)."""

import random
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import pytest

from firmware import edition as editions
from firmware.audit import audit
from firmware.box import Box
from firmware.ledger import Ledger
from firmware.ledger_file import held_by_box, reading
from firmware.on_disk import OnDisk
from firmware.records import JournalFailed, Kind
from firmware.store import Store
from hal.events import SECOND, CardIn, Instant, Key, KeyDown, KeyUp, Slot
from hal.sounds import Sound
from sim.disk.card import DiskFault, SdCard
from sim.stock import STOCK, players

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
        """Read by somebody else."""
        with reading(self.path) as connection:
            return Ledger(Store(connection), BANKING).balance(card)

    def faults(self) -> list[str]:
        with reading(self.path) as connection:
            return [fault for finding in audit(connection) for fault in finding.faults]


@pytest.fixture(params=range(4))
def seed(request: pytest.FixtureRequest) -> int:
    """For the dice that say what a sync that failed has done."""
    return int(request.param)


@pytest.fixture(params=[True, False], ids=["log", "journal"])
def table(tmp_path: Path, seed: int, request: pytest.FixtureRequest) -> Iterator[Table]:
    """In both of the ways in which SQLite commits."""
    dice = random.Random(seed)
    path = tmp_path / "ledger.db"
    with SdCard(tmp_path, dice, shares_memory=request.param) as card, held_by_box(path) as store:
        ledger = Ledger(store, BANKING)
        ledger.know(players(BANKING))
        box = Box(ledger, Instant(0))
        box.handle(CardIn(Instant(0), Slot.LEFT, STOCK[0]))
        yield Table(card, path, store, ledger, box)
        card.fail(None)


def test_a_sync_that_fails_once_is_settled_at_once(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever the answer is, it is what is on disk."""
    table.press("1")
    table.card.fail(DiskFault.SYNC)
    opened = OnDisk.open

    def mended(place: OnDisk) -> sqlite3.Connection:
        table.card.fail(None)
        return opened(place)

    monkeypatch.setattr(OnDisk, "open", mended)
    sounds = table.press("M")
    moved = table.on_disk(1) - OPENING
    assert (sounds[-1], moved) in ((Sound.OK, 1_000_000), (Sound.ERROR, 0))
    assert not table.ledger.in_doubt
    assert table.ledger.balance(1) == OPENING + moved
    assert table.faults() == []


def test_while_nobody_knows_no_balance_shows(table: Table) -> None:
    table.card.fail(DiskFault.SYNC)
    table.press("1M")
    if not table.ledger.in_doubt:
        # The journal has put back what was there: the move is certainly not on disk.
        assert table.shown == ("15M", "ERROR")
        return
    assert table.shown == ("-----", "LEDGER ERROR")
    assert table.press("5M", at=SECOND) == [Sound.ERROR, Sound.ERROR]
    assert table.press("C", at=SECOND) == [Sound.ERROR]
    assert table.shown == ("-----", "LEDGER ERROR")


def test_the_ledger_is_asked_again(table: Table) -> None:
    """With the next event, or after ten seconds; then what is on disk shows."""
    table.card.fail(DiskFault.SYNC)
    table.press("1M")
    table.card.fail(None)
    table.box.advance(Instant(9 * SECOND))
    in_doubt = table.ledger.in_doubt
    assert table.shown[1] == ("LEDGER ERROR" if in_doubt else "")
    table.box.advance(Instant(10 * SECOND))
    assert not table.ledger.in_doubt
    balance = table.on_disk(1)
    assert table.ledger.balance(1) == balance
    assert table.shown == (BANKING.units.write(balance).text, "")
    assert table.press("2M", at=11 * SECOND)[-1] is Sound.OK
    assert table.on_disk(1) == balance + 2_000_000
    assert table.faults() == []


def test_a_full_disk_refuses_and_the_next_move_works(table: Table) -> None:
    """Whoever wants to see a balance still does (D3)."""
    table.card.fail(DiskFault.FULL)
    # What is left of the room that the file has already may do for a move or two.
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


def test_a_disk_that_was_read_only_takes_the_next_move(table: Table) -> None:
    table.card.fail(DiskFault.READ_ONLY)
    assert table.press("1M")[-1] is Sound.ERROR
    assert table.shown == ("15M", "ERROR")
    table.card.fail(None)
    assert table.press("1M")[-1] is Sound.OK
    assert table.on_disk(1) == OPENING + 1_000_000


def test_what_was_refused_never_comes_back(table: Table) -> None:
    """Also with somebody beside us who keeps SQLite's memory of the log alive."""
    with reading(table.path) as onlooker:
        onlooker.execute("SELECT count(*) FROM posting").fetchall()
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


BESIDE = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1])
print(connection.execute("SELECT count(*) FROM posting").fetchone()[0])
connection.close()
"""
"""Whoever closes a ledger as the last one carries its log over, and deletes it."""


def test_looking_for_a_move_lets_go_of_no_lock(tmp_path: Path) -> None:
    """Else another program would delete the log under the box, and the next moves with it."""
    path = tmp_path / "ledger.db"
    with held_by_box(path) as store:
        Ledger(store, BANKING).know(players(BANKING))
        place = store._file._place
        assert place
        with closing(place.as_at_the_next_start()) as copy:
            assert copy.execute("SELECT count(*) FROM posting").fetchone() == (6,)
        beside = [sys.executable, "-c", BESIDE, str(path)]
        done = subprocess.run(beside, capture_output=True, text=True, check=True)
        assert done.stdout == "6\n"
        assert (tmp_path / "ledger.db-wal").exists()


def in_doubt(table: Table) -> None:
    """A sync of the log fails, and goes on failing."""
    table.card.fail(DiskFault.SYNC)
    table.press("1M")
    assert table.ledger.in_doubt
    table.card.fail(None)


# Without a log the journal puts back what was there, and nobody is in doubt.
with_a_log = pytest.mark.parametrize("table", [True], indirect=True, ids=["log"])


@with_a_log
def test_the_rest_of_an_amount_is_not_another_amount(table: Table) -> None:
    """The key with which the doubt ends is refused, and so are the digits after it."""
    in_doubt(table)
    assert table.press("15M", at=SECOND) == [Sound.ERROR] * 3
    assert table.shown[1] == "NO AMOUNT"
    balance = table.on_disk(1)
    assert balance in (OPENING, OPENING + 1_000_000)
    assert table.press("5M", at=2 * SECOND)[-1] is Sound.OK
    assert table.on_disk(1) == balance + 5_000_000


@with_a_log
def test_nor_if_the_doubt_ends_when_a_digit_is_let_go(table: Table) -> None:
    in_doubt(table)
    table.card.fail(DiskFault.SYNC)
    assert table.box.handle(KeyDown(Instant(SECOND), Key("1"))) == (Sound.ERROR,)
    table.card.fail(None)
    table.box.handle(KeyUp(Instant(SECOND), Key("1")))
    assert not table.ledger.in_doubt
    balance = table.on_disk(1)
    assert table.press("5M", at=SECOND) == [Sound.ERROR] * 2
    assert table.shown[1] == "NO AMOUNT"
    assert table.on_disk(1) == balance


@with_a_log
def test_nothing_is_written_before_it_is_known_what_there_is(table: Table) -> None:
    in_doubt(table)
    with pytest.raises(JournalFailed):
        table.ledger.set_volume(1)
    assert table.ledger.refresh()
    table.ledger.set_volume(1)
    assert table.ledger.volume == 1


@with_a_log
def test_c_that_is_held_when_a_doubt_ends_does_nothing(table: Table) -> None:
    """The end of a minute could not be kept while it was down."""
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
def test_c_that_is_pressed_in_a_doubt_starts_no_game(table: Table) -> None:
    in_doubt(table)
    table.card.fail(DiskFault.SYNC)
    assert table.box.handle(KeyDown(Instant(SECOND), Key.CANCEL)) == (Sound.ERROR,)
    table.card.fail(None)
    table.box.advance(Instant(20 * SECOND))
    assert not table.ledger.in_doubt
    assert table.box.handle(KeyUp(Instant(20 * SECOND), Key.CANCEL)) == ()
    assert table.ledger.game == 1
