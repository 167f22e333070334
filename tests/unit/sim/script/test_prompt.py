"""The prompt of ``tellerbox sim --text``."""

import os
import pty
import select
import subprocess
import time
from pathlib import Path

import pytest

from tests.unit.command_line import TELLERBOX, type_into_sim

pytestmark = pytest.mark.usefixtures("home")


def test_prompt_keeps_the_ledger_across_restarts() -> None:
    first = type_into_sim("insert left 1", "press 2M", "remove left")
    assert first.status == 0
    assert "screen 17M | sound ok" in first.out
    assert "█" in first.out
    second = type_into_sim("insert left 1", "expect balance 1 17M", "wait 1s", "expect screen 17M")
    assert second.status == 0, second.err


def test_prompt_has_help_and_reports_errors() -> None:
    output = type_into_sim("help", "hop", "given cards none", "expect screen 1M", "", "quit", "hop")
    assert output.status == 1
    assert "hold C 3s" in output.out
    assert output.err.split("\n")[:3] == [
        "there is no 'hop'; a line begins with "
        "given, insert, remove, press, hold, wait, power, fault, mend, expect",
        "'given' works only in a script; here, start with --edition, --cards or --config",
        "expected screen 1M, got -----",
    ]
    assert output.err.count("hop") == 1


def test_power_off_at_the_prompt() -> None:
    output = type_into_sim("insert left 1", "power off", "press 1", "power on", "expect card 1")
    assert "the power is off" in output.out
    assert "'press' makes no sense while the power is off" in output.err


def test_faults_at_the_prompt() -> None:
    output = type_into_sim(
        "insert left 1",
        "fault reader left",
        "expect message LEFT READER",
        "fault screen",
        "mend screen",
        "mend reader left",
        "expect card 1",
        "fault disk full",
        "mend disk",
    )
    assert "screen ----- | message LEFT READER" in output.out
    assert "the screen is unplugged" in output.out
    assert output.err.strip().split("\n") == [
        "your ledger is on a real disk here; use its faults in a script",
        "'mend' has nothing to repair",
    ]


def test_prompt_waits_in_real_time() -> None:
    start = time.monotonic()
    output = type_into_sim("insert left 1", "hold C 3s", "expect message NEW GAME")
    assert "(3 seconds pass ...)" in output.out
    assert time.monotonic() - start >= 3
    assert output.status == 0, output.err


def test_terminal_without_block_characters() -> None:
    done = subprocess.run(
        [*TELLERBOX, "sim", "--text"],
        input="insert left 1\n",
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
    )
    assert done.returncode == 0
    assert "screen 1 | sound card" in done.stdout
    assert "Traceback" not in done.stderr


def test_terminal_has_completion_and_history(home: Path) -> None:
    pid, terminal = pty.fork()
    if pid == 0:
        os.environ["TERM"] = "dumb"
        os.execv(TELLERBOX[0], [*TELLERBOX, "sim", "--text"])
    seen = read_until(terminal, "box> ")
    assert "⠀" in seen or "█" in seen
    os.write(terminal, b"insert l\t 1\n")
    assert "screen 1" in read_until(terminal, "sound card")
    os.write(terminal, b"quit\n")
    read_until(terminal, "\0")
    assert os.waitpid(pid, 0)[1] == 0
    assert "insert left 1" in (home / ".local/state/tellerbox/history").read_text()


def read_until(terminal: int, text: str) -> str:
    """The output of a terminal until a text appears, or it closes."""
    seen = b""
    while text.encode() not in seen:
        assert select.select([terminal], [], [], 20)[0], seen.decode(errors="replace")
        try:
            chunk = os.read(terminal, 65536)
        except OSError:
            break
        if not chunk:
            break
        seen += chunk
    return seen.decode(errors="replace")
