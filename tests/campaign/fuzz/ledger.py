"""Fuzzes ledger files: flipped bits, missing ends, and invalid rows.

The first byte of an input selects a ledger. Each following group of five bytes is an edit, of bytes
(``_BYTE_EDITS``) or of rows, which get valid checksums again. An input that starts like an SQLite
file is the ledger itself. A box must either open the ledger and play on it, or refuse it with one
line and leave it unchanged. The commands must never change it.
"""

import argparse
import io
import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, redirect_stderr, redirect_stdout
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

from firmware.bank import edition as editions
from firmware.bank import ledger as ledgers
from firmware.bank.ledger import Ledger
from firmware.bank.records import JournalFailed
from firmware.commands import cards as cards_command
from firmware.commands import ledger as ledger_command
from firmware.storage import ledger_file
from firmware.storage.ledger_file import LedgerRefused
from firmware.storage.rows import COLUMNS, ROW_ERRORS, DamagedRow, seal
from firmware.storage.store import Store
from firmware.user_error import UserError
from sim.board.harness import EPOCH
from sim.board.kept_ledger import KeptLedger
from sim.board.software_harness import SoftwareHarness
from sim.board.stock import players
from sim.script.language import ScriptAction, ScriptReader
from sim.script.player import perform
from tests.campaign.fuzz.contract import check_one_sentence, folder
from tests.campaign.fuzz.edition import EVENING_SCRIPT

LONGEST = 101
Command = Callable[[argparse.Namespace], int]
BANKING = editions.load(editions.DEFAULT)
LEDGERS = Path(__file__).parents[2] / "unit" / "ledgers"
SECTOR = 512
READ_ERRORS = (UserError, JournalFailed, sqlite3.Error, DamagedRow, *ROW_ERRORS)
ENDINGS = ("", "-wal", "-journal")
SUBCOMMANDS = ("accounts", "games", "report", "history", "history --json", "history --csv")
"""Subcommands to run besides ``verify``; each input runs one of them."""

TURN_SCRIPT = """
insert left 1
press G
press 1M
press C
insert right 2
press 2K
press F8 G,MM
press F9
remove left
remove right
press F06M
press F9M
insert left 3
press 1M
hold C 4s
insert right 1
press 1M
wait 61s
"""
"""Played on a ledger that a box has opened."""

VALUES: tuple[int | str | None, ...] = (
    0, 1, 2, 3, 9, 10, 99, 100, -1, 1_000_000, 2**31, 2**53, 2**63 - 1, -(2**63), None,
    "", "x", "\0", "started", "resumed", "joined", "counted", "count opened", "count left",
    "forgotten", "known", "replacement", "next kind", "next edition", "fast", "clock", "normal",
    "reversal", "bankruptcy", "opening", "return", "pot", "04a1b2c3", "zz", "[]", "{}", "[[]]",
    "1e999", "[" * 2_000, editions.load("europe").source, editions.load("disney").source,
)  # fmt: skip
"""Values for the columns of an edited row."""


def fuzz_one(data: bytes) -> None:
    path = folder() / "fuzzed.db"
    for ending in (*ENDINGS, "-shm"):
        path.with_name(path.name + ending).unlink(missing_ok=True)
    for old in folder().glob("fuzzed.format-*"):
        old.unlink()
    _damage(path, data)
    subcommand = SUBCOMMANDS[sum(data) % len(SUBCOMMANDS)]
    sound = _run_commands(path, subcommand)
    if not _has_row_edits(data):
        _check_balances(path, data)
    if _box_plays(path):
        _command(path, "cards", "replace 2")
        _run_commands(path, subcommand)
        # A start may skip damaged old pages that a later start has to read.
        assert _box_plays(path) or not sound, "a box refuses a ledger that it has played on"
    else:
        # Edited rows may have valid checksums and still be inconsistent.
        assert not sound or _has_row_edits(data), "a box refuses a sound ledger"


def _content(path: Path) -> list[bytes]:
    beside = [path.with_name(path.name + ending) for ending in ENDINGS]
    return [file.read_bytes() if file.exists() else b"" for file in beside]


# Checks


def _run_commands(path: Path, subcommand: str) -> bool:
    """Run read-only commands; True if the ledger verifies."""
    before = _content(path)
    sound = _command(path, "ledger", "verify")
    _command(path, "ledger", subcommand)
    _command(path, "cards", "")
    assert _content(path) == before, "a read-only command changed the ledger"
    return sound


