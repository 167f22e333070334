"""What the person at the terminal is told, one line each; and the sentence that ends it all."""

import sys
from contextlib import suppress
from typing import TextIO


class Trouble(Exception):
    """It cannot go on; the message is one sentence."""


class Refused(Trouble):
    """It does not even begin."""


changes: list[str] = []
"""All that this run has changed."""


def changed(what: str) -> None:
    changes.append(what)
    _print(f"  {what}")


def working(what: str) -> None:
    """Something that takes its time has begun, or goes on."""
    _print(f"  ... {what}")


def note(sentence: str) -> None:
    _print(f"tellerbox: {sentence}")


def lament(sentence: str) -> None:
    _print(f"tellerbox: {sentence}", sys.stderr)


def _print(line: str, stream: TextIO | None = None) -> None:
    # A terminal that has gone away must not stop us from switching back.
    with suppress(OSError, ValueError):
        print(line, file=stream or sys.stdout, flush=True)
