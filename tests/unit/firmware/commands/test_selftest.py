"""``tellerbox selftest`` at a terminal."""

import io
import subprocess
import sys
from pathlib import Path

import pytest

from firmware.cli import main
from firmware.commands.selftest import TerminalPerson
from firmware.user_error import UserError
from hal.events import Key, Slot
from hal.wiring import Part


def test_virtual_board_passes(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["selftest", "--board", "virtual"]) == 0
    out = capsys.readouterr().out
    assert out.endswith("\nEverything works.\n")
    assert "\nok    keypad: all sixteen keys\n" in out


def test_no_input_lists_what_was_skipped(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["selftest", "--board", "virtual", "--no-input"]) == 0
    out = capsys.readouterr().out
    assert "sixteen" not in out
    assert "Nothing failed. To check keys, cards, screen and sound, run this" in out


def test_failure_lists_its_wires_and_exits_with_1(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from sim.virtual.hardware import Hardware

    monkeypatch.setattr(Hardware, "whole", lambda _self, _part, *pads: "SCL" not in pads)
    assert main(["selftest", "--board", "virtual", "--no-input"]) == 1
    out = capsys.readouterr().out
    assert "FAIL  screen: nothing answers at 0x3c\n      One of these wires is open:\n" in out
    assert "      - SCL to pin 5 (GPIO 3, I2C1 SCL)\n" in out
    assert out.endswith("\nFailed: 1. Repair it, then run the self-test again.\n")


def test_missing_hardware_is_reported() -> None:
    """The real lgpio is not installed here."""
    done = subprocess.run(
        [sys.executable, "-m", "firmware", "selftest"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert done.stderr == ""
    assert "FAIL  GPIO library: none that works\n" in done.stdout
    assert "FAIL  /dev/spidev0.0 is not there\n      Switch SPI0 on" in done.stdout


def test_error_in_the_config_file_names_the_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = tmp_path / "box.toml"
    config.write_text("[pins]\nbuzzer = 8\n")
    assert main(["selftest", "--board", "virtual", "--config", str(config)]) == 1
    assert f"{config}:2: pins.buzzer" in capsys.readouterr().err


def test_questions_at_the_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("perhaps\ny\nNo\nYES\n"))
    person = TerminalPerson()
    person.press(Key.COMMA)
    person.put_card(Slot.LEFT)
    person.take_card(Slot.LEFT)
    assert person.sees_light(Part.LEFT_READER)
    assert not person.sees_pattern()
    assert person.hears_tone()
    out = capsys.readouterr().out
    assert "Press the comma" in out
    assert out.count("Is the red light on the left reader's board lit? [y/n]") == 2
    with pytest.raises(UserError, match="use --no-input"):
        person.hears_tone()
