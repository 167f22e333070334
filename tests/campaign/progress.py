"""How far a long run is, for whoever waits: now and then a line on standard error."""

import sys
import time

FIRST = 2.0
"""Seconds after which somebody wonders whether anything happens."""
EVERY = 5.0


class Progress:
    """Told of everything, it says some of it."""

    def __init__(self) -> None:
        self._began = time.monotonic()
        self._due = self._began + FIRST

    def __call__(self, what: str) -> None:
        now = time.monotonic()
        if now >= self._due:
            self._due = now + EVERY
            print(f"  {now - self._began:4.0f} s: {what}", file=sys.stderr, flush=True)
