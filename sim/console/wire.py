"""The host's end of a box's console.

A URL says where the box is: a device (``/dev/ttyUSB0``), any other URL of pyserial (``socket://…``,
``rfc2217://…``), or ``pi:`` or ``virtual:`` for a box that is started here, on that board.
"""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from firmware import boards
from firmware.user_error import UserError
from hal.console.line import Line, PtyLine, SerialLine
from hal.faults import PortFault

ANSWER_TIMEOUT = 10.0
"""Seconds for an answer, in addition to the duration of the line."""
HELLO_TIMEOUT = 0.5
"""Seconds until ``hello`` is repeated."""
LONGEST_ANSWER = 10_000
STARTED_HERE = tuple(f"{board}:" for board in boards.names("run"))
STARTED_BOX = "sim.console.started_box"


class ConsoleClient:
    """Sends lines to a box, and receives its answers."""

    def __init__(self, line: Line, name: str, timeout: float = ANSWER_TIMEOUT) -> None:
        self._line = line
        self.name = name
        self._timeout = timeout
        self._rest = b""
        self.greeting = ""

    def ask(self, line: str, seconds: float = 0.0) -> str:
        """Send a line, which takes so many seconds, and return its answer."""
        self.say(line)
        return self.answer(line, seconds)

    def say(self, line: str) -> None:
        self._line.send(f"{line}\n".encode("ascii", "replace"))

    def answer(self, line: str, seconds: float = 0.0) -> str:
        """Return the answer to a line that was sent."""
        answer = self._next(seconds + self._timeout)
        if answer is None:
            raise UserError(f"{self.name}: the box does not answer to {line!r}")
        return answer

    def greet(self, timeout: float = ANSWER_TIMEOUT) -> None:
        """End what went on before on this line, and wait for the box's greeting."""
        give_up = time.monotonic() + timeout
        number = 0
        while time.monotonic() < give_up:
            number += 1
            word = f"{os.getpid()}-{number}"
            self._line.send(f"\x03\nhello {word}\n".encode())
            while (answer := self._next(HELLO_TIMEOUT)) is not None:
                # And not the echo of a terminal that is not in raw mode yet.
                if answer.startswith("tellerbox ") and answer.endswith(word):
                    self.greeting = answer.rpartition(" | ")[0]
                    return
        raise UserError(
            f"{self.name}: no box answers; does it run with --console, at the same speed?"
        )

    def _next(self, seconds: float) -> str | None:
        """Return the next line, or None after the timeout."""
        give_up = time.monotonic() + seconds
        while b"\n" not in self._rest:
            left = give_up - time.monotonic()
            if left <= 0:
                return None
            self._rest = (self._rest + self._line.receive(left))[-LONGEST_ANSWER:]
        line, _, self._rest = self._rest.partition(b"\n")
        return line.decode("ascii", "replace").strip()


@contextmanager
def connected(url: str, baud: int, config: str | None = None) -> Iterator[ConsoleClient]:
    """Yield the box at a URL when it has answered; a config file is for a box started here."""
    if url in STARTED_HERE:
        with _started(url, config) as wire:
            yield wire
        return
    if config is not None:
        raise UserError(f"a config file is for a box that is started here, not for {url}")
    try:
        with SerialLine(url, baud) as line:
            wire = ConsoleClient(line, url)
            wire.greet()
            yield wire
    except PortFault as fault:
        raise UserError(str(fault)) from None


@contextmanager
def _started(url: str, config: str | None) -> Iterator[ConsoleClient]:
    """Start a box in a process of its own, with a temporary ledger."""
    line = PtyLine()
    board = url.removesuffix(":")
    with tempfile.TemporaryDirectory(prefix="tellerbox-") as folder:
        words = ["run", "--board", board, "--ledger", f"{folder}/box.db", "--console", line.port]
        words += [] if config is None else ["--config", config]
        # Not a pipe, which the box's log could fill.
        with Path(folder, "log").open("w+") as log:
            box = subprocess.Popen(
                [sys.executable, "-m", STARTED_BOX, *words], stdin=subprocess.PIPE, stderr=log
            )
            line.program = box
            wire = ConsoleClient(line, url)
            try:
                wire.greet()
                yield wire
            except (UserError, PortFault) as fault:
                log.seek(0)
                raise UserError(str(fault), details=log.read()) from None
            finally:
                box.terminate()
                with suppress(subprocess.TimeoutExpired):
                    box.wait(5)
                box.kill()
                box.wait()
                assert box.stdin
                box.stdin.close()
                line.close()
