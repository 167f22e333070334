"""Opens the board of the Pi that the program runs on, and runs its self-test.

What usually keeps the pins from being opened, the package or the device file, is checked before
the first screen. Loading the GPIO library and opening the pins takes long, and comes after it.

Tests: tests/drivers/test_selftest.py.
"""

import os
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from hal.faults import BoardFault, missing_package
from hal.findings import Access, Finding, Person
from hal.pi.gpio import PINS, factory_class, library
from hal.pi.selftest import system_check
from hal.pi.supply import gauge
from hal.pi.waiter import Waiter
from hal.wiring import Wiring

if TYPE_CHECKING:
    from hal.pi.board import PiBoard

MODEL = "proc/device-tree/model"
I2C_SPEED = "sys/class/i2c-adapter/i2c-{}/of_node/clock-frequency"


def opened(wiring: Wiring) -> "closing[PiBoard]":
    """Open the board of this Pi; close it at the end. Raises BoardFault."""
    library()
    access = PiSystem().access(PINS)
    if access is not Access.READY:
        raise BoardFault(f"the pins cannot be used: {PINS} {access.value}")
    try:
        from hal.pi.board import PiBoard

        return closing(PiBoard(wiring, open_pins, Waiter(), gauge()))
    except ImportError as error:
        raise missing_package(error) from None


def open_pins() -> object:
    """Load gpiozero, and return its pin factory. Raises BoardFault and ImportError."""
    factory = factory_class()
    from hal.pi.hardware_errors import opening_pins

    with opening_pins():
        return factory()


class PiSystem:
    """The system of this Pi; tests give it another root directory."""

    def __init__(self, root: Path = Path("/")) -> None:
        self._root = root

    @property
    def model(self) -> str | None:
        try:
            # The kernel ends the text with a NUL.
            return (self._root / MODEL).read_text(errors="replace").rstrip("\0\n")
        except OSError:
            return None

    def access(self, device: str) -> Access:
        path = self._root / device.lstrip("/")
        if not path.exists():
            return Access.MISSING
        return Access.READY if os.access(path, os.R_OK | os.W_OK) else Access.FORBIDDEN

    def i2c_speed(self, bus: int) -> int | None:
        try:
            return int.from_bytes((self._root / I2C_SPEED.format(bus)).read_bytes(), "big")
        except OSError:
            return None

    opened = staticmethod(opened)


def selftest(wiring: Wiring, person: Person | None) -> Iterator[Finding]:
    return findings(wiring, PiSystem(), person)


def findings(
    wiring: Wiring, system: system_check.System, person: Person | None
) -> Iterator[Finding]:
    """Run the self-test; the parts are tested only if the GPIO library works."""
    yield from system_check.findings(wiring, system)
    if system_check.library_works():
        from hal.pi.selftest.parts_check import PartsCheck

        yield from PartsCheck(wiring, system, person).findings()
