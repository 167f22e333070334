"""Looking at a file's bytes in the very process whose SQLite has it open: no lock is lost by it."""

import fcntl
import subprocess
import sys
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import pytest

from firmware import edition as editions
from firmware import raw_file
from firmware.ledger import Ledger
from firmware.ledger_file import LedgerRefused, held_by_box, locked, reading, shared_for_changes
from firmware.records import BANK, Purpose
from sim.stock import players

BANKING = editions.load("banking")
BESIDE = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1])
print(connection.execute("SELECT count(*) FROM posting").fetchone()[0])
connection.close()
"""
"""Whoever closes a ledger as the last one carries its log over, and deletes it."""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "ledger.db"
    with held_by_box(path) as store:
        Ledger(store, BANKING).know(players(BANKING))
    return path


def look(path: Path) -> None:
    with reading(path) as connection:
        assert connection.execute("SELECT count(*) FROM posting").fetchone() == (6,)


def change(path: Path) -> None:
    with shared_for_changes(path) as store:
        Ledger(store, BANKING).ask_replacement(3)


def be_refused(path: Path) -> None:
    with pytest.raises(LedgerRefused, match="in use by another box"), held_by_box(path):
        pytest.fail("it was opened")


@pytest.mark.parametrize("act", [look, change, be_refused])
def test_another_program_does_not_take_the_box_for_gone(
    path: Path, act: Callable[[Path], None]
) -> None:
    """Else it would delete the log under the box, and the next moves with it."""
    with held_by_box(path) as store:
        ledger = Ledger(store, BANKING)
        act(path)
        ledger.refresh()
        ledger.move(BANK, 1, 1_000, Purpose.ENTRY)
        done = subprocess.run(
            [sys.executable, "-c", BESIDE, str(path)], capture_output=True, text=True, check=True
        )
        assert done.stdout == "7\n"
        assert path.with_name("ledger.db-wal").exists()


def test_nor_those_who_only_look(path: Path) -> None:
    """One of them has done so, and the other still looks when the log is made."""
    with reading(path) as connection:
        look(path)
        connection.execute("BEGIN")
        connection.execute("SELECT count(*) FROM posting").fetchone()
        code = "import sqlite3, sys; sqlite3.connect(sys.argv[1], timeout=0).execute(sys.argv[2])"
        beside = [sys.executable, "-c", code, str(path), "PRAGMA journal_mode = DELETE"]
        done = subprocess.run(beside, capture_output=True, text=True, check=False)
        assert "database is locked" in done.stderr


def test_the_last_one_closes_it(path: Path) -> None:
    """Whoever that is; the lock goes with the one who had it."""
    with ExitStack() as box, ExitStack() as onlooker:
        box.enter_context(locked(path))
        descriptor = onlooker.enter_context(raw_file.held(path))
        be_refused(path)
        box.close()
        with path.open("rb") as another_program:
            fcntl.flock(another_program, fcntl.LOCK_EX | fcntl.LOCK_NB)
        with held_by_box(path):
            pass
        assert raw_file.content(descriptor) == path.read_bytes()
    assert raw_file._held == {}


def test_another_file_of_the_same_name_is_another_file(path: Path) -> None:
    with raw_file.held(path) as before:
        whole = path.read_bytes()
        path.unlink()
        path.write_bytes(b"something else")
        with raw_file.held(path) as after:
            assert raw_file.content(after) == b"something else"
        assert raw_file.content(before) == whole
