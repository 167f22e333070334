"""Virtual time in nanoseconds, with scheduled actions.

A transfer takes the time that its bits take on the wire. Other actions, such as a key that
bounces or a card that is put in, are scheduled and run when they are due, also in the middle
of a transfer.
"""

import heapq
from collections.abc import Callable
from itertools import count

TRANSFER_OVERHEAD = 2_000
"""Nanoseconds between chip select and the first clock of a transfer, and back."""


class VirtualTime:
    """The virtual clock and its schedule."""

    def __init__(self) -> None:
        self.now = 0
        self._schedule: list[tuple[int, int, Callable[[], None]]] = []
        self._order = count()

    def plan(self, when: int, act: Callable[[], None]) -> None:
        heapq.heappush(self._schedule, (max(when, self.now), next(self._order), act))

    def pass_until(self, moment: int) -> None:
        """Advance the time, and run all actions that become due."""
        while self._schedule and self._schedule[0][0] <= moment:
            when, _, act = heapq.heappop(self._schedule)
            self.now = max(self.now, when)
            act()
        if moment > self.now:
            self.now = moment

    @property
    def next_action(self) -> int | None:
        """The time of the next scheduled action."""
        return self._schedule[0][0] if self._schedule else None
