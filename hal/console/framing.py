"""Splits the bytes of a serial line into lines of text.

A UART has no connections: a host may vanish in the middle of a line, a loose plug makes
noise, and another host may take over unnoticed. So a partial line times out, a line that is
too long or not plain ASCII is reported as garbled, and Ctrl-C discards a partial line.

Tests: tests/console/test_framing.py.
"""

from typing import NamedTuple, TypeAlias

from hal.events import SECOND, Instant

LONGEST = 200
"""Characters; the longest line of our own scripts has eighty."""
PARTIAL_LINE_TIMEOUT = 10 * SECOND
CTRL_C = 0x03
TAB = 0x09
CR, LF = 0x0D, 0x0A


class TextLine(NamedTuple):
    """A complete line, without its end."""

    text: str


class GarbledLine(NamedTuple):
    """A line that cannot be a command."""

    why: str


class Break(NamedTuple):
    """Ctrl-C: stop what the previous line has started."""


Heard: TypeAlias = TextLine | GarbledLine | Break


class Framing:
    """Assembles lines from the bytes that are received."""

    def __init__(self) -> None:
        self._partial = bytearray()
        self._length = 0
        self._printable = True
        self._previous = 0
        self._received_at = Instant(0)

    def take_in(self, received: bytes, now: Instant) -> list[Heard]:
        """Return the lines and breaks that these bytes complete."""
        if self._length and now >= self._received_at + PARTIAL_LINE_TIMEOUT:
            self._reset()
        if received:
            self._received_at = now
        return [item for byte in received if (item := self._add(byte)) is not None]

    def _add(self, byte: int) -> Heard | None:
        before, self._previous = self._previous, byte
        if byte == CTRL_C:
            self._reset()
            return Break()
        if byte in (CR, LF):
            # Some terminals end a line with CR LF.
            return None if (before, byte) == (CR, LF) else self._finish()
        self._length += 1
        self._printable = self._printable and (0x20 <= byte <= 0x7E or byte == TAB)
        if self._length <= LONGEST:
            self._partial.append(byte)
        return None

    def _finish(self) -> Heard:
        text = self._partial.decode("ascii", "replace")
        length, printable = self._length, self._printable
        self._reset()
        if not printable:
            return GarbledLine("the line is garbled: it must be plain ASCII text")
        if length > LONGEST:
            return GarbledLine(f"that line is longer than {LONGEST} characters")
        return TextLine(text)

    def _reset(self) -> None:
        self._partial.clear()
        self._length = 0
        self._printable = True
