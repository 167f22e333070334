"""The host's end of a box's line: a serial port, or a pty to a program that the host started.

Tests: tests/console/test_wire.py.
"""

import os
import pty
import select
import subprocess
import tty
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Protocol, Self

import serial

from hal.faults import NO_PORT, PortFault, reason

CHECK_PROGRAM_EVERY = 1.0
"""Seconds."""


class Line(Protocol):
    """A two-way byte stream."""

    def send(self, what: bytes) -> None: ...

    def receive(self, seconds: float) -> bytes:
        """Return the first bytes that arrive; empty after the timeout."""
        ...


class SerialLine:
    """A serial port, through pyserial."""

    def __init__(self, url: str, baud: int) -> None:
        try:
            self._port = serial.serial_for_url(url, baudrate=baud, timeout=0, write_timeout=5)
        except (*NO_PORT, TypeError) as error:
            raise PortFault(f"{url}: cannot be opened: {reason(error)}") from None
        self._name = url

    def send(self, what: bytes) -> None:
        with self._port_errors():
            self._port.write(what)

    def receive(self, seconds: float) -> bytes:
        with self._port_errors():
            self._port.timeout = seconds
            first = self._port.read(1)
            return bytes(first + self._port.read(self._port.in_waiting or 0)) if first else b""

    @contextmanager
    def _port_errors(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise PortFault(f"{self._name}: the connection broke: {reason(error)}") from None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._port.close()


class PtyLine:
    """A pty whose other end is given to a program."""

    def __init__(self) -> None:
        self._own_end, self._program_end = pty.openpty()
        # No echo, and no control characters.
        tty.setraw(self._program_end)
        self.port = os.ttyname(self._program_end)
        self.program: subprocess.Popen[Any] | None = None
        """The program at the other end, if it is known; ``receive`` fails when it has exited."""

    def send(self, what: bytes) -> None:
        os.write(self._own_end, what)

    def receive(self, seconds: float) -> bytes:
        ready = select.select([self._own_end], [], [], min(seconds, CHECK_PROGRAM_EVERY))[0]
        if not ready and self.program is not None and self.program.poll() is not None:
            raise PortFault("the box that was started here has ended")
        return os.read(self._own_end, 4096) if ready else b""

    def close(self) -> None:
        for end in (self._own_end, self._program_end):
            os.close(end)
