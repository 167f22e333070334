"""The two clocks of the simulated boards: virtual for scripts, wall for people."""

import time
from typing import TypeAlias

from hal.events import SECOND, Instant


class VirtualClock:
    """Time passes only when it is told to, and then at once."""

    def __init__(self) -> None:
        self._now = Instant(0)

    def now(self) -> Instant:
        return self._now

    def pass_until(self, moment: Instant) -> None:
        self._now = max(self._now, moment)


class WallClock:
    """The time on the wall, since the clock was made."""

    def __init__(self) -> None:
        self._start = time.monotonic_ns()

    def now(self) -> Instant:
        return Instant((time.monotonic_ns() - self._start) // 1_000)

    def pass_until(self, moment: Instant) -> None:
        while (left := moment - self.now()) > 0:
            time.sleep(left / SECOND)


SimClock: TypeAlias = VirtualClock | WallClock
