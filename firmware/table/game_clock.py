"""The clock of a game against time: how much is left, and when the next minute is over.

What has been played is kept at the end of each minute, and when another game is begun.
Without power the clock stands still; a power cut costs the minute that it interrupts (F22).
"""

from typing import NamedTuple

from firmware.game import Game
from firmware.records import Kind
from hal.events import MILLISECOND, MINUTE, Instant


class GameClock(NamedTuple):
    """A clock that is running, or has run out."""

    began: Instant
    """When it would have been begun, had it never stood still."""
    minutes: int
    left: int
    """Minutes, the one that is running included."""

    @classmethod
    def of(cls, game: Game, now: Instant) -> "GameClock | None":
        """The clock of a game that goes on from now; None where it has none."""
        if game.kind is not Kind.CLOCK:
            return None
        played = game.milliseconds_played * MILLISECOND
        over = min(played // MINUTE, game.minutes)
        return cls(Instant(now - played), game.minutes, game.minutes - over)

    @property
    def next_minute(self) -> Instant | None:
        """When the running minute is over; None when all are."""
        over = self.minutes - self.left
        return Instant(self.began + (over + 1) * MINUTE) if self.left else None

    def minute_over(self) -> "GameClock":
        return self._replace(left=self.left - 1)

    def played(self, now: Instant) -> int:
        """Milliseconds; no more than the game has."""
        return min(now - self.began, self.minutes * MINUTE) // MILLISECOND
