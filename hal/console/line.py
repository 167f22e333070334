"""The host's end of a box's line: a port, or a pty to a program that was started here."""

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

LOOK_EVERY = 1.0
"""Seconds after which to see whether a program still runs."""


class Line(Protocol):
    """Bytes there and back."""

    def send(self, what: bytes) -> None: ...

    def receive(self, seconds: float) -> bytes:
        """What has come, as soon as something has; nothing when the time is over."""
        ...


class SerialLine:
    """A line through pyserial."""

    def __init__(self, url: str, baud: int) -> None:
        try:
            self._port = serial.serial_for_url(url, baudrate=baud, timeout=0, write_timeout=5)
        except (*NO_PORT, TypeError) as error:
            raise PortFault(f"{url}: cannot be opened: {reason(error)}") from None
        self._name = url

    def send(self, what: bytes) -> None:
        with self._told():
            self._port.write(what)

    def receive(self, seconds: float) -> bytes:
        with self._told():
            self._port.timeout = seconds
            first = self._port.read(1)
            return bytes(first + self._port.read(self._port.in_waiting or 0)) if first else b""

    @contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise PortFault(f"{self._name}: the line broke: {reason(error)}") from None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._port.close()


class PtyLine:
    """A line to a program that was started here."""

    def __init__(self) -> None:
        self._ours, self._theirs = pty.openpty()
        # Nothing is echoed, and no byte means more than itself.
        tty.setraw(self._theirs)
        self.port = os.ttyname(self._theirs)
        self.program: subprocess.Popen[Any] | None = None
        """Who is at the other end, once it is known; it may die."""

    def send(self, what: bytes) -> None:
        os.write(self._ours, what)

    def receive(self, seconds: float) -> bytes:
        ready = select.select([self._ours], [], [], min(seconds, LOOK_EVERY))[0]
        if not ready and self.program is not None and self.program.poll() is not None:
            raise PortFault("the box that was started here has ended")
        return os.read(self._ours, 4096) if ready else b""

    def close(self) -> None:
        for end in (self._ours, self._theirs):
            os.close(end)
