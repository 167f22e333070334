"""The other end of an emulated machine's UART, and the box that answers there."""

import socket

from sim.wire import Wire

PATIENCE = 120.0
"""Seconds without an answer: emulated machines are slow, and so are tests beside them."""
ROOM_WITHIN = 1.0
"""Seconds in which a line that somebody reads has room again for what is sent."""


class Cut(Exception):
    """The line is dead: nothing more will come."""


class UartLine:
    """Fits ``hal.console.line.Line``; a machine that goes off raises Cut."""

    def __init__(self, uart: socket.socket) -> None:
        self._uart = uart

    def send(self, what: bytes) -> None:
        """To a machine that does not read yet: beyond what the emulator holds it is lost."""
        self._uart.settimeout(ROOM_WITHIN)
        try:
            self._uart.sendall(what)
        except TimeoutError:
            return  # as on a wire, which holds nobody up
        except OSError:
            raise Cut from None

    def receive(self, seconds: float) -> bytes:
        self._uart.settimeout(max(0.01, seconds))
        try:
            received = self._uart.recv(4096)
        except TimeoutError:
            return b""
        except OSError:
            raise Cut from None
        if not received:
            raise Cut
        return received


def box_at(uart: socket.socket) -> Wire:
    return Wire(UartLine(uart), "the box on the UART", PATIENCE)
