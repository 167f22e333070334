"""The clock of a game against time: how much is left, and when the next minute is over.

What has been played is kept minute by minute. Without power it stands still, and what a
power cut costs is the minute that it interrupts (F22).
"""

from typing import NamedTuple

from firmware.game import Game
from firmware.records import Kind
from hal.events import SECOND, Instant

MINUTE = 60 * SECOND


class GameClock(NamedTuple):
    """A clock that is running, or has run out."""

    began: Instant
    """When it would have been begun, had it never stood still."""
    played: int
    """Whole minutes that are over."""
    minutes: int

    @classmethod
    def of(cls, game: Game, now: Instant) -> "GameClock | None":
        """The clock of a game that goes on from now; None where it has none."""
        if game.kind is not Kind.CLOCK:
            return None
        played = min(game.minutes_played, game.minutes)
        return cls(Instant(now - played * MINUTE), played, game.minutes)

    @property
    def left(self) -> int:
        """Minutes, the one that is running included."""
        return self.minutes - self.played

    @property
    def next_minute(self) -> Instant | None:
        """When the running minute is over; None when all are."""
        return Instant(self.began + (self.played + 1) * MINUTE) if self.left else None

    def minute_over(self) -> "GameClock":
        return self._replace(played=self.played + 1)
