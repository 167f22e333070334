"""The host's end of a box's console: asks it line after line.

Where the box is, a URL says: a device (``/dev/ttyUSB0``), whatever else pyserial knows
(``socket://…``, ``rfc2217://…``), or ``pi:`` and ``virtual:`` for a box that is started
here, on the parts of this Pi or on models of them.
"""

import os
import pty
import select
import subprocess
import sys
import tempfile
import time
import tty
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Protocol

from firmware.mistake import Mistake
from hal.faults import reason

PATIENCE = 10.0
"""Seconds for an answer, beside what the line itself takes."""
ANSWER_TO_HELLO = 0.5
"""Seconds; then we ask again."""
LONGEST_ANSWER = 10_000
STARTED_HERE = {"pi:": "pi", "virtual:": "virtual"}


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
            import serial
        except ImportError:
            raise Mistake("the package pyserial is missing; `make run` installs it") from None
        try:
            self._port = serial.serial_for_url(url, baudrate=baud, timeout=0, write_timeout=5)
        except (OSError, ValueError) as error:
            raise Mistake(f"{url}: cannot be opened: {reason(error)}") from None
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
            raise Mistake(f"{self._name}: the line broke: {reason(error)}") from None

    def close(self) -> None:
        self._port.close()


class PtyLine:
    """A line to a program that was started here."""

    def __init__(self) -> None:
        self._ours, self._theirs = pty.openpty()
        # Nothing is echoed, and no byte means more than itself.
        tty.setraw(self._theirs)
        self.port = os.ttyname(self._theirs)

    def send(self, what: bytes) -> None:
        os.write(self._ours, what)

    def receive(self, seconds: float) -> bytes:
        ready = select.select([self._ours], [], [], seconds)[0]
        return os.read(self._ours, 4096) if ready else b""

    def close(self) -> None:
        for end in (self._ours, self._theirs):
            os.close(end)


class Wire:
    """A box that can be asked."""

    def __init__(self, line: Line, name: str) -> None:
        self._line = line
        self.name = name
        self._rest = b""
        self.greeting = ""

    def ask(self, line: str, seconds: float = 0.0) -> str:
        """The answer to a line that takes so many seconds by itself."""
        self.say(line)
        return self.answer(line, seconds)

    def say(self, line: str) -> None:
        self._line.send(f"{line}\n".encode("ascii", "replace"))

    def answer(self, line: str, seconds: float = 0.0) -> str:
        """The answer to what was said last."""
        answer = self._next(seconds + PATIENCE)
        if answer is None:
            raise Mistake(f"{self.name}: the box does not answer to {line!r}")
        return answer

    def greet(self, patience: float = PATIENCE) -> None:
        """Find the beginning: whatever was going on before on this line is over."""
        give_up = time.monotonic() + patience
        number = 0
        while time.monotonic() < give_up:
            number += 1
            word = f"{os.getpid()}-{number}"
            self._line.send(f"\x03\nhello {word}\n".encode())
            while (answer := self._next(ANSWER_TO_HELLO)) is not None:
                if answer.endswith(word):
                    self.greeting = answer.rpartition(" | ")[0]
                    return
        raise Mistake(f"{self.name}: no box answers; does it run with --console, and as fast?")

    def _next(self, seconds: float) -> str | None:
        """The next line, or None when none comes in time."""
        give_up = time.monotonic() + seconds
        while b"\n" not in self._rest:
            left = give_up - time.monotonic()
            if left <= 0:
                return None
            self._rest = (self._rest + self._line.receive(left))[-LONGEST_ANSWER:]
        line, _, self._rest = self._rest.partition(b"\n")
        return line.decode("ascii", "replace").strip()


@contextmanager
def connected(url: str, baud: int) -> Iterator[Wire]:
    """The box at the other end, which has answered once."""
    if url in STARTED_HERE:
        with _started(STARTED_HERE[url]) as wire:
            yield wire
        return
    line = SerialLine(url, baud)
    try:
        wire = Wire(line, url)
        wire.greet()
        yield wire
    finally:
        line.close()


@contextmanager
def _started(board: str) -> Iterator[Wire]:
    """A box of our own, in a process of its own, with a ledger that goes with it."""
    line = PtyLine()
    with tempfile.TemporaryDirectory(prefix="tellerbox-") as folder:
        words = ["run", "--board", board, "--ledger", f"{folder}/box.db", "--console", line.port]
        # Not to a pipe, which a talkative box would fill.
        with Path(folder, "log").open("w+") as log:
            box = subprocess.Popen([sys.executable, "-m", "firmware", *words], stderr=log)
            wire = Wire(line, f"{board}:")
            try:
                wire.greet()
                yield wire
            except Mistake as mistake:
                log.seek(0)
                raise Mistake(f"{mistake}\n{log.read()}".strip()) from None
            finally:
                box.terminate()
                with suppress(subprocess.TimeoutExpired):
                    box.wait(5)
                box.kill()
                box.wait()
                line.close()
