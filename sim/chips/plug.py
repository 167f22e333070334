"""Where the stand-ins are plugged in: the one virtual board that all of them lead to."""

from collections.abc import Callable
from types import ModuleType
from typing import Any, Protocol


class PluggedBoard(Protocol):
    """What the stand-ins need of a virtual board."""

    def open_bus(self, kind: str, number: int) -> None:
        """Of the kind "spi", "i2c" or "gpio"; raises FileNotFoundError when there is none."""
        ...

    def spi(self, device: int, sent: bytes, speed: int) -> bytes: ...

    def i2c(self, address: int, payload: bytes) -> None:
        """One write; raises OSError(EREMOTEIO) when nobody acknowledges."""
        ...

    def i2c_read(self, address: int) -> int:
        """One byte, read; raises OSError(EREMOTEIO) when nobody acknowledges."""
        ...

    def claim_input(self, pin: int, pull: str) -> None: ...

    def claim_output(self, pin: int, level: int) -> None: ...

    def read(self, pin: int) -> int: ...

    def write(self, pin: int, level: int) -> None: ...

    def watch(self, pin: int, edges: int, tell: Callable[[int, int], None] | None) -> None:
        """Tell of edges with the level and the time in nanoseconds; None: no more."""
        ...

    def pwm(self, pin: int, frequency: float, duty: float) -> None: ...


plugged: list[PluggedBoard] = []
"""The board that is plugged in, if any: the modules outlive the boards."""


def board() -> PluggedBoard:
    if not plugged:
        raise OSError(19, "no virtual board is plugged in")
    return plugged[0]


def module(name: str, **contents: Any) -> ModuleType:
    """A module made on the spot, which can be told from the one it stands in for."""
    made = ModuleType(name)
    made.__dict__.update(contents, STAND_IN=True)
    return made
