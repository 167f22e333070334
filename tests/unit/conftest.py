"""Fixtures for tests of the command line."""

from pathlib import Path

import pytest

from firmware.cli import main
from tests.unit.command_line import Output, RunCli, type_into_sim


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty home directory, so that no test uses a real ledger."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_STATE_HOME", raising=False)
    return tmp_path


@pytest.fixture
def run_cli(capsys: pytest.CaptureFixture[str]) -> RunCli:
    def run_cli(*arguments: str | Path) -> Output:
        try:
            status = main([str(argument) for argument in arguments])
        except SystemExit as end:
            status = int(end.code or 0)
        out, err = capsys.readouterr()
        return Output(status, out, err)

    return run_cli


@pytest.fixture
def played(tmp_path: Path) -> Path:
    """A ledger with two games; the second has a salary, an entry and a reversal."""
    ledger = tmp_path / "played.db"
    type_into_sim("insert left 1", "press 2M", options=("--ledger", ledger))
    output = type_into_sim(
        "insert left 1",
        "press G",
        "insert right 2",
        "press 1,5M",
        "press 600K",
        "press C",
        options=("--ledger", ledger, "--new-game"),
    )
    assert output.status == 0, output.err
    return ledger