def _command(path: Path, name: str, words: str) -> bool:
    """Run a command; True if it succeeds. An error must be one printable line."""
    command, args = _parsed(path, name, words)
    output = io.StringIO()
    try:
        with redirect_stdout(output):
            return command(args) == 0
    except UserError as error:
        check_one_sentence(str(error))
        return False
    finally:
        for line in output.getvalue().splitlines():
            assert line.isprintable(), f"the output contains control characters: {line!r}"


@cache
def _parsed(path: Path, name: str, words: str) -> tuple[Command, argparse.Namespace]:
    """The function and arguments of ``tellerbox NAME WORDS``, cached because parsing is slow."""
    module = {"ledger": ledger_command, "cards": cards_command}[name]
    parser = argparse.ArgumentParser()
    module.options(parser)
    return module.run, parser.parse_args(["--ledger", str(path), *words.split()])


def _box_plays(path: Path) -> bool:
    """Whether a box opens the ledger; if so, it must be able to play."""
    before = _content(path)
    output = io.StringIO()
    try:
        with redirect_stderr(output), ledger_file.opened_by_box(path, lambda: EPOCH) as store:
            harness = SoftwareHarness().begin(KeptLedger(store), BANKING)
            for step in _steps(TURN_SCRIPT):
                perform(harness, step)
            harness.put_away()
            assert sum(Ledger(store, BANKING).accounts.values()) == 0
    except LedgerRefused as refusal:
        _check_refusal(path, refusal, before)
        return False
    return True


def _check_balances(path: Path, data: bytes) -> None:
    """Damaged bytes are detected or harmless: no balance may change."""
    try:
        with ledger_file.reading(path) as connection:
            ledger = Ledger(Store(connection), BANKING)
    except READ_ERRORS:
        return
    if data and not data.startswith(b"SQLite"):
        assert (ledger.accounts, ledger.cards) == _contents(data[0] % len(_ledgers()))


@cache
def _contents(which: int) -> tuple[dict[int, int], dict[int, bytes]]:
    path = folder() / "sound-copy.db"
    path.write_bytes(_ledgers()[which])
    with ledger_file.reading(path) as connection:
        ledger = Ledger(Store(connection), BANKING)
        return ledger.accounts, ledger.cards


def _check_refusal(path: Path, refusal: LedgerRefused, before: list[bytes]) -> None:
    check_one_sentence(str(refusal))
    assert str(refusal).startswith(f"{path}: "), refusal
    assert _content(path) == before, f"refused, but changed: {refusal}"


@cache
def _steps(text: str) -> list[ScriptAction]:
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


def _has_row_edits(data: bytes) -> bool:
    return any(edit.is_row_edit for edit in _edits(data[1:]))


def _damage(path: Path, data: bytes) -> None:
    if data.startswith(b"SQLite"):
        path.write_bytes(data)
        return
    whole = _ledgers()
    path.write_bytes(whole[data[0] % len(whole)] if data else b"")
    _edit_rows(path, [edit for edit in _edits(data[1:]) if edit.is_row_edit])
    content = bytearray(path.read_bytes())
    for edit in _edits(data[1:]):
        if content and not edit.is_row_edit:
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
    row: list[Any] = list(found[-1 - edit.where // 8 % len(found)])
    key = row[0]
    row[edit.what % len(columns)] = VALUES[edit.what // 8 % len(VALUES)]
    connection.execute("BEGIN")
    connection.execute(f"DELETE FROM {table} WHERE {columns[0]} = ?", (key,))
    if edit.kind % 16 < 15:
        sealed = row if table == "setting" else [*row, seal(table, tuple(row))]
        marks = ", ".join("?" * len(sealed))
        connection.execute(f"INSERT INTO {table} VALUES ({marks})", sealed)
    connection.execute("COMMIT")


@cache
def _ledgers() -> tuple[bytes, ...]:
    """Sound ledgers: one of an evening with everything in it, and those of older formats."""
    path = folder() / "sound.db"
    # Checkpoints as after a whole evening.
    with (
        patch.object(ledgers, "CHECKPOINT_EVERY", 8),
        ledger_file.opened_by_box(path, lambda: EPOCH) as store,
    ):
        Ledger(store, BANKING).know(players(BANKING))
        harness = SoftwareHarness().begin(KeptLedger(store), BANKING)
        for step in _steps(EVENING_SCRIPT):
            perform(harness, step)
        harness.put_away()
    whole = [path.read_bytes(), *(file.read_bytes() for file in sorted(LEDGERS.glob("*.db")))]
    os.unlink(path)
    return tuple(whole)
