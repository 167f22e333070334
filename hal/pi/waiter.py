"""The one place where the box on a Pi blocks, and what ends it: time, an edge, a byte.

Edges come from the GPIO library's own thread; a byte in a pipe carries them over. A byte
on the console's line is heard here too, and read by the console.
"""

import os
import select
import time

from hal.events import SECOND, Instant


class Waiter:
    """The box's clock, and its alarm."""

    def __init__(self) -> None:
        self._start = time.monotonic_ns()
        self._ear, self._mouth = os.pipe()
        os.set_blocking(self._mouth, False)
        self._lines: list[int] = []

    def now(self) -> Instant:
        return Instant((time.monotonic_ns() - self._start) // 1_000)

    def instant_of(self, ticks: float) -> Instant:
        """The kernel stamps edges with the monotonic clock; one that does not is not believed."""
        now = self.now()
        at = int(ticks * SECOND) - self._start // 1_000
        return Instant(at) if now - SECOND <= at <= now else now

    def wait(self, until: Instant | None) -> bool:
        """Until an instant, or an interruption; True when a line has something to read."""
        timeout = None if until is None else max(0, until - self.now()) / SECOND
        heard = select.select([self._ear, *self._lines], [], [], timeout)[0]
        if self._ear in heard:
            os.read(self._ear, 4096)
        return any(line in heard for line in self._lines)

    def listen(self, descriptor: int) -> None:
        self._lines.append(descriptor)

    def deafen(self, descriptor: int) -> None:
        self._lines.remove(descriptor)

    def interrupt(self) -> None:
        """End the wait; safe from any thread, and when nobody waits."""
        try:
            os.write(self._mouth, b"!")
        except BlockingIOError:
            # The pipe is full of interruptions already.
            return
