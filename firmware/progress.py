"""Shows progress for work that takes longer than two seconds.

The progress is one line on standard error, which is erased at the end. If standard error is not a
terminal, nothing is shown.
"""

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

AFTER = 2.0
"""Seconds before the first line."""
EVERY = 1.0
WIPE = "\r\x1b[K"


@contextmanager
def shown(
    what: str, terminal: TextIO | None = None, *, after: float = AFTER, every: float = EVERY
) -> Iterator[None]:
    """Show what is being done, and for how long, while the context is active."""
    terminal = terminal or sys.stderr
    if not terminal.isatty():
        yield
        return
    over = threading.Event()
    # A thread, because the work itself blocks.
    line = threading.Thread(target=_show, args=(what, terminal, over, after, every), daemon=True)
    line.start()
    try:
        yield
    finally:
        over.set()
        line.join()


def _show(what: str, terminal: TextIO, over: threading.Event, after: float, every: float) -> None:
    began = time.monotonic()
    if over.wait(after):
        return
    while True:
        waited = time.monotonic() - began
        print(f"{WIPE}{what}: {waited:.0f} s", end="", file=terminal, flush=True)
        if over.wait(every):
            print(WIPE, end="", file=terminal, flush=True)
            return
