"""A file that is handed out, a backup or a report: whole, or not there at all."""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from firmware.mistake import Mistake


@contextmanager
def written(target: Path, *, ledger: Path, force: bool) -> Iterator[Path]:
    """Another name to write under; it is renamed when all went well, and else removed.

    A name that nobody else gives to a file: one that is there is left of a power cut.
    """
    _refuse(target, ledger, force)
    partial = target.with_name(target.name + ".tellerbox-part")
    try:
        partial.unlink(missing_ok=True)
        yield partial
        _sync(partial)
        partial.replace(target)
        _sync(target.absolute().parent)
    except (OSError, sqlite3.Error) as error:
        reason = getattr(error, "strerror", None) or error
        raise Mistake(f"{target}: cannot be written: {reason}") from None
    finally:
        with suppress(OSError):
            partial.unlink(missing_ok=True)


def _refuse(target: Path, ledger: Path, force: bool) -> None:
    try:
        if target.exists() and not target.is_file():
            raise Mistake(f"{target}: is not a file that could be replaced")
        if target.exists() and target.samefile(ledger):
            raise Mistake(f"{target}: is the ledger itself")
        if target.exists() and not force:
            raise Mistake(f"{target}: is there already; name another file, or say --force")
    except OSError as error:
        raise Mistake(f"{target}: cannot be written: {error.strerror}") from None


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
