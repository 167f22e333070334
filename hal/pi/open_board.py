"""The Pi that the box runs on: opens its board, and tests it for the person who built it.

The drivers are imported only when it is known that a GPIO library works: on another
machine, or beside the wrong library, they cannot even be loaded.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from hal.faults import BoardFault
from hal.findings import Access, Finding, Person
from hal.pi import system_check
from hal.pi.gpio import factory_class
from hal.pi.supply import gauge
from hal.pi.waiter import Waiter
from hal.wiring import Wiring

if TYPE_CHECKING:
    from hal.pi.board import PiBoard
    from hal.pi.parts_check import Site

MODEL = "proc/device-tree/model"
I2C_SPEED = "sys/class/i2c-adapter/i2c-{}/of_node/clock-frequency"


@contextmanager
def opened(wiring: Wiring) -> Iterator["PiBoard"]:
    """The board of this Pi, for as long as the program runs."""
    board = _made(wiring)
    try:
        yield board
    finally:
        board.close()


def _made(wiring: Wiring) -> "PiBoard":
    factory = factory_class()
    try:
        from hal.pi.board import PiBoard
        from hal.pi.trouble import TROUBLE
    except ImportError as error:
        raise BoardFault(f"the package {error.name} is missing; `make pi` installs it") from None
    try:
        pins = factory()
    except TROUBLE as error:
        where = system_check.GPIO.path
        raise BoardFault(f"the pins cannot be used: {where}: {error}") from error
    return PiBoard(wiring, pins, Waiter(), gauge())


class PiSite:
    """The machine we run on; the root of its file system may be another one, for tests."""

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
    return findings(wiring, PiSite(), person)


def findings(wiring: Wiring, site: "Site", person: Person | None) -> Iterator[Finding]:
    """The whole self-test, as far as the machine lets it go."""
    yield from system_check.findings(wiring, site)
    if system_check.library_works():
        from hal.pi.parts_check import PartsCheck

        yield from PartsCheck(wiring, site, person).findings()
