"""Messages to the terminal, and the errors that end a run."""

import sys
from contextlib import suppress
from typing import TextIO


class InstallError(Exception):
    """The run cannot continue; the message is one sentence."""


class Refused(InstallError):
    """The run cannot begin; nothing was changed."""


changes: list[str] = []
"""Everything this run has changed."""


def changed(what: str) -> None:
    changes.append(what)
    _print(f"  {what}")


def progress(what: str) -> None:
    _print(f"  ... {what}")


def info(sentence: str) -> None:
    _print(f"tellerbox: {sentence}")


def report_error(sentence: str) -> None:
    _print(f"tellerbox: {sentence}", sys.stderr)


def _print(line: str, stream: TextIO | None = None) -> None:
    # A closed terminal must not stop a rollback.
    with suppress(OSError, ValueError):
        print(_printable(line), file=stream or sys.stdout, flush=True)


def _printable(text: str) -> str:
    """Escape what would control the terminal: names of files and the log may be hostile."""
    return "".join(
        each if each.isprintable() or each in "\n\t" else each.encode("unicode_escape").decode()
        for each in text
    )
