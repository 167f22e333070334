"""The failing card under SQLite: power cuts, and faults that come and go."""

import os
import random
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.campaign.disk.calls import Call, Kind
from tests.campaign.disk.card import DiskFault, SdCard
from tests.campaign.disk.surface import Kept, Lost


@pytest.fixture
def card(tmp_path: Path) -> Iterator[SdCard]:
    with SdCard(tmp_path, random.Random(1)) as card:
        yield card


def connect(folder: Path, synchronous: str = "FULL") -> sqlite3.Connection:
    connection = sqlite3.connect(folder / "a.db", isolation_level=None, timeout=0.1)
    connection.execute(f"PRAGMA synchronous = {synchronous}")
    return connection


def create(folder: Path, synchronous: str = "FULL", journal: str = "WAL") -> sqlite3.Connection:
    connection = connect(folder, synchronous)
    connection.execute(f"PRAGMA journal_mode = {journal}")
    connection.execute("CREATE TABLE a (b)")
    return connection


def rows(folder: Path) -> list[int]:
    with closing(connect(folder)) as connection:
        return [row[0] for row in connection.execute("SELECT b FROM a")]


@pytest.mark.parametrize("journal", ["WAL", "DELETE"])
@pytest.mark.parametrize("seed", range(10))
def test_synced_commit_is_never_lost(tmp_path: Path, journal: str, seed: int) -> None:
    with SdCard(tmp_path, random.Random(seed)) as card:
        connection = create(tmp_path, "EXTRA", journal)
        for number in range(20):
            connection.execute("INSERT INTO a VALUES (?)", (number,))
        card.cut()
        connection.close()
        card.restore()
        assert rows(tmp_path) == list(range(20))


def test_unsynced_commit_may_be_lost(tmp_path: Path) -> None:
    lost = 0
    for seed in range(20):
        folder = tmp_path / str(seed)
        folder.mkdir()
        with SdCard(folder, random.Random(seed)) as card:
            connection = create(folder, "EXTRA")
            connection.execute("PRAGMA synchronous = NORMAL")
            connection.execute("INSERT INTO a VALUES (1)")
            card.cut()
            connection.close()
            card.restore()
            lost += rows(folder) == []
    assert 0 < lost < 20


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        (DiskFault.FULL, "full"),
        (DiskFault.READ_ONLY, "readonly"),
        (DiskFault.SYNC, "disk I/O error"),
        (DiskFault.WRITE, "disk I/O error"),
        (DiskFault.BUSY, "lock"),
    ],
)
def test_faults_come_and_go(tmp_path: Path, card: SdCard, fault: DiskFault, words: str) -> None:
    with closing(create(tmp_path)) as connection:
        connection.execute("INSERT INTO a VALUES (1)")
        card.fail(fault)
        with pytest.raises(sqlite3.OperationalError, match=words):
            connection.execute("INSERT INTO a VALUES (2)")
        card.fail(None)
        connection.execute("INSERT INTO a VALUES (3)")
    assert rows(tmp_path) == [1, 3]


def test_read_fault(tmp_path: Path, card: SdCard) -> None:
    create(tmp_path).close()
    card.fail(DiskFault.READ)
    with pytest.raises(sqlite3.OperationalError):
        rows(tmp_path)
    card.fail(None)
    assert rows(tmp_path) == []


def test_failed_sync_may_have_written(tmp_path: Path) -> None:
    """Whether the data was written is unknown."""
    found = set()
    for seed in range(20):
        folder = tmp_path / str(seed)
        folder.mkdir()
        with SdCard(folder, random.Random(seed)) as card:
            connection = create(folder)
            card.fail(DiskFault.SYNC)
            with pytest.raises(sqlite3.OperationalError):
                connection.execute("INSERT INTO a VALUES (1)")
            card.fail(None)
            card.cut()
            connection.close()
            card.restore()
            found.add(tuple(rows(folder)))
    assert found == {(), (1,)}


def test_read_only_card_can_be_read(tmp_path: Path, card: SdCard) -> None:
    with closing(create(tmp_path, journal="DELETE")) as connection:
        connection.execute("INSERT INTO a VALUES (1)")
    card.fail(DiskFault.READ_ONLY)
    assert rows(tmp_path) == [1]
    assert not os.access(tmp_path / "a.db", os.W_OK)
    with pytest.raises(OSError, match="Read-only"):
        os.open(tmp_path / "new", os.O_CREAT | os.O_RDWR)


def test_cut_after_counts_operations(tmp_path: Path, card: SdCard) -> None:
    connection = create(tmp_path)
    connection.execute("INSERT INTO a VALUES (1)")
    before = card.operations
    connection.execute("INSERT INTO a VALUES (2)")
    per_insert = card.operations - before
    card.cut_after(per_insert + 1)
    connection.execute("INSERT INTO a VALUES (3)")
    assert card.powered
    with pytest.raises(sqlite3.OperationalError):
        connection.execute("INSERT INTO a VALUES (4)")
    assert not card.powered
    with pytest.raises(sqlite3.OperationalError):
        connection.execute("INSERT INTO a VALUES (5)")
    card.cut()
    connection.close()
    card.restore()
    assert rows(tmp_path) == [1, 2, 3]


