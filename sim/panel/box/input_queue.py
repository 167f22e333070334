"""Hands that leave the drivers time to notice what they do.

What a page tells may come late and all at once, when the machine is busy; a contact that
closes and opens in the same instant is none. So each thing is done in its turn, when the
drivers have had time for the one before, and no finger leaves a key sooner than fingers can.
"""

from collections import deque
from collections.abc import Callable
from typing import NamedTuple

from hal.events import MILLISECOND, Instant, Key

SHORTEST_TOUCH = 50 * MILLISECOND
NEXT_KEY = 30 * MILLISECOND
"""From one key to the next, when neither waits for the other to be let go."""
CARD_SEEN = 150 * MILLISECOND


class Turn(NamedTuple):
    """Something to be done, and how long the next has to wait for it."""

    act: Callable[[], None]
    takes: int
    lets_go: Key | None = None
    presses: Key | None = None


class SteadyHands:
    """Does things in the order in which they were told."""

    def __init__(self) -> None:
        self._turns: deque[Turn] = deque()
        self._free_at = Instant(0)
        self._down_since: dict[Key, Instant] = {}

    def press(self, key: Key, act: Callable[[], None]) -> None:
        self._turns.append(Turn(act, NEXT_KEY, presses=key))

    def let_go(self, key: Key, act: Callable[[], None]) -> None:
        self._turns.append(Turn(act, NEXT_KEY, lets_go=key))

    def move_card(self, act: Callable[[], None]) -> None:
        self._turns.append(Turn(act, CARD_SEEN))

    @property
    def due(self) -> Instant | None:
        """When the next may be done; None: there is none."""
        if not self._turns:
            return None
        key = self._turns[0].lets_go
        if key in self._down_since:
            return max(self._free_at, Instant(self._down_since[key] + SHORTEST_TOUCH))
        return self._free_at

    def work(self, now: Instant) -> None:
        """Do the next, if it may be done by now."""
        if self.due is None or self.due > now:
            return
        turn = self._turns.popleft()
        turn.act()
        self._free_at = Instant(now + turn.takes)
        if turn.presses:
            self._down_since[turn.presses] = now
