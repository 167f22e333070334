"""Recovery of a stale write-ahead log, and of the copy that protects its rewrite."""

import random
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from firmware.bank import edition as editions
from firmware.bank.ledger import Ledger
from firmware.bank.purposes import Purpose
from firmware.bank.records import BANK
from firmware.storage import file_locks, wal_recovery
from firmware.storage.ledger_file import opened_by_box, reading, shared_for_changes
from firmware.storage.opening import private_copy
from sim.board.stock import players
from tests.campaign.disk.calls import Kind
from tests.campaign.disk.card import SdCard

BANKING = editions.load("banking")
PAGE = 4096


class KilledLedger:
    """The files of a ledger whose box was killed."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "ledger.db"
        self.log = folder / "ledger.db-wal"
        self.copy = folder / "ledger.db-wal.copy"
        with opened_by_box(self.path) as store:
            ledger = Ledger(store, BANKING)
            ledger.know(players(BANKING))
            self._move(ledger)
            self.older_log = self.log.read_bytes()
            self._move(ledger)
            self.files = {file: file.read_bytes() for file in (self.path, self.log)}
        self.write_files()

    def _move(self, ledger: Ledger) -> None:
        ledger.move(BANK, 1, 1_000_000, Purpose.ENTRY)

    def write_files(self) -> None:
        for file, content in self.files.items():
            file.write_bytes(content)

    def damage(self, page: int) -> None:
        log = bytearray(self.files[self.log])
        log[page * PAGE : (page + 1) * PAGE] = b"\xa5" * PAGE
        self.log.write_bytes(log)

    @property
    def balance(self) -> int:
        """After a start, which must also remove the copy."""
        with opened_by_box(self.path) as store:
            assert not self.copy.exists()
            return Ledger(store, BANKING).balance(1)


@pytest.fixture
def killed(tmp_path: Path) -> KilledLedger:
    return KilledLedger(tmp_path)


def test_log_is_applied(killed: KilledLedger) -> None:
    assert killed.balance == 17_000_000


def test_leftover_of_an_interrupted_start_is_overwritten(killed: KilledLedger) -> None:
    partial = killed.copy.with_name(killed.copy.name + ".part")
    partial.write_bytes(bytes(len(killed.files[killed.log]) + PAGE))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(wal_recovery, "_remove", lambda _: None)
        wal_recovery.rewrite(killed.log)
    assert killed.copy.read_bytes() == killed.files[killed.log]
    assert not partial.exists()


@pytest.mark.parametrize("page", [0, 1, 5, -1])
def test_damaged_log_is_restored(killed: KilledLedger, page: int) -> None:
    killed.copy.write_bytes(killed.files[killed.log])
    killed.damage(page % (len(killed.files[killed.log]) // PAGE))
    assert killed.balance == 17_000_000


def test_ledger_is_not_read_without_its_log(killed: KilledLedger) -> None:
    """A power cut during the checkpoint, and another during the rewrite."""
    assert killed.balance == 17_000_000  # the log is now in the ledger
    ledger = bytearray(killed.path.read_bytes())
    ledger[PAGE : 2 * PAGE] = b"\xa5" * PAGE
    killed.path.write_bytes(ledger)
    killed.copy.write_bytes(killed.files[killed.log])
    killed.damage(0)
    with reading(killed.path) as connection:
        assert connection.execute("SELECT count(*) FROM posting").fetchone() == (8,)
    assert killed.balance == 17_000_000


def test_reader_uses_the_copy_of_the_log(killed: KilledLedger) -> None:
    killed.copy.write_bytes(killed.files[killed.log])
    killed.damage(5)
    with (
        file_locks.opened(killed.path) as descriptor,
        closing(private_copy(killed.path, descriptor)) as found,
    ):
        query = "SELECT sum(amount) FROM posting WHERE payee = 1"
        assert found.execute(query).fetchone() == (17_000_000,)


def test_older_copy_of_the_log_is_ignored(killed: KilledLedger) -> None:
    killed.copy.write_bytes(killed.older_log)
    with reading(killed.path) as connection:
        assert connection.execute("SELECT count(*) FROM posting").fetchone() == (8,)
    assert killed.balance == 17_000_000


def test_copy_of_a_restarted_log_is_ignored(killed: KilledLedger) -> None:
    with closing(sqlite3.connect(killed.path, isolation_level=None)) as other:
        other.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        other.execute("INSERT INTO setting VALUES ('volume', 1)")
        restarted = killed.log.read_bytes()
        ledger = killed.path.read_bytes()
    killed.path.write_bytes(ledger)
    killed.log.write_bytes(restarted)
    killed.copy.write_bytes(killed.files[killed.log])
    with opened_by_box(killed.path) as store:
        assert (Ledger(store, BANKING).state.volume, killed.copy.exists()) == (1, False)


def test_copy_of_a_missing_log_is_ignored(killed: KilledLedger) -> None:
    with closing(sqlite3.connect(killed.path, isolation_level=None)) as other:
        other.execute("INSERT INTO setting VALUES ('volume', 1)")
    assert not killed.log.exists()
    killed.copy.write_bytes(killed.files[killed.log])
    with opened_by_box(killed.path) as store:
        assert (Ledger(store, BANKING).state.volume, killed.copy.exists()) == (1, False)


def test_an_intact_log_is_on_disk_at_all_times(killed: KilledLedger) -> None:
    with SdCard(killed.path.parent, random.Random(0)) as card:
        recording = card.record()
        wal_recovery.rewrite(killed.log)
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


def test_command_leaves_the_log_of_a_running_box_alone(
    killed: KilledLedger, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a running box, it rewrites the log as a box does."""
    written: list[Path] = []
    rewrite = wal_recovery.rewrite

    def watched(log: Path) -> None:
        written.append(log)
        rewrite(log)

    monkeypatch.setattr(wal_recovery, "rewrite", watched)
    with shared_for_changes(killed.path):
        assert written == [killed.log]
    killed.write_files()
    with opened_by_box(killed.path) as store:
        assert written == [killed.log] * 2
        Ledger(store, BANKING).move(BANK, 1, 1_000_000, Purpose.ENTRY)
        with shared_for_changes(killed.path) as other:
            Ledger(other, BANKING).ask_replacement(2)
        assert written == [killed.log] * 2


def test_other_writers_are_locked_out_during_the_rewrite(
    killed: KilledLedger, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried: list[Path] = []
    rewrite = wal_recovery.rewrite

    def watched(log: Path) -> None:
        tried.append(log)
        with (
            closing(sqlite3.connect(killed.path, isolation_level=None, timeout=0)) as other,
            pytest.raises(sqlite3.OperationalError, match="database is locked"),
        ):
            other.execute("INSERT INTO setting VALUES ('volume', 1)")
        rewrite(log)

    monkeypatch.setattr(wal_recovery, "rewrite", watched)
    assert killed.balance == 17_000_000
    assert tried == [killed.log]
