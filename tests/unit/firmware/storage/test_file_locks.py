"""Reading a ledger file's bytes must not release SQLite's locks in the same process."""

import fcntl
import subprocess
import sys
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import pytest

from firmware.bank import edition as editions
from firmware.bank.ledger import Ledger
from firmware.bank.purposes import Purpose
from firmware.bank.records import BANK
from firmware.storage import file_locks
from firmware.storage.ledger_file import (
    LedgerRefused,
    locked,
    opened_by_box,
    reading,
    shared_for_changes,
)
from sim.board.stock import players

BANKING = editions.load("banking")
READ_AND_CLOSE = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1])
print(connection.execute("SELECT count(*) FROM posting").fetchone()[0])
connection.close()
"""
"""The last program that closes a ledger checkpoints its log and deletes it."""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "ledger.db"
    with opened_by_box(path) as store:
        Ledger(store, BANKING).know(players(BANKING))
    return path


def read(path: Path) -> None:
    with reading(path) as connection:
        assert connection.execute("SELECT count(*) FROM posting").fetchone() == (6,)


def change(path: Path) -> None:
    with shared_for_changes(path) as store:
        Ledger(store, BANKING).ask_replacement(3)


def be_refused(path: Path) -> None:
    with pytest.raises(LedgerRefused, match="in use by another box"), opened_by_box(path):
        pytest.fail("the ledger was opened")


@pytest.mark.parametrize("act", [read, change, be_refused])
def test_box_keeps_its_locks(path: Path, act: Callable[[Path], None]) -> None:
    """Otherwise another program would delete the log of the box, and the next moves with it."""
    with opened_by_box(path) as store:
        ledger = Ledger(store, BANKING)
        act(path)
        ledger.refresh()
        ledger.move(BANK, 1, 1_000, Purpose.ENTRY)
        done = subprocess.run(
            [sys.executable, "-c", READ_AND_CLOSE, str(path)],
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stdout == "7\n"
        assert path.with_name("ledger.db-wal").exists()


def test_reader_keeps_its_locks(path: Path) -> None:
    """Also when another reader in the same process closes the file."""
    with reading(path) as connection:
        read(path)
        connection.execute("BEGIN")
        connection.execute("SELECT count(*) FROM posting").fetchone()
        code = "import sqlite3, sys; sqlite3.connect(sys.argv[1], timeout=0).execute(sys.argv[2])"
        command = [sys.executable, "-c", code, str(path), "PRAGMA journal_mode = DELETE"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert "database is locked" in done.stderr


def test_last_user_closes_the_descriptor(path: Path) -> None:
    """In any order; the lock ends with its own context."""
    with ExitStack() as box, ExitStack() as reader:
        box.enter_context(locked(path))
        descriptor = reader.enter_context(file_locks.opened(path))
        be_refused(path)
        box.close()
        with path.open("rb") as another_program:
            fcntl.flock(another_program, fcntl.LOCK_EX | fcntl.LOCK_NB)
        with opened_by_box(path):
            pass
        assert file_locks.content(descriptor) == path.read_bytes()
    assert file_locks._open_files == {}


def test_new_file_of_the_same_name_gets_its_own_descriptor(path: Path) -> None:
    with file_locks.opened(path) as before:
        whole = path.read_bytes()
        path.unlink()
        path.write_bytes(b"something else")
        with file_locks.opened(path) as after:
            assert file_locks.content(after) == b"something else"
        assert file_locks.content(before) == whole
