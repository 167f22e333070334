"""The host's end of a box's console: asks it line after line.

Where the box is, a URL says: a device (``/dev/ttyUSB0``), whatever else pyserial knows
(``socket://…``, ``rfc2217://…``), or ``pi:`` and ``virtual:`` for a box that is started
here, on the parts of this Pi or on models of them.
"""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from firmware.mistake import Mistake
from hal.console.line import Line, PtyLine, SerialLine
from hal.faults import PortFault

PATIENCE = 10.0
"""Seconds for an answer, beside what the line itself takes."""
ANSWER_TO_HELLO = 0.5
"""Seconds; then we ask again."""
LONGEST_ANSWER = 10_000
STARTED_HERE = {"pi:": "pi", "virtual:": "virtual"}


class Wire:
    """A box that can be asked."""

    def __init__(self, line: Line, name: str, patience: float = PATIENCE) -> None:
        self._line = line
        self.name = name
        self._patience = patience
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
        answer = self._next(seconds + self._patience)
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
                # Not the echo of a terminal that nobody has taken in hand yet.
                if answer.startswith("tellerbox ") and answer.endswith(word):
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
def connected(url: str, baud: int, config: str | None = None) -> Iterator[Wire]:
    """The box at the other end, which has answered once; the config is for one started here."""
    if url in STARTED_HERE:
        with _started(STARTED_HERE[url], config) as wire:
            yield wire
        return
    if config is not None:
        raise Mistake(f"a config file is for a box that is started here, and not for {url}")
    try:
        with SerialLine(url, baud) as line:
            wire = Wire(line, url)
            wire.greet()
            yield wire
    except PortFault as fault:
        raise Mistake(str(fault)) from None


@contextmanager
def _started(board: str, config: str | None) -> Iterator[Wire]:
    """A box of our own, in a process of its own, with a ledger that goes with it."""
    line = PtyLine()
    with tempfile.TemporaryDirectory(prefix="tellerbox-") as folder:
        words = ["run", "--board", board, "--ledger", f"{folder}/box.db", "--console", line.port]
        words += [] if config is None else ["--config", config]
        # Not to a pipe, which a talkative box would fill.
        with Path(folder, "log").open("w+") as log:
            box = subprocess.Popen([sys.executable, "-m", "firmware", *words], stderr=log)
            line.program = box
            wire = Wire(line, f"{board}:")
            try:
                wire.greet()
                yield wire
            except (Mistake, PortFault) as fault:
                log.seek(0)
                raise Mistake(f"{fault}\n{log.read()}".strip()) from None
            finally:
                box.terminate()
                with suppress(subprocess.TimeoutExpired):
                    box.wait(5)
                box.kill()
                box.wait()
                line.close()
