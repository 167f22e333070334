"""Fuzzes ledger files: flipped bits, missing ends, and invalid rows (``ledger_damage``).

A box must either open the ledger and play on it, or refuse it with one line and leave it unchanged.
The commands must never change it.
"""

import argparse
import io
import sqlite3
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout, suppress
from functools import cache
from pathlib import Path

from firmware.bank.ledger import Ledger
from firmware.bank.records import JournalFailed
from firmware.commands import cards as cards_command
from firmware.commands import ledger as ledger_command
from firmware.storage import ledger_file
from firmware.storage.ledger_file import LedgerRefused
from firmware.storage.rows import ROW_ERRORS, DamagedRow
from firmware.storage.store import Store
from firmware.user_error import UserError
from sim.board.harness import EPOCH
from sim.board.kept_ledger import KeptLedger
from sim.board.software_harness import SoftwareHarness
from sim.script.player import perform
from tests.campaign.fuzz.contract import check_one_sentence, folder
from tests.campaign.fuzz.ledger_damage import (
    BANKING,
    damage,
    has_row_edits,
    sound_ledgers,
    steps,
)

LONGEST = 101
Command = Callable[[argparse.Namespace], int]
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


def fuzz_one(data: bytes) -> None:
    path = folder() / "fuzzed.db"
    for ending in (*ENDINGS, "-shm"):
        path.with_name(path.name + ending).unlink(missing_ok=True)
    for old in folder().glob("fuzzed.format-*"):
        old.unlink()
    damage(path, data, sound_ledgers())
    subcommand = SUBCOMMANDS[sum(data) % len(SUBCOMMANDS)]
    sound = _run_commands(path, subcommand)
    if not has_row_edits(data):
        _check_balances(path, data)
    if _box_plays(path, sound=sound):
        _command(path, "cards", "replace 2")
        _run_commands(path, subcommand)
        # A start may skip damaged old pages that a later start has to read.
        plays = _box_plays(path, sound=sound)
        assert plays or not sound, "a box refuses a ledger that it has played on"
    else:
        # Edited rows may have valid checksums and still be inconsistent.
        assert not sound or has_row_edits(data), "a box refuses a sound ledger"


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


def _box_plays(path: Path, *, sound: bool) -> bool:
    """Whether a box opens the ledger; if so, it must be able to play.

    The rows may be unreadable afterwards, if the ledger was not sound: a flipped bit in the header
    of a page can make SQLite write over them, and a start does not search all pages for that.
    """
    before = _content(path)
    output = io.StringIO()
    try:
        with redirect_stderr(output), ledger_file.opened_by_box(path, lambda: EPOCH) as store:
            harness = SoftwareHarness().begin(KeptLedger(store), BANKING)
            for step in steps(TURN_SCRIPT):
                perform(harness, step)
            harness.put_away()
            with suppress(*([] if sound else [JournalFailed])):
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
        assert (ledger.accounts, ledger.cards) == _contents(data[0] % len(sound_ledgers()))


@cache
def _contents(which: int) -> tuple[dict[int, int], dict[int, bytes]]:
    path = folder() / "sound-copy.db"
    path.write_bytes(sound_ledgers()[which])
    with ledger_file.reading(path) as connection:
        ledger = Ledger(Store(connection), BANKING)
        return ledger.accounts, ledger.cards


def _check_refusal(path: Path, refusal: LedgerRefused, before: list[bytes]) -> None:
    check_one_sentence(str(refusal))
    assert str(refusal).startswith(f"{path}: "), refusal
    assert _content(path) == before, f"refused, but changed: {refusal}"
