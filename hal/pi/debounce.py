"""Turns closed contacts into keys that go down and up, once each.

A contact bounces for up to 20 ms when it closes and when it opens. The first contact
counts at once, so that the banker never waits; what follows within the lock time is
bounce, and only how the contact stands after it counts again. The lock begins when the
contact was looked at, and not when it moved: a loop that was busy for long may be looking at
the bounce of a later movement.

A key that nobody was seen to press does nothing until it has been let go: one that was down
before the first look, one that has been down for ten minutes, and one that was down when
the keypad could not be read any more. This file decides; it touches no hardware.
"""

from collections.abc import Sequence

from hal.events import MILLISECOND, SECOND, Event, Instant, Key, KeyDown, KeyUp

LOCK = 25 * MILLISECOND
"""Longer than any membrane bounces."""

STUCK_AFTER = 600 * SECOND
"""Nobody holds a key for ten minutes; something lies on it."""

PAD = "123M456K789C,0GF"
"""The keys row by row, as they are printed."""
KEYS = tuple(tuple(Key(letter) for letter in PAD[row * 4 : row * 4 + 4]) for row in range(4))


class Debounce:
    """All sixteen keys."""

    def __init__(self) -> None:
        self._down_since: dict[Key, Instant] = {}
        self._locked_until: dict[Key, Instant] = {}
        self._opened: dict[Key, Instant] = {}
        """When a contact opened that may still be bouncing."""
        self._stuck: set[Key] = set()
        self._looked = False

    @property
    def quiet(self) -> bool:
        """True when nothing is down and nothing can still be bouncing."""
        return not self._down_since and not self._stuck and not self._locked_until

    @property
    def only_stuck(self) -> bool:
        """True when something lies on the pad, and nobody types."""
        return bool(self._stuck) and not self._down_since and not self._locked_until

    @property
    def stuck(self) -> frozenset[Key]:
        return frozenset(self._stuck)

    def take_in(
        self, closed: frozenset[tuple[int, int]], at: Instant, now: Instant
    ) -> Sequence[Event]:
        """The contacts that are closed now, by row and column, since an edge; what that means."""
        self._locked_until = {k: until for k, until in self._locked_until.items() if until > now}
        if not self._looked:
            self._looked = True
            self._stuck = {KEYS[row][column] for row, column in closed}
        ambiguous = has_ghost(closed)
        events: list[Event] = []
        for row, keys in enumerate(KEYS):
            for column, key in enumerate(keys):
                events += self._judge(key, (row, column) in closed, ambiguous, at, now)
        return events

    def lose_sight(self, now: Instant) -> Sequence[Event]:
        """Nobody knows how the contacts are: whatever was down counts as let go."""
        let_go = [KeyUp(now, key) for key in self._down_since]
        self._stuck |= self._down_since.keys()
        self._down_since.clear()
        self._opened.clear()
        return let_go

    def _judge(
        self, key: Key, closed: bool, ambiguous: bool, at: Instant, now: Instant
    ) -> Sequence[Event]:
        if closed:
            self._opened.pop(key, None)
        elif key in self._down_since:
            at = self._opened.setdefault(key, at)
        if key in self._locked_until:
            return ()
        if key in self._stuck:
            if not closed:
                self._stuck.remove(key)
            return ()
        if closed and key not in self._down_since and not ambiguous:
            self._down_since[key] = at
            self._locked_until[key] = Instant(now + LOCK)
            return (KeyDown(at, key),)
        if not closed and key in self._down_since:
            del self._down_since[key]
            del self._opened[key]
            self._locked_until[key] = Instant(now + LOCK)
            return (KeyUp(at, key),)
        if closed and at - self._down_since.get(key, at) >= STUCK_AFTER:
            del self._down_since[key]
            self._stuck.add(key)
            return (KeyUp(at, key),)
        return ()


def has_ghost(closed: frozenset[tuple[int, int]]) -> bool:
    """Three keys at the corners of a rectangle close the fourth: none of them can be told."""
    rows_of = [{row for row, c in closed if c == column} for column in range(4)]
    return any(len(rows_of[one] & rows_of[other]) >= 2 for one in range(4) for other in range(one))
