"""The clock that the drivers use, with a wait that can be interrupted.

Tests: tests/drivers/test_waiter.py.
"""

from typing import Protocol

from hal.events import Instant


class Alarm(Protocol):
    """A clock with an interruptible wait."""

    def now(self) -> Instant: ...

    def instant_of(self, ticks: float) -> Instant:
        """Convert the GPIO library's timestamp of an edge, in seconds."""

    def wait(self, until: Instant | None) -> bool:
        """Wait until an instant or an interruption; True if a descriptor is readable."""

    def listen(self, descriptor: int) -> None:
        """End the wait also when this descriptor is readable."""

    def deafen(self, descriptor: int) -> None: ...

    def interrupt(self) -> None:
        """End the current wait, or the next one; safe from any thread."""
