"""Queues user input at the pace at which the drivers can notice it.

A page's messages may arrive late and all at once if the machine is busy, and a contact that
closes and opens at the same instant is not seen. So the inputs are carried out one after the
other, with time for the drivers in between, and a key stays down for a minimum time.
"""

from collections import deque
from collections.abc import Callable
from typing import NamedTuple

from hal.events import MILLISECOND, Instant, Key

MIN_PRESS = 50 * MILLISECOND
KEY_INTERVAL = 30 * MILLISECOND
"""Between two key inputs."""
CARD_INTERVAL = 150 * MILLISECOND
"""After a card input."""


class QueuedInput(NamedTuple):
    """An input, and the time to wait after it."""

    act: Callable[[], None]
    takes: int
    releases: Key | None = None
    presses: Key | None = None


class InputQueue:
    """First in, first out."""

    def __init__(self) -> None:
        self._queue: deque[QueuedInput] = deque()
        self._free_at = Instant(0)
        self._down_since: dict[Key, Instant] = {}

    def press(self, key: Key, act: Callable[[], None]) -> None:
        self._queue.append(QueuedInput(act, KEY_INTERVAL, presses=key))

    def release(self, key: Key, act: Callable[[], None]) -> None:
        self._queue.append(QueuedInput(act, KEY_INTERVAL, releases=key))

    def move_card(self, act: Callable[[], None]) -> None:
        self._queue.append(QueuedInput(act, CARD_INTERVAL))

    @property
    def due(self) -> Instant | None:
        """When the next input is due; None if the queue is empty."""
        if not self._queue:
            return None
        key = self._queue[0].releases
        if key in self._down_since:
            return max(self._free_at, Instant(self._down_since[key] + MIN_PRESS))
        return self._free_at

    def run_due(self, now: Instant) -> None:
        """Carry out the next input, if it is due."""
        if self.due is None or self.due > now:
            return
        queued = self._queue.popleft()
        queued.act()
        self._free_at = Instant(now + queued.takes)
        if queued.presses:
            self._down_since[queued.presses] = now
