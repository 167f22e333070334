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

Because there are no diodes, wires that closed keys join are one wire: three keys on the
corners of a rectangle look as if the fourth were down too, and two keys in one row join
their columns, which is a short circuit if one is driven high and the other low.

Time is in nanoseconds. The matrix does nothing by itself: it is told what fingers do
and when, and asked how the rows are at some instant.
"""

import random
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import NamedTuple

KEYS = "123M456K789C,0GF"
ROWS = COLUMNS = 4

MOST_BOUNCES = 8
"""How often a contact opens and closes again, at most, before it settles."""

LATELY = 100
"""Changes of one contact that can still be asked for; a box may run for a year."""


class Change(NamedTuple):
    """A contact closes or opens."""

    instant: int
    closed: bool


def _instant(change: Change) -> int:
    return change.instant


class Contact:
    """One key's contact: what it has done, and what it is about to do."""

    def __init__(self) -> None:
        self._changes: list[Change] = []
        self.stuck = False
        """Closed whatever the finger does."""

    def closed(self, now: int) -> bool:
        if self.stuck or not self._changes:
            return self.stuck
        return self._moved(bisect_right(self._changes, now, key=_instant))

    def next_change(self, after: int) -> int | None:
        place = bisect_right(self._changes, after, key=_instant)
        if self.stuck or place == len(self._changes):
            return None
        return self._changes[place].instant

    def move(self, closed: bool, instants: Sequence[int]) -> None:
        """Change at each of the instants, so that it ends up as told; what was to come is off."""
        assert len(instants) % 2 == 1, "the last change has to be like the first"
        place = bisect_left(self._changes, instants[0], key=_instant)
        as_it_was = self._moved(place)
        self._changes = self._changes[max(0, place - LATELY) : place]
        for turn, instant in enumerate(instants):
            state = closed == (turn % 2 == 0)
            if turn or state != as_it_was:
                self._changes.append(Change(instant, state))

    def _moved(self, changes: int) -> bool:
        """How the contact is after so many of its changes."""
        return changes > 0 and self._changes[changes - 1].closed


class KeyMatrix:
    """The whole keypad, at the eight wires of its connector."""

    def __init__(self, seed: int = 0) -> None:
        self._chance = random.Random(seed)
        self._contacts = {key: Contact() for key in KEYS}
        self._touched: dict[str, Contact] = {}
        """Those that are closed or may still change; the others are open."""
        self._fighting: set[tuple[int, int]] = set()
        self.shorts = 0
        """How often a column driven low and one driven high were seen to become one wire."""

    # Fingers

    def press(self, key: str, now: int, bounce: int = 0) -> None:
        """The contact closes now, and is closed for good once it has bounced for so long."""
        self._touch(key).move(True, self._train(now, bounce))

    def release(self, key: str, now: int, bounce: int = 0) -> None:
        """The contact opens now, and is open for good once it has bounced for so long."""
        self._touch(key).move(False, self._train(now, bounce))

    def stick(self, key: str) -> None:
        """From this moment on the contact is closed, whatever the finger does."""
        self._touch(key).stuck = True

    def unstick(self, key: str) -> None:
        """The contact is again as the finger has it."""
        self._contacts[key].stuck = False

    def _touch(self, key: str) -> Contact:
        contact = self._touched[key] = self._contacts[key]
        return contact

    def _train(self, now: int, bounce: int) -> list[int]:
        """The instants of all changes of one movement: the first now, the last when it settles."""
        assert bounce >= 0
        if bounce < 2:
            return [now]
        between = min(self._chance.randint(1, MOST_BOUNCES), bounce // 2) * 2 - 1
        inner = self._chance.sample(range(now + 1, now + bounce), between)
        return [now, *sorted(inner), now + bounce]

    # Wires

    def closed(self, key: str, now: int) -> bool:
        return self._contacts[key].closed(now)

    def next_change(self, after: int) -> int | None:
        """The first instant later than this one at which any contact closes or opens."""
        changes = (contact.next_change(after) for contact in self._touched.values())
        return min((change for change in changes if change is not None), default=None)

    def row_levels(self, columns: Sequence[int | None], now: int) -> list[int]:
        """The rows' levels, with each column driven low (0), high (1) or floating (None).

        A row is low if any way through closed contacts leads to a column that is low, even
        if another leads to one that is high; otherwise its pull-up has it high.
        """
        assert len(columns) == COLUMNS, columns
        assert all(level in (0, 1, None) for level in columns), columns
        rows, joined = self._wires(now)
        low = [column for column in range(COLUMNS) if columns[column] == 0]
        high = [column for column in range(COLUMNS) if columns[column] == 1]
        fighting = {(a, b) for a in low for b in high if joined[a] == joined[b]}
        self.shorts += len(fighting - self._fighting)
        self._fighting = fighting
        grounded = {joined[column] for column in low}
        return [0 if wire in grounded else 1 for wire in rows]

    def _wires(self, now: int) -> tuple[list[int], list[int]]:
        """Which wire each row and each column is part of: closed contacts make two wires one."""
        wires = list(range(ROWS + COLUMNS))
        for key, contact in list(self._touched.items()):
            if contact.closed(now):
                row, column = divmod(KEYS.index(key), COLUMNS)
                one, other = wires[row], wires[ROWS + column]
                wires = [one if wire == other else wire for wire in wires]
            elif contact.next_change(now) is None:
                del self._touched[key]
        return wires[:ROWS], wires[ROWS:]
