"""What every answer to bad input has in common: one sentence that a terminal can show."""

import atexit
import logging
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from firmware.mistake import Mistake


def is_one_sentence(said: str) -> None:
    """No second line, and no character that a terminal would obey instead of showing it."""
    assert said.strip(), "nothing was said"
    strange = [letter for letter in said if not letter.isprintable()]
    assert not strange, f"{said!r} has {strange!r} in it"


def names_its_place(mistake: Mistake, file: str, text: str, *, line_needed: bool) -> None:
    """The sentence begins with the file, and with a line that the file has."""
    said = str(mistake)
    is_one_sentence(said)
    assert said.startswith(f"{file}:"), said
    number = said.removeprefix(f"{file}:").partition(":")[0]
    if line_needed or number.isdigit():
        assert number.isdigit(), said
        assert 1 <= int(number) <= text.count("\n") + 1, said


def has_status(mistake: Mistake, status: int) -> None:
    assert mistake.status == status, f"{mistake}: {mistake.status}"


class Kept(logging.Handler):
    """A log's records, for who looks at them later."""

    def __init__(self, level: int) -> None:
        super().__init__(level)
        self.records: list[logging.LogRecord] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.records.append(record)


@contextmanager
def logged(name: str) -> Iterator[list[logging.LogRecord]]:
    """What is said to a log from WARNING on, kept and not printed."""
    handler = Kept(logging.WARNING)
    log = logging.getLogger(name)
    log.addHandler(handler)
    log.propagate, before = False, log.propagate
    try:
        yield handler.records
    finally:
        log.removeHandler(handler)
        log.propagate = before


@cache
def folder() -> Path:
    """One for all that is written in this process, in memory where that can be."""
    made = tempfile.mkdtemp(prefix="tellerbox-fuzz-", dir=os.environ.get("TMPDIR") or memory())
    atexit.register(shutil.rmtree, made, ignore_errors=True)
    return Path(made)


def memory() -> str | None:
    """Where files are not really written."""
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
