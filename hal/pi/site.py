"""The Pi that the self-test runs on: what its system says of itself."""

import os
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path

from hal.findings import Access, Finding, Person
from hal.pi import board
from hal.pi.selftest import findings
from hal.wiring import Wiring

MODEL = "proc/device-tree/model"
I2C_SPEED = "sys/class/i2c-adapter/i2c-1/of_node/clock-frequency"


class PiSite:
    """The machine we run on; the root of its file system may be another one, for tests."""

    def __init__(self, root: Path = Path("/")) -> None:
        self._root = root

    @property
    def model(self) -> str:
        try:
            # The kernel ends the text with a NUL.
            return (self._root / MODEL).read_text(errors="replace").rstrip("\0\n")
        except OSError:
            return "machine that does not say which Raspberry Pi it is"

    def access(self, device: str) -> Access:
        path = self._root / device.lstrip("/")
        if not path.exists():
            return Access.MISSING
        return Access.READY if os.access(path, os.R_OK | os.W_OK) else Access.FORBIDDEN

    @property
    def i2c_speed(self) -> int | None:
        try:
            return int.from_bytes((self._root / I2C_SPEED).read_bytes(), "big")
        except OSError:
            return None

    def opened(self, wiring: Wiring) -> AbstractContextManager[board.PiBoard]:
        return board.opened(wiring)


def selftest(wiring: Wiring, person: Person | None) -> Iterator[Finding]:
    return findings(wiring, PiSite(), person)
