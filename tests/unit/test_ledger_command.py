"""``tellerbox ledger`` beside a box whose ledger has no log: looking makes nobody wait for long."""

import io
import random
import sqlite3
import sys
from argparse import Namespace
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from firmware import bank, cli, ledger_command
from firmware import edition as editions
from firmware.audit import Finding, audit
from firmware.ledger import Ledger
from firmware.ledger_file import LedgerRefused, held_by_box, reading
from firmware.records import BANK, Purpose
from firmware.store import Store
from sim.disk.card import DiskFault, SdCard
from sim.stock import players

BANKING = editions.load("banking")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "ledger.db"


@pytest.fixture
def card(path: Path) -> Iterator[SdCard]:
    """Where SQLite can keep no write-ahead log."""
    with SdCard(path.parent, random.Random(0), shares_memory=False) as card:
        yield card


@pytest.fixture
def ledger(card: SdCard, path: Path) -> Iterator[Ledger]:
    """The box's own, in the middle of a game."""
    with held_by_box(path) as store:
        ledger = Ledger(store, BANKING)
        ledger.know(players(BANKING))
        ledger.move(BANK, 1, 1_000_000, Purpose.ENTRY)
        assert store._connection.execute("PRAGMA journal_mode").fetchone() == ("delete",)
        assert card.operations
        yield ledger


class Pager(io.StringIO):
    """Shows the first line, and waits; meanwhile something else happens."""

    def __init__(self, meanwhile: Callable[[], None]) -> None:
        super().__init__()
        self._meanwhile = meanwhile

    def write(self, text: str) -> int:
        written = super().write(text)
        if "\n" in text and self.getvalue().count("\n") == 1:
            self._meanwhile()
        return written


@pytest.mark.parametrize(
    ("command", "last_line"),
    [
        ("ledger accounts", "game 1, edition banking; all accounts sum to 0"),
        ("ledger history", "7"),
        ("ledger history --json", "]"),
        ("ledger history --csv", "7,1,0,1,1000000,entry"),
        ("ledger games", "1     banking"),
        ("ledger report", ""),
        ("ledger verify", "The ledger is sound."),
        ("cards", "6"),
    ],
)
def test_a_pager_that_waits_keeps_no_move_waiting(
    ledger: Ledger, path: Path, command: str, last_line: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    moved = []

    def move() -> None:
        ledger.move(BANK, 1, 2_000_000, Purpose.ENTRY)
        moved.append(ledger.balance(1))

    pager = Pager(move)
    monkeypatch.setattr(sys, "stdout", pager)
    assert cli.main([*command.split(), "--ledger", str(path)]) == 0
    assert moved == [18_000_000]
    lines = pager.getvalue().splitlines()
    assert len(lines) > 1
    assert lines[-1].startswith(last_line)


def test_a_copy_that_is_being_checked_keeps_no_move_waiting(
    ledger: Ledger, path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def meanwhile(copy: sqlite3.Connection) -> list[Finding]:
        ledger.move(BANK, 1, 2_000_000, Purpose.ENTRY)
        return audit(copy)

    monkeypatch.setattr(ledger_command, "audit", meanwhile)
    copy = path.with_name("copy.db")
    assert cli.main(["ledger", "backup", str(copy), "--ledger", str(path)]) == 0
    assert capsys.readouterr().out.endswith(" bytes, checked\n")
    with held_by_box(copy) as store:
        assert Ledger(store, BANKING).balance(1) == 16_000_000
    assert ledger.balance(1) == 18_000_000


def test_what_was_found_before_a_mistake_is_told(
    ledger: Ledger, path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Here by ``verify``, which ends with one."""
    ledger.set_volume(2)
    connection = sqlite3.connect(path)
    connection.execute("UPDATE setting SET value = 99")
    connection.commit()
    connection.close()
    assert cli.main(["ledger", "verify", "--ledger", str(path)]) == 1
    said = capsys.readouterr()
    assert "WRONG  the settings (1)\n       the setting volume cannot be 99\n" in said.out
    assert said.err == f"tellerbox: {path}: the ledger is not sound; faults found: 1\n"


def test_a_ledger_that_is_locked_in_the_middle_of_it_is_not_damaged(
    ledger: Ledger, path: Path, card: SdCard
) -> None:
    with reading(path) as connection:
        store = Store(connection)
        assert Ledger(store, BANKING).balance(1) == ledger.balance(1)
        card.fail(DiskFault.BUSY)
        with pytest.raises(LedgerRefused, match="another program has locked this ledger"):
            bank.existing(store, Namespace(ledger=path))
