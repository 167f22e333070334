"""``tellerbox ledger``: its output and errors, and that it never blocks a running box."""

import csv
import io
import json
import os
import random
import sqlite3
import subprocess
import sys
from argparse import Namespace
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from firmware import cli
from firmware.bank import edition as editions
from firmware.bank.ledger import Ledger
from firmware.bank.purposes import Purpose
from firmware.bank.records import BANK, POT, Kind
from firmware.commands import ledger as ledger_command
from firmware.commands import startup
from firmware.storage.audit import CheckResult, audit
from firmware.storage.ledger_file import LedgerRefused, opened_by_box, reading
from firmware.storage.store import Store
from sim.board.stock import players
from tests.campaign.disk.card import DiskFault, SdCard
from tests.unit.command_line import TELLERBOX, RunCli, type_into_sim

pytestmark = pytest.mark.usefixtures("home")

BANKING = editions.load("banking")
OLD_LEDGER = Path(__file__).parents[2] / "ledgers" / "format-1.db"
"""Two games, as the box wrote them before there was an F key."""


# A ledger without a write-ahead log, which readers could lock


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "ledger.db"


@pytest.fixture
def card(path: Path) -> Iterator[SdCard]:
    """SQLite cannot use a write-ahead log here."""
    with SdCard(path.parent, random.Random(0), shares_memory=False) as card:
        yield card


@pytest.fixture
def ledger(card: SdCard, path: Path) -> Iterator[Ledger]:
    """The ledger of a box, in the middle of a game."""
    with opened_by_box(path) as store:
        ledger = Ledger(store, BANKING)
        ledger.know(players(BANKING))
        ledger.move(BANK, 1, 1_000_000, Purpose.ENTRY)
        assert store._connection.execute("PRAGMA journal_mode").fetchone() == ("delete",)
        assert card.operations
        yield ledger


