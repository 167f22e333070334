"""Helpers for tests of ledger files: a played ledger, and ways to inspect a file."""

import os
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from firmware.bank import edition as editions
from firmware.bank.ledger import Ledger
from firmware.bank.purposes import Purpose
from firmware.bank.records import BANK
from firmware.storage import schema
from firmware.storage.ledger_file import LedgerRefused, opened_by_box

BANKING = editions.load("banking")
UNPRIVILEGED = 65534


def played_ledger(path: Path) -> Path:
    """A ledger in the middle of a game, closed."""
    with opened_by_box(path) as store:
        ledger = Ledger(store, BANKING)
        ledger.know([b"\x01\x02\x03\x04", b"\x05\x06\x07\x08"])
        for _ in range(40):
            ledger.move(BANK, 1, 1_000_000, Purpose.ENTRY)
            ledger.move(1, 2, 1_000_000, Purpose.ENTRY)
    return path


TABLES = ("game", "posting", "card", "event", "setting", "checkpoint")


def content(path: Path) -> dict[str, list[tuple[object, ...]]]:
    """Every row of every table in the file, with seals."""
    connection = sqlite3.connect(path)
    names = [name for (name,) in connection.execute("SELECT name FROM sqlite_master")]
    found = {
        table: connection.execute(f"SELECT * FROM {table} ORDER BY 1").fetchall()
        for table in TABLES
        if table in names
    }
    connection.close()
    return found


def restore_triggers(connection: sqlite3.Connection) -> None:
    """Recreate the missing triggers of the newest format, and close."""
    model = sqlite3.connect(":memory:", isolation_level=None)
    schema.migrate(model)
    query = "SELECT name, sql FROM sqlite_master WHERE type = 'trigger'"
    names = [name for name, _ in connection.execute(query)]
    for name, sql in model.execute(query):
        if name not in names:
            connection.execute(sql)
    connection.commit()
    connection.close()


def refusal(path: Path) -> str:
    """The error message when a box opens the file, which must stay untouched."""
    before = path.read_bytes() if path.is_file() else b""
    with pytest.raises(LedgerRefused) as caught, opened_by_box(path):
        pytest.fail("the ledger was opened")
    assert (path.read_bytes() if path.is_file() else b"") == before
    assert "\n" not in str(caught.value)
    assert str(caught.value).startswith(f"{path}: ")
    return str(caught.value)


def as_other_user(act: Callable[[], None]) -> None:
    """Run in a child process that is not root: for root nothing is read-only."""
    child = os.fork()
    if child == 0:
        try:
            if os.getuid() == 0:
                os.setuid(UNPRIVILEGED)
            act()
            os._exit(0)
        except BaseException as error:
            os.write(2, f"{type(error).__name__}: {error}\n".encode())
            os._exit(1)
    assert os.waitpid(child, 0)[1] == 0
