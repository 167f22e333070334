"""The keypad: sixteen contacts between four rows and four columns, without diodes.

::

              column 0   1   2   3
        row 0 ───────┬───┬───┬───┬── pull-up
                     1   2   3   M        a key joins its row and its column,
        row 1 ───────┬───┬───┬───┬──      and current flows through it both ways
                     4   5   6   K
        row 2 ───────┬───┬───┬───┬──
                     7   8   9   C
        row 3 ───────┬───┬───┬───┬──
                     ,   0   G   F

Without diodes, closed keys join several wires into one: with three keys at the corners of
a rectangle the fourth seems to be down too, and two keys in one row join their columns,
which is a short circuit if one is driven high and the other low.

Time is in nanoseconds, and comes from the caller.
"""

import random
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from operator import attrgetter
from typing import NamedTuple

KEYS = "123M456K789C,0GF"
ROWS = COLUMNS = 4
DRIVEN = frozenset((0, 1, None))
"""The states of a column: low, high, floating."""
PLACES = {key: divmod(place, COLUMNS) for place, key in enumerate(KEYS)}
"""The row and the column of each key."""

MAX_BOUNCES = 8

HISTORY = 100
"""Changes of a contact that are kept; a box may run for a year."""


class Change(NamedTuple):
    """A contact closes or opens."""

    instant: int
    closed: bool


_instant = attrgetter("instant")


class Contact:
    """The contact of one key, with its past and future changes."""

    def __init__(self) -> None:
        self._changes: list[Change] = []

    def closed(self, now: int) -> bool:
        if self._changes and self._changes[-1].instant <= now:  # the usual case
            return self._changes[-1].closed
        return self._state_after(bisect_right(self._changes, now, key=_instant))

    def next_change(self, after: int) -> int | None:
        place = bisect_right(self._changes, after, key=_instant)
        return None if place == len(self._changes) else self._changes[place].instant

    def move(self, closed: bool, instants: Sequence[int]) -> None:
        """Replace all later changes by these, which alternate and end with ``closed``."""
        assert len(instants) % 2 == 1, "the first and the last change must be the same"
        place = bisect_left(self._changes, instants[0], key=_instant)
        before = self._state_after(place)
        self._changes = self._changes[max(0, place - HISTORY) : place]
        for turn, instant in enumerate(instants):
            state = closed == (turn % 2 == 0)
            if turn or state != before:
                self._changes.append(Change(instant, state))

    def _state_after(self, changes: int) -> bool:
        """Whether the contact is closed after a number of its changes."""
        return changes > 0 and self._changes[changes - 1].closed


class KeyMatrix:
    """The keypad, as seen at the eight wires of its connector."""

    def __init__(self, seed: int = 0) -> None:
        self._random = random.Random(seed)
        self._contacts = {key: Contact() for key in KEYS}
        self._active: dict[str, Contact] = {}
        """The contacts that are closed or may still change."""
        self._shorted: set[tuple[int, int]] = set()
        self.shorts = 0
        """How often a column driven low was joined to one driven high."""

    # Keys

    def press(self, key: str, now: int, bounce: int = 0) -> None:
        """Close a contact, which bounces for some time."""
        self._activate(key).move(True, self._change_times(now, bounce))

    def release(self, key: str, now: int, bounce: int = 0) -> None:
        """Open a contact, which bounces for some time."""
        self._activate(key).move(False, self._change_times(now, bounce))

    def _activate(self, key: str) -> Contact:
        contact = self._active[key] = self._contacts[key]
        return contact

    def _change_times(self, now: int, bounce: int) -> list[int]:
        """Return the times of the changes of one movement: from now until it settles."""
        assert bounce >= 0
        if bounce < 2:
            return [now]
        between = min(self._random.randint(1, MAX_BOUNCES), bounce // 2) * 2 - 1
        inner = self._random.sample(range(now + 1, now + bounce), between)
        return [now, *sorted(inner), now + bounce]

    # Wires

    def closed(self, key: str, now: int) -> bool:
        return self._contacts[key].closed(now)

    def next_change(self, after: int) -> int | None:
        """Return the time of the next change of any contact, if there is one."""
        changes = (contact.next_change(after) for contact in self._active.values())
        return min((change for change in changes if change is not None), default=None)

    def row_levels(self, columns: Sequence[int | None], now: int) -> list[int]:
        """Return the levels of the rows; a column is driven low (0), high (1) or floats (None).

        A row is low if closed contacts connect it to a low column, even if they also connect
        it to a high one. Otherwise its pull-up makes it high.
        """
        assert len(columns) == COLUMNS, columns
        assert DRIVEN.issuperset(columns), columns
        closed = self._closed_contacts(now)
        if len(closed) < 2:
            # The usual case; no two columns can be joined.
            self._shorted.clear()
            levels = [1] * ROWS
            for row, column in closed:
                levels[row] = 0 if columns[column] == 0 else 1
            return levels
        rows, joined = _wires(closed)
        low = [column for column in range(COLUMNS) if columns[column] == 0]
        high = [column for column in range(COLUMNS) if columns[column] == 1]
        shorted = {(a, b) for a in low for b in high if joined[a] == joined[b]}
        self.shorts += len(shorted - self._shorted)
        self._shorted = shorted
        grounded = {joined[column] for column in low}
        return [0 if wire in grounded else 1 for wire in rows]

    def _closed_contacts(self, now: int) -> list[tuple[int, int]]:
        """Return the closed contacts, by row and column; forget those that stay open."""
        closed = []
        for key, contact in list(self._active.items()):
            if contact.closed(now):
                closed.append(PLACES[key])
            elif contact.next_change(now) is None:
                del self._active[key]
        return closed


def _wires(closed: list[tuple[int, int]]) -> tuple[list[int], list[int]]:
    """Number the wires of the rows and columns; joined ones have the same number."""
    wires = list(range(ROWS + COLUMNS))
    for row, column in closed:
        one, other = wires[row], wires[ROWS + column]
        wires = [one if wire == other else wire for wire in wires]
    return wires[:ROWS], wires[ROWS:]
