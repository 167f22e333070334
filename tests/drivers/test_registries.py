"""The registries: every chip has a driver, a model, and its place in wiring.md."""

import subprocess
import sys
from pathlib import Path

import pytest

from hal.pi.readers.card_reader import CardReader
from hal.pi.readers.registry import READER_DRIVERS, reader_driver
from hal.pi.screens.display import Display
from hal.pi.screens.registry import SCREEN_DRIVERS, screen_driver
from sim.virtual.hardware import Hardware, VirtualAlarm, drivers
from sim.virtual.models import READER_MODELS, SCREEN_MODELS

WIRING_PAGE = Path(__file__).parents[2] / "wiring.md"


def members(protocol: type) -> set[str]:
    declared = {*vars(protocol), *vars(protocol)["__annotations__"]}
    return {name for name in declared if not name.startswith("_")}


@pytest.mark.parametrize("chip", READER_DRIVERS)
def test_reader_driver_implements_the_protocol(chip: str) -> None:
    drivers(Hardware())
    driver = reader_driver(chip)
    assert {name for name in members(CardReader) if not hasattr(driver, name)} == set()


@pytest.mark.parametrize("chip", SCREEN_DRIVERS)
def test_screen_driver_implements_the_protocol(chip: str) -> None:
    drivers(hardware := Hardware())
    screen = screen_driver(chip)(hardware.wiring, VirtualAlarm(hardware))
    assert {name for name in members(Display) if not hasattr(screen, name)} == set()
    assert hardware.i2c_bytes == 0, "a new driver must do no I/O"


def test_every_chip_has_a_model() -> None:
    assert list(READER_MODELS) == list(READER_DRIVERS)
    assert list(SCREEN_MODELS) == list(SCREEN_DRIVERS)


@pytest.mark.parametrize("chip", [*READER_DRIVERS, *SCREEN_DRIVERS])
def test_wiring_page_names_the_chip(chip: str) -> None:
    assert chip.upper() in WIRING_PAGE.read_text(encoding="utf-8")


def test_registries_import_no_driver() -> None:
    code = (
        "import sys, firmware.config; "
        "print([m for m in sys.modules if m.startswith(('luma', 'mfrc522', 'RPi', 'hal.pi'))])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(eval(done.stdout))
    assert loaded == {
        "hal.pi",
        "hal.pi.readers",
        "hal.pi.readers.registry",
        "hal.pi.screens",
        "hal.pi.screens.registry",
    }
