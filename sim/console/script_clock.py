"""The bank's time while it is worked over a console: it passes when a script lets it.

A line takes time on the wire, and a person takes time to put a card in; a script knows
nothing of either. So the bank's time runs for as long as a line says, stands still until
the next one, and goes on by itself only when nobody says anything for a while. The
drivers below know nothing of this: their time is the wall's.
"""

from hal.events import Instant
from hal.parts import Clock


class ScriptClock:
    """Follows the wall up to a stop, if there is one, and stands still there."""

    def __init__(self, wall: Clock) -> None:
        self._wall = wall
        self._behind = 0
        """How far this clock is behind the wall's, while it runs."""
        self.stop: Instant | None = None

    def now(self) -> Instant:
        now = Instant(self._wall.now() - self._behind)
        return now if self.stop is None else min(now, self.stop)

    def run(self, stop: Instant | None) -> None:
        """Go on from where it stands, up to a stop (None: for ever)."""
        self._behind = self._wall.now() - self.now()
        self.stop = stop

    def hold(self) -> None:
        self.run(self.now())

    def jump(self, moment: Instant) -> None:
        """Be there at once, without anybody waiting."""
        self._behind = self._wall.now() - max(moment, self.now())

    def on_the_wall(self, moment: Instant) -> Instant:
        """When it will be that moment, as long as this clock runs."""
        return Instant(moment + self._behind)

    def of_the_wall(self, at: Instant) -> Instant:
        """When that was, for something that happened just now."""
        return min(Instant(at - self._behind), self.now())
