"""How fast the box's time runs: held, as the wall's, or ten or sixty times as fast."""

from hal.events import SECOND, Instant
from hal.pi.waiter import Waiter

A_MINUTE = 60 * SECOND
"""What can be skipped."""


class Pace:
    """The box's time as a line over the wall's: a rate, and a point that it goes through."""

    def __init__(self, wall: Instant) -> None:
        self._wall = wall
        self._reached = Instant(0)
        self.rate = 1

    def at(self, wall: Instant) -> Instant:
        return Instant(self._reached + (wall - self._wall) * self.rate)

    def run(self, rate: int, wall: Instant) -> None:
        self.put(self.at(wall), wall)
        self.rate = rate

    def put(self, moment: Instant, wall: Instant) -> None:
        """It is that moment now."""
        self._wall, self._reached = wall, moment

    def skip(self, duration: int, wall: Instant) -> None:
        self.put(Instant(self.at(wall) + duration), wall)

    def wall_at(self, moment: Instant) -> Instant | None:
        """When it will be that moment; None: never, as long as time stands still."""
        if moment <= self._reached:
            return self._wall
        if self.rate == 0:
            return None
        return Instant(self._wall - (self._reached - moment) // self.rate)


class PacedWaiter:
    """A clock and alarm, as the drivers want one, at a pace."""

    def __init__(self, waiter: Waiter | None = None) -> None:
        self._waiter = waiter or Waiter()
        self._pace = Pace(self._waiter.now())
        self.instant_of = self._waiter.instant_of
        self.listen = self._waiter.listen
        self.deafen = self._waiter.deafen
        self.interrupt = self._waiter.interrupt

    def now(self) -> Instant:
        return self._pace.at(self._waiter.now())

    def run(self, rate: int) -> None:
        self._pace.run(rate, self._waiter.now())

    def skip(self, duration: int) -> None:
        self._pace.skip(duration, self._waiter.now())

    def put(self, moment: Instant) -> None:
        self._pace.put(moment, self._waiter.now())

    def wait(self, until: Instant | None) -> bool:
        """Until an instant, or an interruption; True when a line has something to read."""
        return self._waiter.wait(None if until is None else self._pace.wall_at(until))