def test_connection_from_before_a_cut_stays_dead(tmp_path: Path, card: SdCard) -> None:
    """A connection from before a cut may be closed late without affecting a later one."""
    dead = create(tmp_path)
    dead.execute("INSERT INTO a VALUES (1)")
    card.cut()
    card.restore()
    with closing(connect(tmp_path)) as live:
        live.execute("INSERT INTO a VALUES (2)")
        with pytest.raises(sqlite3.OperationalError):
            dead.execute("INSERT INTO a VALUES (3)")
        dead.close()
        live.execute("INSERT INTO a VALUES (4)")
    assert rows(tmp_path) == [1, 2, 4]


def test_name_created_by_python_needs_folder_sync(tmp_path: Path) -> None:
    survived = set()
    for seed in range(20):
        folder = tmp_path / str(seed)
        folder.mkdir()
        with SdCard(folder, random.Random(seed)) as card:
            os.close(os.open(folder / "a", os.O_CREAT | os.O_RDWR))
            descriptor = os.open(folder, os.O_RDONLY)
            os.fsync(descriptor)
            os.close(descriptor)
            os.close(os.open(folder / "b", os.O_CREAT | os.O_RDWR))
            card.cut()
        survived.add(tuple(sorted(file.name for file in folder.iterdir())))
    assert survived == {("a",), ("a", "b")}


def test_sync_by_python_fails_too(tmp_path: Path, card: SdCard) -> None:
    descriptor = os.open(tmp_path / "a", os.O_CREAT | os.O_RDWR)
    card.fail(DiskFault.SYNC)
    with pytest.raises(OSError, match="Input/output error"):
        os.fsync(descriptor)
    card.fail(None)
    os.fsync(descriptor)
    os.close(descriptor)


def test_write_by_python_needs_sync(tmp_path: Path, card: SdCard) -> None:
    descriptor = os.open(tmp_path / "a", os.O_CREAT | os.O_RDWR)
    folder = os.open(tmp_path, os.O_RDONLY)
    os.pwrite(descriptor, b"1", 0)
    os.fsync(folder)
    assert card.would_survive(Lost()) == {"a": b""}
    os.fsync(descriptor)
    os.pwrite(descriptor, b"2", 1)
    assert card.would_survive(Lost()) == {"a": b"1"}
    assert card.would_survive(Kept()) == {"a": b"12"}
    os.close(descriptor)
    os.close(folder)


def test_log_created_by_another_program_is_tracked(tmp_path: Path, card: SdCard) -> None:
    """A program that only reads a ledger may create its log."""
    create(tmp_path, "EXTRA").close()
    uri = f"file:{tmp_path / 'a.db'}?mode=ro&vfs=unix"
    with closing(sqlite3.connect(uri, uri=True)) as reader:
        reader.execute("SELECT b FROM a").fetchall()
    assert (tmp_path / "a.db-wal").exists()
    with closing(connect(tmp_path, "EXTRA")) as connection:
        connection.execute("SELECT b FROM a").fetchall()
        descriptor = os.open(tmp_path, os.O_RDONLY)
        os.fsync(descriptor)
        os.close(descriptor)
        connection.execute("INSERT INTO a VALUES (1)")
        assert "a.db-wal" in card.would_survive(Lost())


def test_error_in_callback_is_reraised(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """SQLite gets an I/O error, and the card's owner the exception."""

    def fail(_: SdCard, call: Call) -> None:
        raise ZeroDivisionError(call.name)

    monkeypatch.setattr(SdCard, "check", fail)
    expected = pytest.raises(ZeroDivisionError, match="a")
    with expected, SdCard(tmp_path, random.Random(1)), pytest.raises(sqlite3.OperationalError):
        connect(tmp_path)
    monkeypatch.undo()
    create(tmp_path).close()


def test_no_log_without_shared_memory(tmp_path: Path) -> None:
    card = SdCard(tmp_path, random.Random(1), shares_memory=False)
    with card, closing(create(tmp_path)) as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("delete",)


def test_files_outside_are_not_touched(tmp_path: Path) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    here.mkdir()
    there.mkdir()
    with SdCard(here, random.Random(1)) as card:
        card.fail(DiskFault.WRITE)
        with closing(create(there)) as connection:
            connection.execute("INSERT INTO a VALUES (1)")
        assert card.operations == 0
    assert rows(there) == [1]


def test_recording_replays_any_cut(tmp_path: Path, card: SdCard) -> None:
    with closing(create(tmp_path)) as connection:
        recording = card.record()
        connection.execute("INSERT INTO a VALUES (1)")
        kinds = [call.kind for call in recording.operations]
        assert kinds == [Kind.WRITE, Kind.WRITE, Kind.SYNC]
        before, after = (recording.image_after(number, Lost())["a.db-wal"] for number in (2, 3))
    assert len(after) == len(before) + 24 + 4096
    with pytest.raises(IndexError):
        recording.image_after(1000, Lost())


def test_closing_the_card_restores_everything(tmp_path: Path) -> None:
    functions = os.open, os.fsync, os.unlink, os.replace
    with SdCard(tmp_path, random.Random(1)) as card:
        card.fail(DiskFault.WRITE)
    assert (os.open, os.fsync, os.unlink, os.replace) == functions
    with closing(create(tmp_path)) as connection:
        connection.execute("INSERT INTO a VALUES (1)")
    assert rows(tmp_path) == [1]
