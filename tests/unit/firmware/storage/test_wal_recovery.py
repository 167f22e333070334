"""A log that was left, and the copy of it that there is while it is written again."""

import random
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from firmware import edition as editions
from firmware import left_log
from firmware.ledger import Ledger
from firmware.ledger_file import held_by_box, reading, shared_for_changes
from firmware.on_disk import private_copy
from firmware.raw_file import held
from firmware.records import BANK, Purpose
from sim.disk.calls import Kind
from sim.disk.card import SdCard
from sim.stock import players

BANKING = editions.load("banking")
PAGE = 4096


class Left:
    """A ledger whose box was killed: its files, and what it had come to."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "ledger.db"
        self.log = folder / "ledger.db-wal"
        self.copy = folder / "ledger.db-wal.copy"
        with held_by_box(self.path) as store:
            ledger = Ledger(store, BANKING)
            ledger.know(players(BANKING))
            self._move(ledger)
            self.before = self.log.read_bytes()
            self._move(ledger)
            self.files = {file: file.read_bytes() for file in (self.path, self.log)}
        self.put_down()

    def _move(self, ledger: Ledger) -> None:
        ledger.move(BANK, 1, 1_000_000, Purpose.ENTRY)

    def put_down(self) -> None:
        for file, content in self.files.items():
            file.write_bytes(content)

    def spoil(self, page: int) -> None:
        log = bytearray(self.files[self.log])
        log[page * PAGE : (page + 1) * PAGE] = b"\xa5" * PAGE
        self.log.write_bytes(log)

    @property
    def balance(self) -> int:
        """As a box finds it that starts now; nothing is left of any copy then."""
        with held_by_box(self.path) as store:
            assert not self.copy.exists()
            return Ledger(store, BANKING).balance(1)


@pytest.fixture
def left(tmp_path: Path) -> Left:
    return Left(tmp_path)


def test_a_log_is_taken_in(left: Left) -> None:
    assert left.balance == 17_000_000


def test_what_is_left_of_another_start_is_no_part_of_the_copy(left: Left) -> None:
    partial = left.copy.with_name(left.copy.name + ".part")
    partial.write_bytes(bytes(len(left.files[left.log]) + PAGE))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(left_log, "_remove", lambda _: None)
        left_log.write_again(left.log)
    assert left.copy.read_bytes() == left.files[left.log]
    assert not partial.exists()


@pytest.mark.parametrize("page", [0, 1, 5, -1])
def test_a_spoilt_log_is_put_back(left: Left, page: int) -> None:
    left.copy.write_bytes(left.files[left.log])
    left.spoil(page % (len(left.files[left.log]) // PAGE))
    assert left.balance == 17_000_000


def test_the_ledger_is_not_looked_at_without_its_log(left: Left) -> None:
    """The power had gone while the log was carried over, and went again."""
    assert left.balance == 17_000_000  # now it is all in the ledger
    ledger = bytearray(left.path.read_bytes())
    ledger[PAGE : 2 * PAGE] = b"\xa5" * PAGE
    left.path.write_bytes(ledger)
    left.copy.write_bytes(left.files[left.log])
    left.spoil(0)
    with reading(left.path) as connection:
        assert connection.execute("SELECT count(*) FROM posting").fetchone() == (8,)
    assert left.balance == 17_000_000


def test_whoever_only_reads_goes_by_the_copy_too(left: Left) -> None:
    left.copy.write_bytes(left.files[left.log])
    left.spoil(5)
    with held(left.path) as descriptor, closing(private_copy(left.path, descriptor)) as found:
        query = "SELECT sum(amount) FROM posting WHERE payee = 1"
        assert found.execute(query).fetchone() == (17_000_000,)


def test_a_copy_of_before_takes_nothing_back(left: Left) -> None:
    left.copy.write_bytes(left.before)
    with reading(left.path) as connection:
        assert connection.execute("SELECT count(*) FROM posting").fetchone() == (8,)
    assert left.balance == 17_000_000


def test_nor_that_of_a_log_that_was_begun_anew_since(left: Left) -> None:
    with closing(sqlite3.connect(left.path, isolation_level=None)) as other:
        other.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        other.execute("INSERT INTO setting VALUES ('volume', 1)")
        begun_anew = left.log.read_bytes()
        ledger = left.path.read_bytes()
    left.path.write_bytes(ledger)
    left.log.write_bytes(begun_anew)
    left.copy.write_bytes(left.files[left.log])
    with held_by_box(left.path) as store:
        assert (Ledger(store, BANKING).volume, left.copy.exists()) == (1, False)


def test_nor_that_of_a_log_that_is_gone(left: Left) -> None:
    with closing(sqlite3.connect(left.path, isolation_level=None)) as other:
        other.execute("INSERT INTO setting VALUES ('volume', 1)")
    assert not left.log.exists()
    left.copy.write_bytes(left.files[left.log])
    with held_by_box(left.path) as store:
        assert (Ledger(store, BANKING).volume, left.copy.exists()) == (1, False)


def test_there_is_always_one_that_is_whole_on_disk(left: Left) -> None:
    with SdCard(left.path.parent, random.Random(0)) as card:
        recording = card.record()
        left_log.write_again(left.log)
    log, copy, partial = "ledger.db-wal", "ledger.db-wal.copy", "ledger.db-wal.copy.part"
    assert [(call.kind, call.name) for call in recording.operations] == [
        (Kind.CREATE, partial),
        (Kind.WRITE, partial),
        (Kind.SYNC, partial),
        (Kind.RENAME, partial),
        (Kind.SYNC_FOLDER, ""),
        (Kind.WRITE, log),
        (Kind.SYNC, log),
        (Kind.DELETE, copy),
        (Kind.SYNC_FOLDER, ""),
    ]


def test_the_command_line_leaves_the_log_of_a_running_box_alone(
    left: Left, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Alone, it takes care of a log as a box does."""
    written: list[Path] = []
    write_again = left_log.write_again

    def watched(log: Path) -> None:
        written.append(log)
        write_again(log)

    monkeypatch.setattr(left_log, "write_again", watched)
    with shared_for_changes(left.path):
        assert written == [left.log]
    left.put_down()
    with held_by_box(left.path) as store:
        assert written == [left.log] * 2
        Ledger(store, BANKING).move(BANK, 1, 1_000_000, Purpose.ENTRY)
        with shared_for_changes(left.path) as beside:
            Ledger(beside, BANKING).ask_replacement(2)
        assert written == [left.log] * 2


def test_nobody_writes_to_a_log_that_is_written_again(
    left: Left, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried: list[Path] = []
    write_again = left_log.write_again

    def watched(log: Path) -> None:
        tried.append(log)
        with (
            closing(sqlite3.connect(left.path, isolation_level=None, timeout=0)) as other,
            pytest.raises(sqlite3.OperationalError, match="database is locked"),
        ):
            other.execute("INSERT INTO setting VALUES ('volume', 1)")
        write_again(log)

    monkeypatch.setattr(left_log, "write_again", watched)
    assert left.balance == 17_000_000
    assert tried == [left.log]
