"""Hands that leave the drivers time to notice what they do.

What a page tells may come late and all at once, when the machine is busy; a contact that
closes and opens in the same instant is none. So each thing is done when it is told, but not
before what was done last could be noticed, and no finger leaves a key sooner than fingers can.
"""

from collections.abc import Callable

from hal.events import MILLISECOND, Key
from sim.chips.machine import World

MICRO = 1_000
SHORTEST_TOUCH = 50 * MILLISECOND * MICRO
NEXT_KEY = 30 * MILLISECOND * MICRO
"""From one key to the next, and from letting a key go to pressing it again."""
CARD_SEEN = 150 * MILLISECOND * MICRO


class SteadyHands:
    """Does things in a world, in the order in which they were told."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._next = 0
        """Before this nothing else is begun."""
        self._down: dict[Key, int] = {}
        self._free: dict[Key, int] = {}

    def press(self, key: Key, act: Callable[[], None]) -> None:
        at = self._begin(NEXT_KEY, self._free.get(key, 0), act)
        self._down[key] = at

    def let_go(self, key: Key, act: Callable[[], None]) -> None:
        """A key that nobody has pressed here was down before the power came."""
        at = max(self._world.now, self._down.get(key, 0) + SHORTEST_TOUCH)
        self._world.plan(at, act)
        self._free[key] = at + NEXT_KEY

    def move_card(self, act: Callable[[], None]) -> None:
        self._begin(CARD_SEEN, 0, act)

    def _begin(self, takes: int, not_before: int, act: Callable[[], None]) -> int:
        at = max(self._world.now, self._next, not_before)
        self._world.plan(at, act)
        self._next = at + takes
        return at
