"""The import rule, and what a short script must not pay for."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tools import check_imports


@pytest.mark.parametrize(
    ("name", "line", "offends"),
    [
        ("firmware/a.py", "from sim.board import SimBoard", True),
        ("firmware/a.py", "import hal.pi.screen", True),
        ("firmware/a.py", "from hal import pi", True),
        ("firmware/a.py", "from . import box", True),
        ("firmware/a.py", "from hal.parts import Board", False),
        ("hal/a.py", "from firmware.box import Box", True),
        ("hal/a.py", "import sim", True),
        ("hal/a.py", "import gpiozero", True),
        ("hal/pi/a.py", "import gpiozero", False),
        ("hal/a.py", "import simple", False),
        ("sim/a.py", "from firmware.box import Box", False),
        ("sim/a.py", "import spidev", True),
        ("sim/storm/model/a.py", "from sim.storm.model.memory import Move", False),
        ("sim/storm/model/a.py", "from sim.storm.model import fkey", False),
        ("sim/storm/model/a.py", "import re", False),
        ("sim/storm/model/a.py", "from sim.stock import STOCK", True),
        ("sim/storm/model/a.py", "from sim.storm import seen", True),
        ("sim/storm/model/a.py", "import sim", True),
        ("sim/storm/model/a.py", "from hal.events import Slot", True),
        ("sim/storm/model/a.py", "import firmware.money", True),
        ("sim/storm/a.py", "import firmware.money", False),
    ],
)
def test_who_may_import_whom(tmp_path: Path, name: str, line: str, offends: bool) -> None:
    (tmp_path / name).parent.mkdir(parents=True)
    (tmp_path / name).write_text(line)
    assert bool(list(check_imports.offences(tmp_path))) == offends


def test_the_rule_holds() -> None:
    assert list(check_imports.offences(Path(__file__).parents[2])) == []


def loaded_by(command: str, names: set[str], script: str) -> str:
    """What a command on the software board loads of these, and what it printed before."""
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
        cwd=Path(__file__).parents[2],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
    )
    return done.stdout


def test_the_prompt_loads_nothing_of_the_pis_packages(tmp_path: Path) -> None:
    command = f"sim --text --ledger {tmp_path / 'ledger.db'}"
    said = loaded_by(command, set(check_imports.PI_PACKAGES), "insert left 1\nquit\n")
    assert "screen" in said
    assert said.endswith("\n[]\n")


def test_play_loads_no_picture_and_no_driver() -> None:
    heavy = {"PIL", "dataclasses", "pathlib", "logging", "asyncio", "readline"}
    names = heavy | set(check_imports.PI_PACKAGES)
    said = loaded_by("play -", names, "insert left 1\nexpect card 1\n")
    assert said.endswith("1 passed, 0 failed\n[]\n")
