"""Cuts what comes over a serial line into lines of text, and trusts none of it.

A UART has no beginning and no end: a host may vanish in the middle of a line, a loose
plug makes noise, and nobody says when somebody else is at the other end. So a half line
is forgotten after a while, what cannot be a line of a script is told apart from what can,
and Ctrl-C takes back whatever was begun.
"""

from typing import NamedTuple, TypeAlias

from hal.events import SECOND, Instant

LONGEST = 200
"""Characters; the longest line of our own scripts has eighty."""
FORGET_AFTER = 10 * SECOND
"""A half line to which nothing was added for so long."""
CTRL_C = 0x03
TAB = 0x09
ENDS = (0x0A, 0x0D)


class Said(NamedTuple):
    """A whole line."""

    text: str


class Garbled(NamedTuple):
    """A line that nobody can have meant."""

    why: str


class Break(NamedTuple):
    """Ctrl-C: stop what the line before has begun."""


Heard: TypeAlias = Said | Garbled | Break


class Framing:
    """One direction of a line."""

    def __init__(self) -> None:
        self._half = bytearray()
        self._length = 0
        self._plain = True
        self._last = 0
        """The byte before: some terminals end a line with two."""
        self._heard_at = Instant(0)

    def take_in(self, received: bytes, now: Instant) -> list[Heard]:
        """What has become whole with these bytes."""
        if self._length and now >= self._heard_at + FORGET_AFTER:
            self._forget()
        if received:
            self._heard_at = now
        return [heard for byte in received if (heard := self._take(byte)) is not None]

    def _take(self, byte: int) -> Heard | None:
        before, self._last = self._last, byte
        if byte == CTRL_C:
            self._forget()
            return Break()
        if byte in ENDS:
            return None if (before, byte) == (0x0D, 0x0A) else self._whole()
        self._length += 1
        self._plain = self._plain and (0x20 <= byte <= 0x7E or byte == TAB)
        if self._length <= LONGEST:
            self._half.append(byte)
        return None

    def _whole(self) -> Heard:
        text, length, plain = self._half.decode("ascii", "replace"), self._length, self._plain
        self._forget()
        if not plain:
            return Garbled("that was noise: a line is plain ASCII text")
        if length > LONGEST:
            return Garbled(f"that line is longer than {LONGEST} characters")
        return Said(text)

    def _forget(self) -> None:
        self._half.clear()
        self._length = 0
        self._plain = True
