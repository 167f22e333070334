"""The rate of the box's time: stopped, real time, or ten or sixty times as fast."""

from collections.abc import Callable

from hal.events import SECOND, Instant
from hal.pi.waiter import Waiter


class Pace:
    """The box's time as a linear function of wall time."""

    def __init__(self, wall_time: Callable[[], Instant]) -> None:
        self._wall_time = wall_time
        self.rate = 1
        self.set_time(Instant(0))

    def now(self) -> Instant:
        return Instant(self._reached + (self._wall_time() - self._wall) * self.rate)

    def set_rate(self, rate: int) -> None:
        self.set_time(self.now())
        self.rate = rate

    def set_time(self, moment: Instant) -> None:
        self._wall, self._reached = self._wall_time(), moment

    def skip_minute(self) -> None:
        self.set_time(Instant(self.now() + 60 * SECOND))

    def wall_at(self, moment: Instant) -> Instant | None:
        """The wall time of a moment; None if time is stopped before it."""
        if moment <= self._reached:
            return self._wall
        if self.rate == 0:
            return None
        return Instant(self._wall - (self._reached - moment) // self.rate)


class PacedWaiter(Pace):
    """A clock and alarm for the drivers, at a pace."""

    def __init__(self, waiter: Waiter | None = None) -> None:
        self._waiter = waiter or Waiter()
        super().__init__(self._waiter.now)
        self.instant_of = self._waiter.instant_of
        self.listen = self._waiter.listen
        self.deafen = self._waiter.deafen
        self.interrupt = self._waiter.interrupt

    def wait(self, until: Instant | None) -> bool:
        """Wait until an instant or an interrupt; True if a descriptor is readable."""
        return self._waiter.wait(None if until is None else self.wall_at(until))
