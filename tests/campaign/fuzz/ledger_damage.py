"""Damages ledger files for the fuzz targets: flipped bits, missing ends, and invalid rows.

The first byte of an input selects a ledger. Each following group of five bytes is an edit: of bytes
(``_BYTE_EDITS``), of a row, which gets a valid checksum again, or of a number in the text of a row.
An input that starts like an SQLite file is the ledger itself.
"""

import os
import re
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

from firmware.bank import edition as editions
from firmware.bank import ledger as ledgers
from firmware.bank.ledger import Ledger
from firmware.storage import ledger_file
from firmware.storage.rows import COLUMNS, seal
from sim.board.harness import EPOCH
from sim.board.kept_ledger import KeptLedger
from sim.board.software_harness import SoftwareHarness
from sim.board.stock import players
from sim.script.language import ScriptAction, ScriptReader
from sim.script.player import perform
from tests.campaign.fuzz.contract import folder
from tests.campaign.fuzz.edition import EVENING_SCRIPT

BANKING = editions.load(editions.DEFAULT)
LEDGERS = Path(__file__).parents[2] / "unit" / "ledgers"
SECTOR = 512

VALUES: tuple[int | str | None, ...] = (
    0, 1, 2, 3, 9, 10, 99, 100, -1, 1_000_000, 2**31, 2**53, 2**63 - 1, -(2**63), None,
    "", "x", "\0", "started", "resumed", "joined", "counted", "count opened", "count left",
    "forgotten", "known", "replacement", "next kind", "next edition", "fast", "clock", "normal",
    "reversal", "bankruptcy", "opening", "return", "pot", "04a1b2c3", "zz", "[]", "{}", "[[]]",
    "1e999", "[" * 2_000, editions.load("europe").source, editions.load("disney").source,
)  # fmt: skip
"""Values for the columns of an edited row."""


NUMBERS = (
    "-1", "0", "1", "2", "3", "9", "11", "99", "100", "999", "1000", "99999", "1000000",
    str(2**31), str(2**53), str(2**63 - 1), str(2**63), str(-(2**63)), "1" + "0" * 30, "1e3",
    "1e999", "0.5", "true", "null", '"x"', "[]",
)  # fmt: skip
"""Values for a number in the text of a row: in a checkpoint, or in an edition."""


@cache
def steps(text: str) -> list[ScriptAction]:
    reader = ScriptReader(BANKING)
    steps = [reader.read(line) for line in text.splitlines()]
    return [step for step in steps if isinstance(step, ScriptAction)]


# Edits


class Edit(NamedTuple):
    """One edit of a ledger."""

    kind: int
    where: int
    what: int

    @property
    def is_row_edit(self) -> bool:
        return self.kind % 16 >= len(_BYTE_EDITS)


def _edits(program: bytes) -> Iterator[Edit]:
    for start in range(0, len(program) - 4, 5):
        five = program[start : start + 5]
        yield Edit(five[0], int.from_bytes(five[1:3], "big"), int.from_bytes(five[3:5], "big"))


def has_row_edits(data: bytes) -> bool:
    return any(edit.is_row_edit for edit in _edits(data[1:]))


def damage(path: Path, data: bytes, whole: Sequence[bytes], *, rows_only: bool = False) -> None:
    """Write one of these ledgers with the edits of an input, or with those of rows."""
    if data.startswith(b"SQLite"):
        path.write_bytes(data)
        return
    path.write_bytes(whole[data[0] % len(whole)] if data else b"")
    _edit_rows(path, [edit for edit in _edits(data[1:]) if edit.is_row_edit])
    content = bytearray(path.read_bytes())
    for edit in _edits(data[1:]):
        if content and not edit.is_row_edit and not rows_only:
            _BYTE_EDITS[edit.kind % 16](content, edit.where * 2 % len(content), edit.what)
    path.write_bytes(content)


def _flip(content: bytearray, at: int, what: int) -> None:
    content[at] ^= 1 << what % 8


def _set(content: bytearray, at: int, what: int) -> None:
    content[at : at + 2] = what.to_bytes(2, "big")[: len(content) - at]


def _truncate(content: bytearray, at: int, what: int) -> None:
    del content[at if what % 2 else at - at % SECTOR :]


def _lose_sector(content: bytearray, at: int, what: int) -> None:
    start = at - at % SECTOR
    end = min(start + SECTOR * (1 + what % 8), len(content))
    content[start:end] = bytes((what >> 8,)) * (end - start)


