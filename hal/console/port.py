"""The box's serial port for the console: a UART, a USB gadget or a pty, through pyserial.

It never blocks the bank: it is read when it has data, and an answer that the host does not
read is dropped. A port that vanishes is reopened; the retry comes every two seconds.

Tests: tests/console/test_port.py.
"""

import logging
import os
import select
from collections import deque
from contextlib import suppress

import serial

from hal.console.framing import Break, Framing, GarbledLine, TextLine
from hal.events import MILLISECOND, SECOND, Instant
from hal.faults import NO_PORT, PortFault, reason
from hal.parts import RunnableBoard

log = logging.getLogger("tellerbox.console")

RETRY_EVERY = 2 * SECOND
SEND_EVERY = 20 * MILLISECOND
"""While the send buffer is not empty."""
READ_SIZE = 1024
"""Bytes at a time, so that a flood does not starve the rest of the loop."""
MOST_UNSENT = 4096
MAX_QUEUED = 32
"""Queued lines; more are refused."""


class ConsolePort:
    """The box's end of the serial line."""

    def __init__(self, name: str, baud: int, board: RunnableBoard) -> None:
        self._name = name
        self._baud = baud
        self._board = board
        self._port: serial.Serial | None = None
        self._framing = Framing()
        self._unsent = b""
        self._queued: deque[TextLine | GarbledLine] = deque()
        self._retry_at = Instant(0)

    def open(self) -> None:
        """Open the port. Raises PortFault."""
        try:
            # Exclusive: two programs on one port would each get half of the bytes.
            self._port = serial.Serial(
                self._name, self._baud, timeout=0, write_timeout=0, exclusive=True
            )
        except NO_PORT as error:
            raise PortFault(
                f"{self._name}: the console cannot be opened: {reason(error)}"
            ) from None
        self._framing = Framing()
        self._unsent = b""
        self._board.listen(self._port.fileno())
        log.info("the console is open on %s", self._name)

    def close(self) -> None:
        if self._port is not None:
            self._board.deafen(self._port.fileno())
            with suppress(OSError):
                self._port.close()
        self._port = None

    @property
    def due(self) -> Instant | None:
        """When to retry a lost port or the rest of the send buffer."""
        if self._port is None:
            return self._retry_at
        return Instant(self._board.clock.now() + SEND_EVERY) if self._unsent else None

    def listen(self) -> bool:
        """Read the port and queue its lines for ``next``; True if there was a Ctrl-C.

        Ctrl-C clears the lines that were queued before it.
        """
        now = self._board.clock.now()
        if self._port is None:
            self._reopen(now)
            return False
        received = self._framing.take_in(self._read(now), now)
        for item in received:
            if isinstance(item, Break):
                self._queued.clear()
            elif len(self._queued) < MAX_QUEUED:
                self._queued.append(item)
            else:
                self.answer("error: too many lines at once; this one was dropped")
        return Break() in received

    def next(self) -> TextLine | GarbledLine | None:
        """Remove and return the oldest queued line."""
        return self._queued.popleft() if self._queued else None

    def answer(self, text: str) -> None:
        """Send one line; drop it if the send buffer is full."""
        line = f"{text}\r\n".encode("ascii", "replace")
        if self._port is not None and len(self._unsent) + len(line) <= MOST_UNSENT:
            self._unsent += line
            self._send()

    def _read(self, now: Instant) -> bytes:
        self._send()
        if self._port is None:
            return b""
        try:
            # Read only the bytes that have arrived. If later bytes were read too, a Ctrl-C behind a
            # line would discard that line. At least one byte: a vanished port is readable but
            # empty.
            return bytes(self._port.read(min(self._port.in_waiting, READ_SIZE) or 1))
        except OSError as error:
            self._lose(now, error)
            return b""

    def _send(self) -> None:
        """Write as much as the port accepts now; pyserial's own write could block."""
        assert self._port is not None
        try:
            if self._unsent and select.select([], [self._port.fileno()], [], 0)[1]:
                self._unsent = self._unsent[os.write(self._port.fileno(), self._unsent) :]
        except OSError as error:
            self._lose(self._board.clock.now(), error)

    def _lose(self, now: Instant, error: Exception) -> None:
        log.warning("%s: the console is gone: %s", self._name, reason(error))
        self.close()
        self._queued.clear()
        self._retry_at = Instant(now + RETRY_EVERY)

    def _reopen(self, now: Instant) -> None:
        if now < self._retry_at:
            return
        self._retry_at = Instant(now + RETRY_EVERY)
        with suppress(PortFault):
            self.open()
