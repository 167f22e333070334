"""``tellerbox ledger report``: options, errors and the files that it writes."""

import errno
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from firmware.bank import edition as editions
from firmware.bank.ledger import Ledger
from firmware.bank.purposes import Purpose
from firmware.bank.records import Kind
from firmware.cli import main
from firmware.storage.ledger_file import opened_by_box
from tests.unit.firmware.reports.played_games import MILLION, Page

BANKING = editions.load("banking")

OLD_LEDGER = Path(__file__).parents[2] / "ledgers" / "format-1.db"


@pytest.fixture
def ledger(tmp_path: Path) -> Path:
    path = tmp_path / "played.db"
    with opened_by_box(path) as store:
        played = Ledger(store, BANKING)
        played.know([b"\x01" * 4, b"\x02" * 4, b"\x03" * 4])
        played.move(1, 2, 3 * MILLION, Purpose.ENTRY)
        played.new_game(BANKING, kind=Kind.FAST)
        played.move(2, 1, MILLION, Purpose.RENT)
    return path


RunCli = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run_cli(capsys: pytest.CaptureFixture[str], ledger: Path) -> RunCli:
    def run_cli(*words: str | Path) -> tuple[int, str, str]:
        status = main(["ledger", "report", "--ledger", str(ledger), *map(str, words)])
        return status, *capsys.readouterr()

    return run_cli


def test_the_command(run_cli: RunCli) -> None:
    status, out, err = run_cli()
    assert (status, err) == (0, "")
    assert out.startswith("Game 2, as it stands: edition banking, fast\n")
    assert "rent of utilities" in out
    status, out, err = run_cli("--game", "1")
    assert out.startswith("Game 1: edition banking, normal\n")
    assert "Card 2 ended with the most money" in out


def test_the_page_of_the_command(run_cli: RunCli, tmp_path: Path) -> None:
    target = tmp_path / "out" / "game.html"
    assert run_cli("--html", target) == (
        1,
        "",
        f"tellerbox: {target}: cannot be written: No such file or directory\n",
    )
    target.parent.mkdir()
    status, out, err = run_cli("--html", target, "--game", "1")
    assert (status, err) == (0, "")
    assert out == f"{target}: game 1, {target.stat().st_size} bytes\n"
    assert Page(target.read_text(encoding="utf-8")).words["h1"] == ["Game 1"]
    before = target.read_bytes()
    status, out, err = run_cli("--html", target)
    assert (status, out) == (1, "")
    assert err == f"tellerbox: {target}: already exists; name another file, or add --force\n"
    assert target.read_bytes() == before
    assert run_cli("--html", target, "--force")[0] == 0
    assert Page(target.read_text(encoding="utf-8")).words["h1"] == ["Game 2, as it stands"]
    assert os.listdir(target.parent) == ["game.html"]


def test_page_replaces_only_regular_files(run_cli: RunCli, ledger: Path, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for target in (tmp_path / "pipe", tmp_path):
        status, _, err = run_cli("--html", target, "--force")
        assert status == 1
        assert err == f"tellerbox: {target}: is not a regular file; name another file\n"
    before = ledger.read_bytes()
    status, _, err = run_cli("--html", ledger, "--force")
    assert (status, err) == (
        1,
        f"tellerbox: {ledger}: is the ledger itself; name another file\n",
    )
    assert ledger.read_bytes() == before


def test_wrong_options_are_reported(
    run_cli: RunCli, ledger: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for game in ("9", "-1"):
        status, _, err = run_cli("--game", game)
        assert status == 1
        assert err == (
            f"tellerbox: {ledger}: there is no game {game}; "
            "`tellerbox ledger games` lists all games\n"
        )
    status, out, err = run_cli("--force")
    assert (status, out) == (1, "")
    assert err == "tellerbox: --force needs --html FILE\n"
    with pytest.raises(SystemExit) as end:
        run_cli("--game", "two")
    assert end.value.code == 2
    assert "invalid int value: 'two'" in capsys.readouterr().err


def test_unfinished_page_leaves_no_file(
    run_cli: RunCli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The disk is full half-way; the earlier report stays."""
    target = tmp_path / "out" / "game.html"
    target.parent.mkdir()
    target.write_text("last week's")

    def half(path: Path, content: str, encoding: str) -> None:
        path.write_bytes(content[: len(content) // 2].encode(encoding))
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))

    monkeypatch.setattr(Path, "write_text", half)
    status, out, err = run_cli("--html", target, "--force")
    assert (status, out) == (1, "")
    assert err == f"tellerbox: {target}: cannot be written: No space left on device\n"
    assert target.read_text() == "last week's"
    assert os.listdir(target.parent) == ["game.html"]


def test_only_the_report_command_imports_the_reports(ledger: Path) -> None:
    code = (
        "import sys; from firmware.cli import main;"
        "status = main(sys.argv[1:]);"
        "print(*(name for name in sys.modules if name.startswith('firmware.reports.report')))"
    )
    for what, loaded in (("games", ""), ("report", "firmware.reports.report")):
        words = [sys.executable, "-c", code, "ledger", what, "--ledger", str(ledger)]
        done = subprocess.run(words, capture_output=True, text=True, check=True)
        last = done.stdout.split("\n")[-2]
        assert (loaded in last.split()) if loaded else last == ""


def test_report_of_an_old_ledger(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """It records only moves, not the cards that joined."""
    old = tmp_path / "old.db"
    old.write_bytes(OLD_LEDGER.read_bytes())
    assert main(["ledger", "report", "--ledger", str(old), "--game", "1"]) == 0
    out = capsys.readouterr().out
    assert "  1         1    17,6M\n  2         2    16,4M\n  3         3    14,4M\n" in out
    assert "Never played, and left out: 3 cards." in out
    assert "Taken back, and left out of the totals: 1 move." in out
    assert "  entries to the bank          1    600K\n" in out
    assert old.read_bytes() == OLD_LEDGER.read_bytes()
