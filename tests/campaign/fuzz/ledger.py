"""The ledger file: bits that flipped, ends that are missing, rows that nobody can have written.

An input is which ledger, and then what was done to it, five bytes each time (``_SPOIL`` has
the list): to its rows, which are sealed anew, or to its bytes. One that begins as an SQLite
file does is the ledger itself. Either it is opened, and a box can play on it; or it is
refused in one sentence, and left byte for byte as it was. The commands only ever look.
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

from firmware import cards_command, ledger_command, ledger_file
from firmware import edition as editions
from firmware import ledger as ledgers
from firmware.ledger import Ledger
from firmware.ledger_file import LedgerRefused
from firmware.mistake import Mistake
from firmware.records import JournalFailed
from firmware.rows import COLUMNS, NONSENSE, Damaged, seal
from firmware.store import Store
from sim.clocks import VirtualClock
from sim.kept_ledger import OpenStore
from sim.player import perform
from sim.rig import EPOCH, Rig
from sim.script import Action, Reader
from sim.software_stand import SoftwareStand
from sim.stock import players
from tests.fuzz.contract import folder, is_one_sentence
from tests.fuzz.edition import AN_EVENING

LONGEST = 101
Command = Callable[[argparse.Namespace], int]
BANKING = editions.load(editions.DEFAULT)
LEDGERS = Path(__file__).parent.parent / "unit" / "ledgers"
SECTOR = 512
NOT_READ = (Mistake, JournalFailed, sqlite3.Error, Damaged, *NONSENSE)
ENDINGS = ("", "-wal", "-journal")
ASKED = ("accounts", "games", "report", "history", "history --json", "history --csv")
"""What else to ask for than whether the ledger is sound; each input has one of them."""

A_TURN = """
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
"""What a box then does with a ledger that it has opened."""

VALUES: tuple[int | str | None, ...] = (
    0, 1, 2, 3, 9, 10, 99, 100, -1, 1_000_000, 2**31, 2**53, 2**63 - 1, -(2**63), None,
    "", "x", "\0", "started", "resumed", "joined", "counted", "count opened", "count left",
    "forgotten", "known", "replacement", "next kind", "next edition", "fast", "clock", "normal",
    "reversal", "bankruptcy", "opening", "return", "pot", "04a1b2c3", "zz", "[]", "{}", "[[]]",
    "1e999", "[" * 2_000, editions.load("europe").source, editions.load("disney").source,
)  # fmt: skip
"""What a row may be made to say."""


def fuzz_one(data: bytes) -> None:
    path = folder() / "fuzzed.db"
    for ending in (*ENDINGS, "-shm"):
        path.with_name(path.name + ending).unlink(missing_ok=True)
    for old in folder().glob("fuzzed.format-*"):
        old.unlink()
    _spoil(path, data)
    word = ASKED[sum(data) % len(ASKED)]
    sound = _commands_look(path, word)
    if not _has_sealed_anew(data):
        _says_nothing_else(path, data)
    if _box_plays(path):
        _command(path, "cards", "replace 2")
        _commands_look(path, word)
        # A start need not read the old pages that are spoilt; later it may have to.
        assert _box_plays(path) or not sound, "a box refuses what it has played on"
    else:
        # Rows that were sealed anew may make no sense to a bank that replays them.
        assert not sound or _has_sealed_anew(data), "a box refuses a ledger that is sound"


def _content(path: Path) -> list[bytes]:
    beside = [path.with_name(path.name + ending) for ending in ENDINGS]
    return [file.read_bytes() if file.exists() else b"" for file in beside]


# What looks at it


def _commands_look(path: Path, word: str) -> bool:
    """Whether it was found to be sound; whatever is found, nothing is touched."""
    before = _content(path)
    sound = _command(path, "ledger", "verify")
    _command(path, "ledger", word)
    _command(path, "cards", "")
    assert _content(path) == before, "who only looks has changed the ledger"
    return sound


def _command(path: Path, name: str, words: str) -> bool:
    """Whether it went well; if not, it says why, in a sentence."""
    command, args = _parsed(path, name, words)
    said = io.StringIO()
    try:
        with redirect_stdout(said):
            return command(args) == 0
    except Mistake as mistake:
        is_one_sentence(str(mistake))
        return False
    finally:
        for line in said.getvalue().splitlines():
            assert line.isprintable(), f"a terminal would obey {line!r}"


@cache
def _parsed(path: Path, name: str, words: str) -> tuple[Command, argparse.Namespace]:
    """What ``tellerbox NAME ASKED`` runs; to find that out takes longer than to run it."""
    module = {"ledger": ledger_command, "cards": cards_command}[name]
    parser = argparse.ArgumentParser()
    module.options(parser)
    return module.run, parser.parse_args(["--ledger", str(path), *words.split()])


