"""The port of the console: a UART, a USB gadget or a pty, through pyserial.

It never makes the bank wait: it is read when something is there, and an answer that the
host does not take is dropped. A port that vanishes is looked for every two seconds.
"""

import logging
import os
import select
from collections import deque
from contextlib import suppress

import serial

from hal.console.framing import Break, Framing, Garbled, Said
from hal.events import MILLISECOND, SECOND, Instant
from hal.faults import NO_PORT, PortFault, reason
from hal.parts import StandingBoard

log = logging.getLogger("tellerbox.console")

TRY_AGAIN_EVERY = 2 * SECOND
SEND_EVERY = 20 * MILLISECOND
"""While a line does not take all that there is to say."""
A_READ = 1024
"""Bytes at a time: a host that floods gets its turn like everybody else."""
MOST_UNSENT = 4096
MOST_WAITING = 32
"""Lines that are kept for later; what comes on top is refused."""


class ConsolePort:
    """The box's end of the line."""

    def __init__(self, name: str, baud: int, board: StandingBoard) -> None:
        self._name = name
        self._baud = baud
        self._board = board
        self._port: serial.Serial | None = None
        self._framing = Framing()
        self._unsent = b""
        self._waiting: deque[Said | Garbled] = deque()
        self._try_again_at = Instant(0)

    def open(self) -> None:
        """Raises PortFault, with the reason."""
        try:
            # Nothing blocks; and two programs on one line would each get half of it.
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
        """When to look for a port that is away, or to send what the line did not take."""
        if self._port is None:
            return self._try_again_at
        return Instant(self._board.clock.now() + SEND_EVERY) if self._unsent else None

    def listen(self) -> bool:
        """Take in what is there, and keep it for ``next``; True when there was a Ctrl-C.

        It takes back what was said before it and not yet begun, and nothing after it.
        """
        now = self._board.clock.now()
        if self._port is None:
            self._look_for_it(now)
            return False
        heard = self._framing.take_in(self._received(now), now)
        for one in heard:
            if isinstance(one, Break):
                self._waiting.clear()
            elif len(self._waiting) < MOST_WAITING:
                self._waiting.append(one)
            else:
                self.answer("error: too many lines at once; this one was dropped")
        return Break() in heard

    def next(self) -> Said | Garbled | None:
        """The oldest line that nobody has answered yet."""
        return self._waiting.popleft() if self._waiting else None

    def answer(self, text: str) -> None:
        """One line; whoever does not read it loses it."""
        line = f"{text}\r\n".encode("ascii", "replace")
        if self._port is not None and len(self._unsent) + len(line) <= MOST_UNSENT:
            self._unsent += line
            self._send()

    def _received(self, now: Instant) -> bytes:
        self._send()
        if self._port is None:
            return b""
        try:
            return bytes(self._port.read(A_READ))
        except OSError as error:
            self._lose(now, error)
            return b""

    def _send(self) -> None:
        """As much as the line takes now: pyserial would wait on one that takes nothing."""
        assert self._port is not None
        try:
            if self._unsent and select.select([], [self._port.fileno()], [], 0)[1]:
                self._unsent = self._unsent[os.write(self._port.fileno(), self._unsent) :]
        except OSError as error:
            self._lose(self._board.clock.now(), error)

    def _lose(self, now: Instant, error: Exception) -> None:
        log.warning("%s: the console is gone: %s", self._name, reason(error))
        self.close()
        self._waiting.clear()
        self._try_again_at = Instant(now + TRY_AGAIN_EVERY)

    def _look_for_it(self, now: Instant) -> None:
        if now < self._try_again_at:
            return
        self._try_again_at = Instant(now + TRY_AGAIN_EVERY)
        with suppress(PortFault):
            self.open()
