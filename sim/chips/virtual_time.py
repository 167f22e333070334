"""A virtual Pi: time, pins and buses, with the chips soldered to them.

Everything on it happens in virtual nanoseconds. A transfer takes the time its bits take
on the wire; waiting takes the time that is waited. Things that happen by themselves, a
key that bounces or a card that is put in, are noted in a calendar and happen when the
time comes, in the middle of a transfer if need be.
"""

import heapq
from collections.abc import Callable
from itertools import count

BIT_OVERHEAD = 2_000
"""Nanoseconds between chip select and the first clock of a transfer, and back."""


class World:
    """Time, and what will happen in it."""

    def __init__(self) -> None:
        self.now = 0
        self._calendar: list[tuple[int, int, Callable[[], None]]] = []
        self._order = count()

    def plan(self, when: int, act: Callable[[], None]) -> None:
        heapq.heappush(self._calendar, (max(when, self.now), next(self._order), act))

    def pass_until(self, moment: int) -> None:
        """Let time pass, and everything happen that falls due in it."""
        while self._calendar and self._calendar[0][0] <= moment:
            when, _, act = heapq.heappop(self._calendar)
            self.now = max(self.now, when)
            act()
        if moment > self.now:
            self.now = moment

    @property
    def next_happening(self) -> int | None:
        return self._calendar[0][0] if self._calendar else None
