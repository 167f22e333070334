"""The bank's clock under a console.

A line takes time on the wire, and a person takes time to put a card in. A script counts neither, so
the bank's time runs for as long as a line says, and stands still until the next line. It goes on if
no line comes for a while. The drivers have the wall's time.
"""

from hal.events import Instant
from hal.parts import Clock


class ScriptClock:
    """Follows the wall clock up to a stop, if there is one."""

    def __init__(self, wall: Clock) -> None:
        self._wall = wall
        self._behind = 0
        """How far this clock is behind the wall clock, while it runs."""
        self.stop: Instant | None = None

    def now(self) -> Instant:
        now = Instant(self._wall.now() - self._behind)
        return now if self.stop is None else min(now, self.stop)

    def run(self, stop: Instant | None) -> None:
        """Continue up to a stop, or for ever."""
        self._behind = self._wall.now() - self.now()
        self.stop = stop

    def hold(self) -> None:
        self.run(self.now())

    def jump(self, moment: Instant) -> None:
        """Skip the time up to a moment."""
        self._behind = self._wall.now() - max(moment, self.now())

    def on_the_wall(self, moment: Instant) -> Instant:
        """Return the wall's time at a moment of this clock, while it runs."""
        return Instant(moment + self._behind)

    def of_the_wall(self, at: Instant) -> Instant:
        """Return this clock's time of a recent event."""
        return min(Instant(at - self._behind), self.now())
