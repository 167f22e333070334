"""Writes a backup or a report atomically: the file is complete, or it does not exist."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from firmware.storage import file_locks
from firmware.user_error import UserError


@contextmanager
def written(target: Path, *, ledger: Path, force: bool) -> Iterator[Path]:
    """A temporary file to write to; it is renamed on success, and removed on failure.

    A file of that name is left over from a power cut, and is replaced.
    """
    _refuse(target, ledger, force)
    partial = target.with_name(target.name + ".tellerbox-part")
    try:
        partial.unlink(missing_ok=True)
        yield partial
        file_locks.sync(partial)
        partial.replace(target)
        file_locks.sync_folder(target)
    except (OSError, sqlite3.Error) as error:
        reason = getattr(error, "strerror", None) or error
        raise UserError(f"{target}: cannot be written: {reason}") from None
    finally:
        with suppress(OSError):
            partial.unlink(missing_ok=True)


def _refuse(target: Path, ledger: Path, force: bool) -> None:
    try:
        if target.exists() and not target.is_file():
            raise UserError(f"{target}: is not a regular file; name another file")
        if target.exists() and target.samefile(ledger):
            raise UserError(f"{target}: is the ledger itself; name another file")
        if target.exists() and not force:
            raise UserError(f"{target}: already exists; name another file, or add --force")
    except OSError as error:
        raise UserError(f"{target}: cannot be written: {error.strerror}") from None
