"""What somebody is told who waits at a terminal."""

import functools
import io
import sqlite3
import sys
import threading
from pathlib import Path

import pytest

from firmware import cli, ledger_command, patience
from firmware import edition as editions
from firmware.audit import Finding, audit
from firmware.ledger import Ledger
from firmware.ledger_file import held_by_box


class Terminal(io.StringIO):
    """Remembers all that was ever written, and lets a test wait for it."""

    def __init__(self, *, is_one: bool = True) -> None:
        super().__init__()
        self._is_one = is_one
        self.lines = threading.Semaphore(0)

    def isatty(self) -> bool:
        return self._is_one

    def write(self, text: str) -> int:
        written = super().write(text)
        self.lines.release()
        return written


def test_who_waits_is_told_again_and_again_and_the_line_is_wiped_away() -> None:
    terminal = Terminal()
    with patience.asked("adding up", terminal, after=0.001, every=0.001):
        for _ in range(3):
            assert terminal.lines.acquire(timeout=30)
    told = terminal.getvalue().split(patience.WIPE)
    assert told[0] == ""
    assert told[-1] == ""
    assert set(told[1:-1]) == {"adding up: 0 s"}


def test_work_that_is_done_soon_says_nothing() -> None:
    terminal = Terminal()
    with patience.asked("adding up", terminal, after=3600):
        pass
    assert terminal.getvalue() == ""


def test_nothing_is_told_where_nobody_sits() -> None:
    file = Terminal(is_one=False)
    before = threading.active_count()
    with patience.asked("adding up", file, after=0):
        assert threading.active_count() == before
    assert file.getvalue() == ""


def test_a_ledger_that_is_checked_for_long_says_so_and_then_what_was_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "box.db"
    with held_by_box(path) as store:
        Ledger(store, editions.load(editions.DEFAULT))
    terminal = Terminal()

    def slowly(connection: sqlite3.Connection) -> list[Finding]:
        assert terminal.lines.acquire(timeout=30)
        return audit(connection)

    monkeypatch.setattr(ledger_command, "audit", slowly)
    monkeypatch.setattr(patience, "asked", functools.partial(patience.asked, after=0.001))
    monkeypatch.setattr(sys, "stderr", terminal)
    assert cli.main(["ledger", "verify", "--ledger", str(path)]) == 0
    assert f"tellerbox: reading {path}: 0 s" in terminal.getvalue()
    assert terminal.getvalue().endswith(patience.WIPE)
    assert capsys.readouterr().out.endswith("The ledger is sound.\n")
