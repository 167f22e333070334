"""The host side of an emulated machine's UART."""

import socket

from sim.console.wire import ConsoleClient

ANSWER_TIMEOUT = 120.0
"""Seconds: emulated machines are slow, and tests run beside them."""
SEND_TIMEOUT = 1.0
"""Seconds in which the buffer of a line that is being read has room again."""


class LineClosed(Exception):
    """The machine has closed the line."""


class UartLine:
    """Implements ``hal.console.line.Line``; raises LineClosed when the machine goes off."""

    def __init__(self, uart: socket.socket) -> None:
        self._uart = uart

    def send(self, data: bytes) -> None:
        """Send bytes; if the machine does not read, those beyond the emulator's buffer are lost."""
        self._uart.settimeout(SEND_TIMEOUT)
        try:
            self._uart.sendall(data)
        except TimeoutError:
            return  # as on a real wire, where sending never blocks
        except OSError:
            raise LineClosed from None

    def receive(self, seconds: float) -> bytes:
        self._uart.settimeout(max(0.01, seconds))
        try:
            received = self._uart.recv(4096)
        except TimeoutError:
            return b""
        except OSError:
            raise LineClosed from None
        if not received:
            raise LineClosed
        return received


def box_at(uart: socket.socket) -> ConsoleClient:
    return ConsoleClient(UartLine(uart), "the box on the UART", ANSWER_TIMEOUT)