def _splice(content: bytearray, at: int, what: int) -> None:
    """Copy a sector over another one."""
    start, other = at - at % SECTOR, what * SECTOR % len(content)
    content[start : start + SECTOR] = content[other : other + SECTOR]


def _append(content: bytearray, at: int, what: int) -> None:
    content += content[at : at + what % 5000]


_BYTE_EDITS: tuple[Callable[[bytearray, int, int], None], ...] = (
    _flip,
    _set,
    _truncate,
    _lose_sector,
    _splice,
    _append,
)
"""Edits of bytes, by the first of the five bytes; higher values edit rows."""
_NUMBER_EDITS, _DELETION = (12, 13), 15
"""Edits of rows that are not a new value for a column."""


def _edit_rows(path: Path, edits: list[Edit]) -> None:
    """Change a row and its checksum, or delete or duplicate it."""
    if not edits:
        return
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        triggers = connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'")
        dropped = triggers.fetchall()
        for name, _ in dropped:
            connection.execute(f"DROP TRIGGER {name}")
        existing = {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}
        tables = sorted(existing & {*COLUMNS, "setting"})
        for edit in edits:
            try:
                _edit_row(connection, tables[edit.where % 8 % len(tables)], edit)
            except sqlite3.Error:
                # The table's constraints refuse this value.
                connection.rollback()
        for _, sql in dropped:
            connection.execute(sql)
        connection.execute("PRAGMA journal_mode = DELETE")


def _edit_row(connection: sqlite3.Connection, table: str, edit: Edit) -> None:
    columns = COLUMNS.get(table, "name, value").split(", ")
    found = connection.execute(f"SELECT {', '.join(columns)} FROM {table}").fetchall()
    if not found:
        return
    # Newest rows first: a start reads them.
    which = edit.where // 8
    row: list[Any] = list(found[-1 - which % len(found)])
    key = row[0]
    if edit.kind % 16 in _NUMBER_EDITS:
        _change_number(row, which // len(found) + edit.kind // 16 * 37, edit.what)
    else:
        row[edit.what % len(columns)] = VALUES[edit.what // 8 % len(VALUES)]
    connection.execute("BEGIN")
    connection.execute(f"DELETE FROM {table} WHERE {columns[0]} = ?", (key,))
    if edit.kind % 16 != _DELETION:
        sealed = row if table == "setting" else [*row, seal(table, tuple(row))]
        marks = ", ".join("?" * len(sealed))
        connection.execute(f"INSERT INTO {table} VALUES ({marks})", sealed)
    connection.execute("COMMIT")


def _change_number(row: list[Any], which: int, what: int) -> None:
    """Replace one of the numbers in the texts of a row."""
    found = [
        (column, place)
        for column, text in enumerate(row)
        for place in re.finditer(r"-?\d+", text if isinstance(text, str) else "")
    ]
    if found:
        column, place = found[which % len(found)]
        text, number = row[column], NUMBERS[what % len(NUMBERS)]
        row[column] = f"{text[: place.start()]}{number}{text[place.end() :]}"


@cache
def sound_ledgers() -> tuple[bytes, ...]:
    """Sound ledgers: one of an evening with everything in it, and those of older formats."""
    return (_evening(), *(file.read_bytes() for file in sorted(LEDGERS.glob("*.db"))))


@cache
def ledgers_in_a_game() -> tuple[bytes, ...]:
    """The same, and the evening when its final count is open, and during its timed game."""
    return (*sound_ledgers(), _evening("press F9M", "press 1M"), _evening("wait 6m", "press 1M"))


def _evening(after: str = "", last: str = "") -> bytes:
    """The ledger of an evening, up to the first line ``last`` behind ``after``; else all of it."""
    lines = EVENING_SCRIPT.splitlines()
    end = lines.index(last, lines.index(after)) + 1 if last else len(lines)
    path = folder() / "sound.db"
    # Checkpoints as after a whole evening.
    with (
        patch.object(ledgers, "CHECKPOINT_EVERY", 8),
        ledger_file.opened_by_box(path, lambda: EPOCH) as store,
    ):
        Ledger(store, BANKING).know(players(BANKING))
        harness = SoftwareHarness().begin(KeptLedger(store), BANKING)
        for step in steps("\n".join(lines[:end])):
            perform(harness, step)
        harness.put_away()
    whole = path.read_bytes()
    os.unlink(path)
    return whole