class Pager(io.StringIO):
    """Calls a function after the first line, as a pager that waits."""

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
def test_waiting_pager_does_not_block_a_move(
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


def test_check_of_a_backup_does_not_block_a_move(
    ledger: Ledger, path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def move_and_audit(copy: sqlite3.Connection) -> list[CheckResult]:
        ledger.move(BANK, 1, 2_000_000, Purpose.ENTRY)
        return audit(copy)

    monkeypatch.setattr(ledger_command, "audit", move_and_audit)
    copy = path.with_name("copy.db")
    assert cli.main(["ledger", "backup", str(copy), "--ledger", str(path)]) == 0
    assert capsys.readouterr().out.endswith(" bytes, checked\n")
    with opened_by_box(copy) as store:
        assert Ledger(store, BANKING).balance(1) == 16_000_000
    assert ledger.balance(1) == 18_000_000


def test_output_before_an_error_is_printed(
    ledger: Ledger, path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ledger.set_volume(2)
    connection = sqlite3.connect(path)
    connection.execute("UPDATE setting SET value = 99")
    connection.commit()
    connection.close()
    assert cli.main(["ledger", "verify", "--ledger", str(path)]) == 1
    printed = capsys.readouterr()
    assert "FAIL  settings (1)\n      the setting volume = 99 is not valid\n" in printed.out
    assert printed.err == (
        f"tellerbox: {path}: the ledger is not sound (faults: 1); restore a backup\n"
    )


def test_ledger_that_is_locked_while_reading_is_not_reported_as_damaged(
    ledger: Ledger, path: Path, card: SdCard
) -> None:
    with reading(path) as connection:
        store = Store(connection)
        assert Ledger(store, BANKING).balance(1) == ledger.balance(1)
        card.fail(DiskFault.BUSY)
        with pytest.raises(LedgerRefused, match="another program has locked this ledger"):
            startup.existing(store, Namespace(ledger=path))


# The output of each command


def test_accounts(run_cli: RunCli, played: Path) -> None:
    output = run_cli("ledger", "--ledger", played, "accounts")
    assert output.status == 0
    lines = output.out.split("\n")
    assert lines[0].split() == ["account", "balance", "in", "full"]
    assert lines[1].split() == ["card", "1", "18,5M", "18", "500", "000"]
    assert lines[2].split() == ["card", "2", "13,5M", "13", "500", "000"]
    assert lines[7].split() == ["bank", "-92M", "-92", "000", "000"]
    assert lines[8] == "game 2, edition banking; all accounts sum to 0"


def test_history(run_cli: RunCli, played: Path) -> None:
    lines = run_cli("ledger", "history", "--ledger", played).out.strip().split("\n")
    assert len(lines) == 1 + 6 + 4
    assert [line.split()[-1] for line in lines[-4:-2]] == ["salary", "entry"]
    assert lines[-2].endswith("card 2  card 1  600K    entry (reversed)")
    assert lines[-1].endswith("card 1  card 2  600K    reversal of 16")
    first = run_cli("ledger", "history", "--ledger", played, "--game", "1").out.strip().split("\n")
    assert len(first) == 1 + 6 + 1
    output = run_cli("ledger", "history", "--ledger", played, "--game", "9")
    assert (output.status, output.err) == (
        1,
        f"tellerbox: {played}: there is no game 9; `tellerbox ledger games` lists all games\n",
    )


def test_history_as_json_and_csv(run_cli: RunCli, played: Path) -> None:
    records = json.loads(run_cli("ledger", "history", "--ledger", played, "--json").out)
    assert records[-1]["reverses"] == records[-2]["id"] == 16
    assert records[-1]["amount"] == 600_000
    assert (records[-1]["payer"], records[-1]["payee"]) == (1, 2)
    assert records[-1]["purpose"] == "reversal"
    table = list(
        csv.DictReader(io.StringIO(run_cli("ledger", "history", "--ledger", played, "--csv").out))
    )
    assert [row["id"] for row in table] == [str(record["id"]) for record in records]
    assert table[0]["amount"] == "15000000"
    output = run_cli("ledger", "history", "--json", "--csv")
    assert output.status == 2


def test_games(run_cli: RunCli, played: Path) -> None:
    lines = run_cli("ledger", "games", "--ledger", played).out.strip().split("\n")
    assert lines[0].split() == ["game", "edition", "kind", "started", "postings", "now"]
    assert lines[1].startswith("1     banking  normal  ")
    assert lines[1].endswith("  7")
    assert lines[2].startswith("2     banking  normal  ")
    assert lines[2].endswith("  10        being played")


@pytest.fixture
def resumed(tmp_path: Path) -> Path:
    """The first of three games was resumed, and has a pot."""
    path = tmp_path / "turns.db"
    banking = editions.load("banking")
    with opened_by_box(path) as store:
        ledger = Ledger(store, banking)
        ledger.know([b"\x01" * 4, b"\x02" * 4])
        ledger.move(1, POT, 500_000, Purpose.FINE)
        ledger.new_game(editions.load("europe"), kind=Kind.FAST)
        ledger.go_back()
        ledger.new_game(banking, kind=Kind.CLOCK, minutes=90)
        ledger.move(BANK, 1, 2_000_000, Purpose.SALARY)
        ledger.go_back()
        ledger.move(1, BANK, 600_000, Purpose.MORTGAGE)
        ledger.reverse(ledger.move(2, 1, 15_000_000, Purpose.BANKRUPTCY))
    return path


def test_games_of_a_resumed_game(run_cli: RunCli, resumed: Path) -> None:
    lines = run_cli("ledger", "games", "--ledger", resumed).out.rstrip().split("\n")
    starts = [
        "1     banking  normal        ",
        "2     europe   fast          ",
        "3     banking  clock 90 min  ",
    ]
    ends = ("  6         being played", "  2", "  3")
    for line, start, end in zip(lines[1:], starts, ends, strict=True):
        assert line.startswith(start)
        assert line.endswith(end)


def test_commands_show_the_current_game(run_cli: RunCli, resumed: Path) -> None:
    lines = run_cli("ledger", "accounts", "--ledger", resumed).out.strip().split("\n")
    assert lines[1].split() == ["card", "1", "13,9M", "13", "900", "000"]
    assert lines[2].split() == ["card", "2", "15M", "15", "000", "000"]
    assert lines[3].split() == ["pot", "500K", "500", "000"]
    assert lines[4].split() == ["bank", "-29,4M", "-29", "400", "000"]
    assert lines[5] == "game 1, edition banking; all accounts sum to 0"
    lines = run_cli("ledger", "history", "--ledger", resumed).out.strip().split("\n")
    assert len(lines) == 1 + 6
    assert lines[3].endswith("  card 1  pot     500K    fine")
    assert lines[4].endswith("  card 1  bank    600K    mortgage")
    assert lines[5].endswith("  card 2  card 1  15M     bankruptcy (reversed)")
    assert lines[6].endswith("  card 1  card 2  15M     reversal of 10")
    assert "salary" in run_cli("ledger", "history", "--ledger", resumed, "--game", "3").out
    assert "Game 1, as it stands" in run_cli("ledger", "report", "--ledger", resumed).out
    assert run_cli("ledger", "verify", "--ledger", resumed).status == 0


def test_accounts_without_a_pot(run_cli: RunCli, played: Path) -> None:
    assert "pot" not in run_cli("ledger", "accounts", "--ledger", played).out


def test_reading_commands_do_not_change_an_old_ledger(run_cli: RunCli, tmp_path: Path) -> None:
    old = tmp_path / "old.db"
    old.write_bytes(OLD_LEDGER.read_bytes())
    lines = run_cli("ledger", "games", "--ledger", old).out.strip().split("\n")
    assert [line.split()[2] for line in lines] == ["kind", "normal", "normal"]
    assert lines[1].endswith(" 12")
    assert lines[2].endswith(" 11        being played")
    assert "reversal of 20" in run_cli("ledger", "history", "--ledger", old).out
    assert "18,25M" in run_cli("ledger", "accounts", "--ledger", old).out
    assert "Card 2 has the most money so far." in run_cli("ledger", "report", "--ledger", old).out
    assert "takes over number 6" in run_cli("cards", "--ledger", old).out
    output = run_cli("ledger", "verify", "--ledger", old)
    assert output.out.endswith("The ledger is sound.\n"), output.err
    copy = tmp_path / "copy.db"
    assert run_cli("ledger", "backup", copy, "--ledger", old).status == 0
    assert run_cli("ledger", "verify", "--ledger", copy).status == 0
    assert old.read_bytes() == OLD_LEDGER.read_bytes()
    # A box migrates it.
    output = type_into_sim(
        "insert left 2", "press G", "expect balance 2 20,25M", options=("--ledger", old)
    )
    assert output.status == 0, output.err
    assert run_cli("ledger", "verify", "--ledger", old).status == 0
    assert len(run_cli("ledger", "history", "--ledger", old).out.strip().split("\n")) == 1 + 12


def test_verify_lists_the_checks(run_cli: RunCli, played: Path) -> None:
    output = run_cli("ledger", "verify", "--ledger", played)
    assert output.status == 0
    assert output.out.endswith("The ledger is sound.\n")
    for what in ("integrity check", "schema", "checksums", "balances", "reversals (1)", "cards"):
        assert what in output.out


def test_verify_finds_a_forged_row(run_cli: RunCli, played: Path) -> None:
    connection = sqlite3.connect(played)
    connection.execute("DROP TRIGGER posting_no_UPDATE")
    connection.execute("UPDATE posting SET amount = 1 WHERE id = 3")
    connection.commit()
    connection.close()
    output = run_cli("ledger", "verify", "--ledger", played)
    assert output.status == 1
    assert "the trigger posting_no_UPDATE is missing or changed" in output.out
    assert output.err == (
        f"tellerbox: {played}: the ledger is not sound (faults: 1); restore a backup\n"
    )


def test_backup_is_a_checked_ledger(run_cli: RunCli, played: Path, tmp_path: Path) -> None:
    copy = tmp_path / "stick" / "copy.db"
    output = run_cli("ledger", "backup", copy, "--ledger", played)
    assert output.status == 1
    assert "cannot be written" in output.err
    copy.parent.mkdir()
    assert run_cli("ledger", "backup", copy, "--ledger", played).status == 0
    assert os.listdir(copy.parent) == ["copy.db"]
    assert run_cli("ledger", "verify", "--ledger", copy).status == 0
    output = run_cli("ledger", "backup", copy, "--ledger", played)
    assert (output.status, "already exists" in output.err) == (1, True)
    assert run_cli("ledger", "backup", copy, "--force", "--ledger", played).status == 0
    output = run_cli("ledger", "backup", played, "--force", "--ledger", played)
    assert "is the ledger itself" in output.err


def test_commands_work_while_a_box_runs(run_cli: RunCli, played: Path, tmp_path: Path) -> None:
    box = subprocess.Popen(
        [*TELLERBOX, "sim", "--text", "--ledger", str(played)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
    )
    assert box.stdin
    assert box.stdout
    box.stdin.write("insert right 3\npress 1M\n")
    box.stdin.flush()
    while "screen 14M" not in box.stdout.readline():
        pass
    assert "14M" in run_cli("ledger", "accounts", "--ledger", played).out
    assert "card 3" in run_cli("ledger", "history", "--ledger", played).out
    assert run_cli("ledger", "verify", "--ledger", played).status == 0
    assert run_cli("ledger", "backup", tmp_path / "b.db", "--ledger", played).status == 0
    refused = type_into_sim(options=("--ledger", played))
    assert refused.err == (
        f"tellerbox: {played}: this ledger is in use by another box; stop that box first\n"
    )
    # A lost card, replaced from the command line in the middle of the game.
    assert run_cli("cards", "replace", "6", "--ledger", played).status == 0
    out, _ = box.communicate("insert left 9\nexpect card 6\nremove left\npress 2M\n")
    assert "message REPLACED" in out
    assert "screen 12M" in out
    assert box.returncode == 0


def test_verify_finds_an_unknown_setting(run_cli: RunCli, played: Path) -> None:
    with closing(sqlite3.connect(played)) as connection, connection:
        connection.execute("INSERT INTO setting VALUES ('bribe', 1)")
    output = run_cli("ledger", "verify", "--ledger", played)
    assert output.status == 1
    assert "the setting bribe = 1 is not valid" in output.out + output.err


def test_backup_deletes_no_other_file(run_cli: RunCli, played: Path, tmp_path: Path) -> None:
    """Neither the ledger itself, whatever its suffix, nor files beside the copy."""
    ledger = played.rename(tmp_path / "copy.db.part")
    notes = tmp_path / "other.db.part"
    notes.write_text("to do")
    for copy in ("copy.db", "other.db"):
        assert run_cli("ledger", "backup", tmp_path / copy, "--ledger", ledger).status == 0
    assert ledger.exists()
    assert notes.read_text() == "to do"


def test_backup_replaces_only_regular_files(run_cli: RunCli, played: Path, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for target in (tmp_path / "pipe", tmp_path):
        output = run_cli("ledger", "backup", "--force", target, "--ledger", played)
        assert output.status == 1
        assert output.err == f"tellerbox: {target}: is not a regular file; name another file\n"
    assert (tmp_path / "pipe").is_fifo()
