"""``tellerbox selftest``, as a person at a terminal meets it."""

import io
import subprocess
import sys
from pathlib import Path

import pytest

from firmware.cli import main
from firmware.mistake import Mistake
from firmware.selftest_command import TerminalPerson
from hal.events import Key, Slot
from hal.wiring import Part


def test_on_the_virtual_board_everything_works(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["selftest", "--board", "virtual"]) == 0
    out = capsys.readouterr().out
    assert out.endswith("\nEverything works.\n")
    assert "\nok    keypad: all sixteen keys\n" in out


def test_without_anybody_it_says_what_was_not_tried(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["selftest", "--board", "virtual", "--no-input"]) == 0
    out = capsys.readouterr().out
    assert "sixteen" not in out
    assert "Nothing failed. Keys, cards, picture and sound need you" in out


def test_a_failure_is_told_with_its_wires_and_the_status_is_1(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from sim.virtual import Hardware

    monkeypatch.setattr(Hardware, "whole", lambda _self, _part, *pads: "SCL" not in pads)
    assert main(["selftest", "--board", "virtual", "--no-input"]) == 1
    out = capsys.readouterr().out
    assert "FAIL  screen: nothing answers at 0x3c\n      One of these wires is open:\n" in out
    assert "      - SCL to pin 5 (GPIO 3, I2C1 SCL)\n" in out
    assert out.endswith("\n1 to mend; then run this again.\n")


def test_off_the_pi_it_tells_what_is_missing() -> None:
    """The real lgpio is not installed where the tests run."""
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


def test_a_bad_config_names_the_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = tmp_path / "box.toml"
    config.write_text("[pins]\nbuzzer = 8\n")
    assert main(["selftest", "--board", "virtual", "--config", str(config)]) == 1
    assert f"{config}:2: pins.buzzer" in capsys.readouterr().err


def test_what_the_person_is_asked(
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
    with pytest.raises(Mistake, match="use --no-input"):
        person.hears_tone()
