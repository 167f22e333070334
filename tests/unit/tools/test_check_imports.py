"""The import rule, and the modules that short commands must not load."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tools import check_imports

ROOT = Path(__file__).parents[3]
PI_PACKAGES = {"gpiozero", "RPi", "lgpio", "mfrc522", "luma", "spidev", "smbus2", "serial"}
RULE = '"""A package.\n\nIt may import: hal.*, hal.display, sim.board.clocks, PIL.\n"""\n'
ALL_THAT_IS_ALLOWED = "import hal.parts, hal.display.view, sim.board.clocks, PIL\n"


@pytest.mark.parametrize(
    ("line", "offends"),
    [
        ("import os.path", False),
        ("from firmware.table import seats", False),
        ("from hal.parts import Board", False),
        ("from hal.display.view import View", False),
        ("import PIL.Image", False),
        ("from sim.board.clocks import VirtualClock", False),
        ("from sim.board import clocks", False),
        ("from sim.board import trace", True),
        ("import hal.pi.board", True),
        ("from hal import pi", True),
        ("import gpiozero", True),
        ("from . import seats", True),
        ("CONSOLE = 'sim.board.trace'", True),
        ("CONSOLE = 'sim.board.clocks'", False),
        ("CONSOLE = 'sim.no.module'", False),
    ],
)
def test_a_package_imports_what_its_sentence_allows(
    tmp_path: Path, line: str, offends: bool
) -> None:
    for module in ("firmware/table/seats", "sim/board/clocks", "sim/board/trace", "hal/pi/board"):
        file = tmp_path / f"{module}.py"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
    for package in ("hal", "hal/pi", "sim", "sim/board"):
        (tmp_path / package / "__init__.py").write_text('"""It may import: nothing."""\n')
    (tmp_path / "firmware/table/__init__.py").write_text(RULE)
    (tmp_path / "firmware/table/a.py").write_text(f"{line}\n")
    (tmp_path / "firmware/table/needs_all.py").write_text(ALL_THAT_IS_ALLOWED)
    found = list(check_imports.offences(tmp_path))
    assert len(found) == offends, found


def test_a_package_without_a_sentence_is_an_offence(tmp_path: Path) -> None:
    (tmp_path / "hal").mkdir()
    (tmp_path / "hal/__init__.py").write_text('"""The parts."""\n')
    (tmp_path / "hal/a.py").touch()
    assert len(list(check_imports.offences(tmp_path))) == 1


@pytest.mark.parametrize("name", ["hal.parts", "hal.display.view", "sim.board.clocks", "PIL"])
def test_a_permission_that_nothing_needs_is_an_offence(tmp_path: Path, name: str) -> None:
    (tmp_path / "firmware/table").mkdir(parents=True)
    (tmp_path / "firmware/table/__init__.py").write_text(RULE)
    lines = ALL_THAT_IS_ALLOWED.replace(f"{name}", "os")
    (tmp_path / "firmware/table/a.py").write_text(lines)
    (found,) = check_imports.offences(tmp_path)
    assert "firmware.table need not import " in found


def test_the_rule_holds() -> None:
    assert list(check_imports.offences(ROOT)) == []


def test_the_model_of_the_bank_imports_nothing() -> None:
    init = ROOT / "tests" / "campaign" / "storm" / "model" / "__init__.py"
    assert "It may import: nothing." in init.read_text(encoding="utf-8")


def loaded_by(command: str, names: set[str], script: str) -> str:
    """The output of a command on the software board, and which of these packages it has loaded."""
    code = (
        f"import sys; from firmware.cli import main; main({command.split()!r});"
        f"print(sorted({names!r} & {{name.split('.')[0] for name in sys.modules}}))"
    )
    done = subprocess.run(
        [sys.executable, "-S", "-c", code],
        input=script,
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
    )
    return done.stdout


def test_the_prompt_loads_nothing_of_the_pis_packages(tmp_path: Path) -> None:
    command = f"sim --text --ledger {tmp_path / 'ledger.db'}"
    said = loaded_by(command, PI_PACKAGES, "insert left 1\nquit\n")
    assert "screen" in said
    assert said.endswith("\n[]\n")


def test_play_loads_no_picture_and_no_driver() -> None:
    heavy = {"PIL", "dataclasses", "pathlib", "logging", "asyncio", "readline"}
    names = heavy | PI_PACKAGES
    said = loaded_by("play -", names, "insert left 1\nexpect card 1\n")
    assert said.endswith("1 passed, 0 failed\n[]\n")
