"""``tellerbox play``: output, error messages, exit statuses."""

import io
from pathlib import Path

import pytest

from tests.unit.command_line import RunCli

pytestmark = pytest.mark.usefixtures("home")


def test_play_lists_passed_scripts(run_cli: RunCli, tmp_path: Path) -> None:
    (tmp_path / "a.box").write_text("insert left 1\nexpect card 1\nwait 3h\nexpect asleep\n")
    output = run_cli("play", tmp_path / "a.box")
    assert output.status == 0
    assert output.out == f"ok {tmp_path}/a.box\n1 passed, 0 failed\n"


def test_play_continues_with_the_next_file_after_a_failure(run_cli: RunCli, tmp_path: Path) -> None:
    (tmp_path / "a.box").write_text("\nexpect screen 15M\nexpect screen 16M\n")
    (tmp_path / "b.box").write_text("expect screen -----\n")
    output = run_cli("play", tmp_path / "a.box", tmp_path / "b.box")
    assert output.status == 1
    assert output.err == f"{tmp_path}/a.box:2: expected screen 15M, got -----\n"
    assert output.out == f"ok {tmp_path}/b.box\n1 passed, 1 failed\n"


@pytest.mark.parametrize(
    ("line", "got"),
    [
        ("expect message NO CARD", "expected message NO CARD, got nothing"),
        ("expect message \x1b[31mX", "expected message  [31mX, got nothing"),  # no colours
        ("expect screen", "expected screen, got -----"),
        ("expect card 1", "expected card 1, got none"),
        ("expect balance 1 14M", "expected balance 1 14M, got 15M"),
        ("expect balance 9 1M", "expected balance 9 1M, got no card 9"),
        ("expect sound ok", "expected sound ok, got none"),
        ("expect volume 0", "expected volume 0, got 2"),
        ("expect asleep", "expected asleep, got awake"),
        ("wait 60s\nexpect awake", "expected awake, got asleep"),
        ("wait 60s\nexpect screen 1", "expected screen 1, got nothing"),
    ],
)
def test_play_reports_unmet_expectations(
    run_cli: RunCli, tmp_path: Path, line: str, got: str
) -> None:
    (tmp_path / "a.box").write_text(line)
    output = run_cli("play", tmp_path / "a.box")
    assert output.status == 1
    assert output.err.endswith(f": {got}\n")


def test_play_runs_nothing_if_a_script_is_invalid(run_cli: RunCli, tmp_path: Path) -> None:
    (tmp_path / "a.box").write_text("expect screen 15M\n")
    (tmp_path / "b.box").write_text("expect awake\nfly\n")
    (tmp_path / "c.box").write_bytes(b"# ok\n# caf\xe9\n")
    missing = tmp_path / "d.box"
    output = run_cli("play", *(tmp_path / name for name in ("a.box", "b.box", "c.box", "d.box")))
    assert output.status == 2
    assert output.out == ""
    assert f"{tmp_path}/b.box:2: there is no 'fly'" in output.err
    assert f"{tmp_path}/c.box:2: this is not a UTF-8 text" in output.err
    assert f"{missing}:1: cannot be read: No such file or directory" in output.err
    assert output.err.count("\n") == 3


def test_play_reads_standard_input(run_cli: RunCli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"expect screen 1M\n")))
    output = run_cli("play", "-")
    assert output.status == 1
    assert output.err == "-:1: expected screen 1M, got -----\n"


def test_play_traces_events_screens_and_sounds(run_cli: RunCli, tmp_path: Path) -> None:
    (tmp_path / "a.box").write_text(
        "insert left 1\nwait 1s\npress M\nremove left\nwait 60s\npower off\npower on\n"
    )
    lines = run_cli("play", "--trace", tmp_path / "a.box").out.split("\n")
    assert lines[:15] == [
        "0:00:00.000  power  on",
        "0:00:00.000  screen -----",
        "0:00:00.000  card   A1C0FFEE in left",
        "0:00:00.000  screen 1",
        "0:00:00.000  sound  card",
        "0:00:01.000  screen 15M",
        "0:00:01.000  key    M down",
        "0:00:01.000  screen 15M | NO AMOUNT",
        "0:00:01.000  sound  error",
        "0:00:01.000  key    M up",
        "0:00:01.000  card   out of left",
        "0:00:01.000  screen -----",
        "0:01:01.000  screen dark",
        "0:01:01.000  power  off",
        "0:01:01.000  power  on",
    ]


def test_endless_script_is_refused(run_cli: RunCli) -> None:
    output = run_cli("play", "/dev/zero")
    assert output.status == 2
    assert output.err == "/dev/zero:1: is too long for a script: more than 1000000 bytes\n"
