"""The clock of a timed game: how much time is left, and when the next minute is over.

The time played is written down at the end of each minute, and when another game starts. The clock
stops while the power is off; a power cut costs at most the current minute (F22).
"""

from typing import NamedTuple

from firmware.bank.game import Game
from firmware.bank.records import Kind
from hal.events import MILLISECOND, MINUTE, Instant


class GameClock(NamedTuple):
    """A clock that is running, or has run out."""

    began: Instant
    """When the game would have begun if its clock had never stopped."""
    minutes: int
    left: int
    """Minutes, including the current one."""

    @classmethod
    def of(cls, game: Game, now: Instant) -> "GameClock | None":
        """The clock of a game that continues now; None if it is not a timed game."""
        if game.kind is not Kind.CLOCK:
            return None
        played = game.milliseconds_played * MILLISECOND
        over = min(played // MINUTE, game.minutes)
        return cls(Instant(now - played), game.minutes, game.minutes - over)

    @property
    def next_minute(self) -> Instant | None:
        """When the current minute ends; None after the last one."""
        over = self.minutes - self.left
        return Instant(self.began + (over + 1) * MINUTE) if self.left else None

    def minute_over(self) -> "GameClock":
        return self._replace(left=self.left - 1)

    def played(self, now: Instant) -> int:
        """Milliseconds, at most the length of the game."""
        return min(now - self.began, self.minutes * MINUTE) // MILLISECOND