def _box_plays(path: Path) -> bool:
    """Whether a box opens it; one that does can be played with."""
    before = _content(path)
    said = io.StringIO()
    try:
        with redirect_stderr(said), ledger_file.held_by_box(path, lambda: EPOCH) as store:
            rig = Rig(OpenStore(store), BANKING, SoftwareStand(VirtualClock()))
            for step in _steps(A_TURN):
                perform(rig, step)
            rig.put_away()
            assert sum(Ledger(store, BANKING).accounts.values()) == 0
    except LedgerRefused as refusal:
        _is_refused(path, refusal, before)
        return False
    return True


def _says_nothing_else(path: Path, data: bytes) -> None:
    """What a disk does to bytes is noticed, or does not matter: no balance is ever another."""
    try:
        with ledger_file.reading(path) as connection:
            said = Ledger(Store(connection), BANKING)
    except NOT_READ:
        return
    if data and not data.startswith(b"SQLite"):
        assert (said.accounts, said.cards) == _said(data[0] % len(_ledgers()))


@cache
def _said(which: int) -> tuple[dict[int, int], dict[int, bytes]]:
    path = folder() / "asked.db"
    path.write_bytes(_ledgers()[which])
    with ledger_file.reading(path) as connection:
        said = Ledger(Store(connection), BANKING)
        return said.accounts, said.cards


def _is_refused(path: Path, refusal: LedgerRefused, before: list[bytes]) -> None:
    is_one_sentence(str(refusal))
    assert str(refusal).startswith(f"{path}: "), refusal
    assert _content(path) == before, f"{refusal}; but it was changed"


@cache
def _steps(text: str) -> list[Action]:
    reader = Reader(BANKING)
    steps = [reader.read(line) for line in text.splitlines()]
    return [step for step in steps if isinstance(step, Action)]


# What was done to it


class Edit(NamedTuple):
    """One thing that happened to a ledger."""

    kind: int
    where: int
    what: int

    @property
    def is_of_a_row(self) -> bool:
        return self.kind % 16 >= len(_SPOIL)


def _edits(program: bytes) -> Iterator[Edit]:
    for start in range(0, len(program) - 4, 5):
        five = program[start : start + 5]
        yield Edit(five[0], int.from_bytes(five[1:3], "big"), int.from_bytes(five[3:5], "big"))


def _has_sealed_anew(data: bytes) -> bool:
    return any(edit.is_of_a_row for edit in _edits(data[1:]))


def _spoil(path: Path, data: bytes) -> None:
    if data.startswith(b"SQLite"):
        path.write_bytes(data)
        return
    whole = _ledgers()
    path.write_bytes(whole[data[0] % len(whole)] if data else b"")
    _spoil_rows(path, [edit for edit in _edits(data[1:]) if edit.is_of_a_row])
    content = bytearray(path.read_bytes())
    for edit in _edits(data[1:]):
        if content and not edit.is_of_a_row:
            _SPOIL[edit.kind % 16](content, edit.where * 2 % len(content), edit.what)
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
    """A sector is written where another one belongs."""
    start, other = at - at % SECTOR, what * SECTOR % len(content)
    content[start : start + SECTOR] = content[other : other + SECTOR]


def _append(content: bytearray, at: int, what: int) -> None:
    content += content[at : at + what % 5000]


_SPOIL: tuple[Callable[[bytearray, int, int], None], ...] = (
    _flip,
    _set,
    _truncate,
    _lose_sector,
    _splice,
    _append,
)
"""What can happen to bytes, by the first of the five; beyond that it happens to rows."""


def _spoil_rows(path: Path, edits: list[Edit]) -> None:
    """Say something else in a row, and seal it; or lose it, or write it twice."""
    if not edits:
        return
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        guards = connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'")
        kept = guards.fetchall()
        for name, _ in kept:
            connection.execute(f"DROP TRIGGER {name}")
        there = {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}
        tables = sorted(there & {*COLUMNS, "setting"})
        for edit in edits:
            try:
                _spoil_row(connection, tables[edit.where % 8 % len(tables)], edit)
            except sqlite3.Error:
                # A table takes only what fits its columns and keeps its checks.
                connection.rollback()
        for _, sql in kept:
            connection.execute(sql)
        connection.execute("PRAGMA journal_mode = DELETE")


def _spoil_row(connection: sqlite3.Connection, table: str, edit: Edit) -> None:
    columns = COLUMNS.get(table, "name, value").split(", ")
    found = connection.execute(f"SELECT {', '.join(columns)} FROM {table}").fetchall()
    if not found:
        return
    # The newest are the nearest: a start reads them.
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
    """Sound ones: of an evening with a little of everything, and of the older formats."""
    path = folder() / "sound.db"
    # A checkpoint now and then, as after a whole evening.
    with (
        patch.object(ledgers, "CHECKPOINT_EVERY", 8),
        ledger_file.held_by_box(path, lambda: EPOCH) as store,
    ):
        Ledger(store, BANKING).know(players(BANKING))
        rig = Rig(OpenStore(store), BANKING, SoftwareStand(VirtualClock()))
        for step in _steps(AN_EVENING):
            perform(rig, step)
        rig.put_away()
    whole = [path.read_bytes(), *(file.read_bytes() for file in sorted(LEDGERS.glob("*.db")))]
    os.unlink(path)
    return tuple(whole)
