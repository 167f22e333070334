"""Tells whoever waits at a terminal that work goes on, once it takes longer than two seconds.

What it tells is on one line of standard error, which is wiped away in the end. Where standard
error is no terminal nobody sits there waiting, and nothing is told.
"""

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

AFTER = 2.0
"""Seconds that nobody minds."""
EVERY = 1.0
WIPE = "\r\x1b[K"


class Waiting:
    """Somebody waits; a thread tells how long, for the work itself has no time to."""

    def __init__(self, what: str, terminal: TextIO, after: float, every: float) -> None:
        self._what = what
        self._terminal = terminal
        self._began = time.monotonic()
        self._after, self._every = after, every
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._tell, daemon=True)

    def begin(self) -> None:
        self._thread.start()

    def _tell(self) -> None:
        if self._over.wait(self._after):
            return
        while True:
            waited = time.monotonic() - self._began
            print(f"{WIPE}{self._what}: {waited:.0f} s", end="", file=self._terminal, flush=True)
            if self._over.wait(self._every):
                print(WIPE, end="", file=self._terminal, flush=True)
                return

    def end(self) -> None:
        """Whatever comes next finds a clean line."""
        if self._thread.ident is not None:
            self._over.set()
            self._thread.join()


@contextmanager
def asked(
    what: str, terminal: TextIO | None = None, *, after: float = AFTER, every: float = EVERY
) -> Iterator[None]:
    """Tell that this is being done, for as long as it is."""
    terminal = terminal or sys.stderr
    waiting = Waiting(what, terminal, after, every)
    if terminal.isatty():
        waiting.begin()
    try:
        yield
    finally:
        waiting.end()
