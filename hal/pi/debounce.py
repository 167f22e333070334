"""Turns closed contacts into key events: one down and one up per press.

A contact bounces for up to 20 ms when it closes and when it opens. The first change counts
at once, so that there is no delay. Then the key is locked: further changes count only once
the lock is over. The lock starts at the scan, not at the edge: after a long delay in the
loop, the scan may see the bounce of a later movement.

A stuck key does nothing until it is released. A key is stuck if it was down at the first
scan, has been down for ten minutes, or was down when the keypad became unreadable. This
module has no I/O.

Tests: tests/drivers/test_debounce.py.
"""

from collections.abc import Sequence

from hal.events import MILLISECOND, SECOND, Event, Instant, Key, KeyDown, KeyUp

LOCK = 25 * MILLISECOND
"""Longer than any membrane keypad bounces."""

STUCK_AFTER = 600 * SECOND

PAD = "123M456K789C,0GF"
"""The keys row by row, as printed on the pad."""
KEYS = tuple(tuple(Key(letter) for letter in PAD[row * 4 : row * 4 + 4]) for row in range(4))


class Debounce:
    """The state of all sixteen keys."""

    def __init__(self) -> None:
        self._down_since: dict[Key, Instant] = {}
        self._locked_until: dict[Key, Instant] = {}
        self._opened: dict[Key, Instant] = {}
        """When the contact of a key that is down opened; it may still bounce."""
        self._stuck: set[Key] = set()
        self._scanned = False

    @property
    def quiet(self) -> bool:
        """True if no key is down and none can still bounce."""
        return not self._down_since and not self._stuck and not self._locked_until

    @property
    def only_stuck(self) -> bool:
        """True if all keys that are down are stuck, and none can still bounce."""
        return bool(self._stuck) and not self._down_since and not self._locked_until

    @property
    def stuck(self) -> frozenset[Key]:
        return frozenset(self._stuck)

    def update(
        self, closed: frozenset[tuple[int, int]], at: Instant, now: Instant
    ) -> Sequence[Event]:
        """Process a scan: the closed contacts, by row and column, and the time of their edge."""
        self._locked_until = {k: until for k, until in self._locked_until.items() if until > now}
        if not self._scanned:
            self._scanned = True
            self._stuck = {KEYS[row][column] for row, column in closed}
        ambiguous = has_ghost(closed)
        events: list[Event] = []
        for row, keys in enumerate(KEYS):
            for column, key in enumerate(keys):
                events += self._update_key(key, (row, column) in closed, ambiguous, at, now)
        return events

    def release_all(self, now: Instant) -> Sequence[Event]:
        """Report every key as up because the keypad cannot be read; they count as stuck."""
        released = [KeyUp(now, key) for key in self._down_since]
        self._stuck |= self._down_since.keys()
        self._down_since.clear()
        self._opened.clear()
        return released

    def _update_key(
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
    """Whether a key may be a ghost: three corners of a rectangle also close the fourth."""
    rows_of = [{row for row, c in closed if c == column} for column in range(4)]
    return any(len(rows_of[one] & rows_of[other]) >= 2 for one in range(4) for other in range(one))
