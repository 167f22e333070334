"""Ledger files on a card that damages pages, and copies of files that change."""

import random
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from itertools import count
from pathlib import Path

import pytest

from firmware.bank import edition as editions
from firmware.bank.ledger import Ledger
from firmware.bank.purposes import Purpose
from firmware.bank.records import BANK, POT, Posting
from firmware.storage import file_locks, opening
from firmware.storage.ledger_file import LedgerRefused, opened_by_box
from firmware.storage.opening import DiskLocation, private_copy
from firmware.storage.store import Store
from sim.board.stock import players
from tests.campaign.disk import structures
from tests.campaign.disk.card import SdCard
from tests.campaign.disk.surface import PAGE, Image, Lost, Spoilt
from tests.unit.firmware.storage.ledgers_on_disk import played_ledger

BANKING = editions.load("banking")


@pytest.fixture
def card(tmp_path: Path) -> Iterator[SdCard]:
    (tmp_path / "card").mkdir()
    with SdCard(tmp_path / "card", random.Random(0)) as card:
        yield card


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "card" / "ledger.db"


def move(ledger: Ledger) -> None:
    ledger.move(BANK, 1, 1_000_000, Purpose.ENTRY)


def damaged_by_a_move(card: SdCard, ledger: Ledger) -> Iterator[Image]:
    """The card after a power cut during a move, with each written page damaged in turn."""
    recording = card.record()
    move(ledger)
    for snapshot in recording.snapshots():
        written = snapshot.surface.last_write
        sectors = len(list(written.sectors())) if written else 0
        yield from (snapshot.surface.surviving(Spoilt(at, PAGE)) for at in range(sectors))


def write_image(folder: Path, image: Image) -> None:
    folder.mkdir()
    for name, content in image.items():
        (folder / name).write_bytes(content)


def balance_on(image: Image, folder: Path) -> int:
    write_image(folder, image)
    with opened_by_box(folder / "ledger.db") as store:
        return Ledger(store, BANKING).balance(1)


def test_move_does_not_rewrite_pages_of_the_previous_move(
    card: SdCard, path: Path, tmp_path: Path
) -> None:
    with opened_by_box(path) as store:
        ledger = Ledger(store, BANKING)
        ledger.know(players(BANKING))
        for moves in range(1, 4):
            move(ledger)
            images = list(damaged_by_a_move(card, ledger))
            found = {
                balance_on(image, tmp_path / f"{moves}-{number}")
                for number, image in enumerate(images)
            }
            assert len(images) > 16
            assert min(found) == ledger.balance(1) - 1_000_000


def test_move_after_a_power_cut_does_not_rewrite_pages_of_the_last_move(
    card: SdCard, path: Path, tmp_path: Path
) -> None:
    """SQLite pads the log after a move, but does not sync all of the padding."""
    with opened_by_box(path) as store:
        ledger = Ledger(store, BANKING)
        ledger.know(players(BANKING))
        move(ledger)
        survived = card.would_survive(Lost())
    folder = tmp_path / "later"
    write_image(folder, survived)
    with (
        SdCard(folder, random.Random(0)) as later,
        opened_by_box(folder / "ledger.db") as store,
    ):
        ledger = Ledger(store, BANKING)
        assert ledger.balance(1) == 16_000_000
        images = list(damaged_by_a_move(later, ledger))
        found = {balance_on(image, tmp_path / str(number)) for number, image in enumerate(images)}
        assert len(images) > 16
        assert min(found) == 16_000_000


def test_log_stays_short(path: Path) -> None:
    """The next start reads and rewrites all of it."""
    path.parent.mkdir()
    with opened_by_box(path) as store:
        ledger = Ledger(store, BANKING)
        ledger.know(players(BANKING))
        for _ in range(100):
            move(ledger)
            ledger.move(1, BANK, 1_000_000, Purpose.ENTRY)
        assert path.with_name("ledger.db-wal").stat().st_size < 128 * PAGE


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (b"CREATE TABLE game", b"CREATE TA\xc2LE game"),
        (b"triggergame_no_UPDATEgame", b"triggergame_no_\xd5PDATEgame"),
    ],
)
def test_damaged_schema_raises_an_sqlite_error(tmp_path: Path, ours: bytes, theirs: bytes) -> None:
    """SQLite quotes text that is not UTF-8; a box that reopens its file must survive that."""
    path = played_ledger(tmp_path / "ledger.db")
    path.write_bytes(path.read_bytes().replace(ours, theirs))
    with path.open("rb") as file:
        location = DiskLocation(path, file.fileno())
        for attempt in (location.open, location.recovered_copy):
            with pytest.raises(sqlite3.Error, match="the schema is not valid UTF-8"):
                attempt()


# A read-only copy of a ledger that another program writes to


def test_copy_is_consistent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The log is checkpointed and restarted between reading the file and its log."""
    path, read = tmp_path / "ledger.db", file_locks.content
    with opened_by_box(path) as store:
        ledger = Ledger(store, BANKING)
        ledger.know(players(BANKING))
        reads = []

        def slow_read(descriptor: int) -> bytes:
            content = read(descriptor)
            reads.append(ledger.balance(1))
            if len(reads) < 3:
                store._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
                move(ledger)
            return content

        monkeypatch.setattr(file_locks, "content", slow_read)
        with file_locks.opened(path) as descriptor, closing(private_copy(path, descriptor)) as copy:
            assert Ledger(Store(copy), BANKING).balance(1) == ledger.balance(1)
        assert len(reads) == 3


def test_ledger_that_changes_constantly_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, changes = played_ledger(tmp_path / "ledger.db"), count()
    monkeypatch.setattr(opening, "_fingerprint", lambda _: (next(changes),))
    never = pytest.raises(LedgerRefused, match="another program keeps writing to it")
    with file_locks.opened(path) as descriptor, never:
        private_copy(path, descriptor)


def test_a_growing_ledger_does_not_fill_memory(tmp_path: Path) -> None:
    """SQLite keeps pages in memory, which Python does not count."""
    with opened_by_box(tmp_path / "ledger.db") as store:
        ledger = Ledger(store, BANKING)
        ledger.know(players(BANKING))
        number = count(ledger.state.last_posting + 1)

        def write(postings: int) -> None:
            for _ in range(postings // 250):
                moves = (Posting(next(number), 1, BANK, POT, 1, Purpose.POT) for _ in range(250))
                store.append(*moves)

        write(8_000)
        before = structures.memory_used()
        write(8_000)
        assert structures.memory_used() - before < 50_000
