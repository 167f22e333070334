"""What tests of ledgers on disk share: a game to begin with, and ways to look at a file."""

import os
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from firmware import edition as editions
from firmware import schema
from firmware.ledger import Ledger
from firmware.ledger_file import LedgerRefused, held_by_box
from firmware.records import BANK, Purpose

BANKING = editions.load("banking")
NOBODY = 65534


def with_a_game(path: Path) -> Path:
    """A ledger in the middle of a game, closed."""
    with held_by_box(path) as store:
        ledger = Ledger(store, BANKING)
        ledger.know([b"\x01\x02\x03\x04", b"\x05\x06\x07\x08"])
        for _ in range(40):
            ledger.move(BANK, 1, 1_000_000, Purpose.ENTRY)
            ledger.move(1, 2, 1_000_000, Purpose.ENTRY)
    return path


TABLES = ("game", "posting", "card", "event", "setting", "checkpoint")


def content(path: Path) -> dict[str, list[tuple[object, ...]]]:
    """Every row of every table that the file has, seals included."""
    connection = sqlite3.connect(path)
    there = [name for (name,) in connection.execute("SELECT name FROM sqlite_master")]
    found = {
        table: connection.execute(f"SELECT * FROM {table} ORDER BY 1").fetchall()
        for table in TABLES
        if table in there
    }
    connection.close()
    return found


def put_guards_back(connection: sqlite3.Connection) -> None:
    """Make the triggers anew that are missing, as the newest format has them, and close."""
    model = sqlite3.connect(":memory:", isolation_level=None)
    schema.migrate(model)
    query = "SELECT name, sql FROM sqlite_master WHERE type = 'trigger'"
    there = [name for name, _ in connection.execute(query)]
    for name, sql in model.execute(query):
        if name not in there:
            connection.execute(sql)
    connection.commit()
    connection.close()


def refusal(path: Path) -> str:
    """Try to open it as a box; what is said, and that nothing was touched."""
    before = path.read_bytes() if path.is_file() else b""
    with pytest.raises(LedgerRefused) as caught, held_by_box(path):
        pytest.fail("it was opened")
    assert (path.read_bytes() if path.is_file() else b"") == before
    assert "\n" not in str(caught.value)
    assert str(caught.value).startswith(f"{path}: ")
    return str(caught.value)


def as_nobody(act: Callable[[], None]) -> None:
    """Run in a child that is not root: for root nothing is read-only."""
    child = os.fork()
    if child == 0:
        try:
            if os.getuid() == 0:
                os.setuid(NOBODY)
            act()
            os._exit(0)
        except BaseException as error:
            os.write(2, f"{type(error).__name__}: {error}\n".encode())
            os._exit(1)
    assert os.waitpid(child, 0)[1] == 0
