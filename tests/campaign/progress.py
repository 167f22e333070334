"""Progress of a long run: a line on standard error every few seconds."""

import sys
import time

FIRST = 2.0
"""Seconds before the first line."""
EVERY = 5.0


class Progress:
    """Called with every step; prints some of them."""

    def __init__(self) -> None:
        self._began = time.monotonic()
        self._due = self._began + FIRST

    def __call__(self, what: str) -> None:
        now = time.monotonic()
        if now >= self._due:
            self._due = now + EVERY
            print(f"  {now - self._began:4.0f} s: {what}", file=sys.stderr, flush=True)
