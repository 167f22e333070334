"""Checks that all targets share: an error is one line that a terminal can show."""

import atexit
import logging
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from firmware.user_error import UserError


def check_one_sentence(text: str) -> None:
    """One line, without control characters."""
    assert text.strip(), "the message is empty"
    unprintable = [letter for letter in text if not letter.isprintable()]
    assert not unprintable, f"{text!r} contains {unprintable!r}"


def check_location(error: UserError, file: str, source: str, *, line_needed: bool) -> None:
    """The message starts with the file and, if there is one, a valid line number."""
    text = str(error)
    check_one_sentence(text)
    assert text.startswith(f"{file}:"), text
    number = text.removeprefix(f"{file}:").partition(":")[0]
    if line_needed or number.isdigit():
        assert number.isdigit(), text
        assert 1 <= int(number) <= source.count("\n") + 1, text


def check_status(error: UserError, status: int) -> None:
    assert error.status == status, f"{error}: {error.status}"


class RecordingHandler(logging.Handler):
    """Keeps log records."""

    def __init__(self, level: int) -> None:
        super().__init__(level)
        self.records: list[logging.LogRecord] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.records.append(record)


@contextmanager
def logged(name: str) -> Iterator[list[logging.LogRecord]]:
    """The log's records from WARNING on, kept instead of printed."""
    handler = RecordingHandler(logging.WARNING)
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
    """A temporary folder for this process, in memory if possible."""
    made = tempfile.mkdtemp(
        prefix="tellerbox-fuzz-", dir=os.environ.get("TMPDIR") or memory_folder()
    )
    atexit.register(shutil.rmtree, made, ignore_errors=True)
    return Path(made)


def memory_folder() -> str | None:
    """A folder in memory, if there is one."""
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
