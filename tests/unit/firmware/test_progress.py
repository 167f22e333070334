"""The progress line of commands that take long."""

import functools
import io
import sqlite3
import sys
import threading
from pathlib import Path

import pytest

from firmware import cli, progress
from firmware.bank import edition as editions
from firmware.bank.ledger import Ledger
from firmware.commands import ledger as ledger_command
from firmware.storage.audit import CheckResult, audit
from firmware.storage.ledger_file import opened_by_box


class Terminal(io.StringIO):
    """Stores the output, and lets a test wait for it."""

    def __init__(self, *, is_tty: bool = True) -> None:
        super().__init__()
        self._is_tty = is_tty
        self.lines = threading.Semaphore(0)

    def isatty(self) -> bool:
        return self._is_tty

    def write(self, text: str) -> int:
        written = super().write(text)
        self.lines.release()
        return written


def test_line_is_updated_and_erased() -> None:
    terminal = Terminal()
    with progress.shown("adding up", terminal, after=0.001, every=0.001):
        for _ in range(3):
            assert terminal.lines.acquire(timeout=30)
    lines = terminal.getvalue().split(progress.WIPE)
    assert lines[0] == ""
    assert lines[-1] == ""
    assert set(lines[1:-1]) == {"adding up: 0 s"}


def test_short_work_shows_nothing() -> None:
    terminal = Terminal()
    with progress.shown("adding up", terminal, after=3600):
        pass
    assert terminal.getvalue() == ""


def test_nothing_is_shown_without_a_terminal() -> None:
    file = Terminal(is_tty=False)
    before = threading.active_count()
    with progress.shown("adding up", file, after=0):
        assert threading.active_count() == before
    assert file.getvalue() == ""


def test_slow_verify_shows_progress_and_then_its_result(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "box.db"
    with opened_by_box(path) as store:
        Ledger(store, editions.load(editions.DEFAULT))
    terminal = Terminal()

    def slowly(connection: sqlite3.Connection) -> list[CheckResult]:
        assert terminal.lines.acquire(timeout=30)
        return audit(connection)

    monkeypatch.setattr(ledger_command, "audit", slowly)
    monkeypatch.setattr(progress, "shown", functools.partial(progress.shown, after=0.001))
    monkeypatch.setattr(sys, "stderr", terminal)
    assert cli.main(["ledger", "verify", "--ledger", str(path)]) == 0
    assert f"tellerbox: reading {path}: 0 s" in terminal.getvalue()
    assert terminal.getvalue().endswith(progress.WIPE)
    assert capsys.readouterr().out.endswith("The ledger is sound.\n")
