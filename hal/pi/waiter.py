"""The alarm of a real Pi, on ``select``. The box blocks nowhere else.

Edges come from a thread of the GPIO library, which writes a byte into a pipe. Data on the
console's port ends the wait too; the console reads it.

Tests: tests/drivers/test_waiter.py.
"""

import os
import select
import time

from hal.events import SECOND, Instant


class Waiter:
    """An alarm in real time."""

    def __init__(self) -> None:
        self._start = time.monotonic_ns()
        self._wakeup_read, self._wakeup_write = os.pipe()
        os.set_blocking(self._wakeup_write, False)
        self._descriptors: list[int] = []

    def now(self) -> Instant:
        return Instant((time.monotonic_ns() - self._start) // 1_000)

    def instant_of(self, ticks: float) -> Instant:
        """Convert a kernel timestamp (monotonic clock); an implausible one counts as now."""
        now = self.now()
        at = int(ticks * SECOND) - self._start // 1_000
        return Instant(at) if now - SECOND <= at <= now else now

    def wait(self, until: Instant | None) -> bool:
        timeout = None if until is None else max(0, until - self.now()) / SECOND
        readable = select.select([self._wakeup_read, *self._descriptors], [], [], timeout)[0]
        if self._wakeup_read in readable:
            os.read(self._wakeup_read, 4096)
        return any(descriptor in readable for descriptor in self._descriptors)

    def listen(self, descriptor: int) -> None:
        self._descriptors.append(descriptor)

    def deafen(self, descriptor: int) -> None:
        self._descriptors.remove(descriptor)

    def interrupt(self) -> None:
        try:
            os.write(self._wakeup_write, b"!")
        except BlockingIOError:
            # The pipe is full: an interruption is pending.
            return
