"""Finds and opens the ledger file.

There are three ways to open it:

- ``opened_by_box``: by a box. A lock allows one box per file. The file is checked before it is
  written to. A file that cannot be written is still read; then every move is refused.
- ``shared_for_changes``: by a command, while a box may be running.
- ``reading``: read-only. SQLite's write-ahead log lets others read while the box writes, so
  reading never delays the bank.

``ledger_check`` has the reasons for refusing a file. The first two migrate a ledger of an older
format (``opening``), which requires the lock.
"""

import os
import sqlite3
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from enum import Enum
from pathlib import Path

from firmware.bank import edition as editions
from firmware.storage import file_locks, ledger_check, schema, wal_recovery
from firmware.storage.ledger_check import JOURNAL, LOG, check_version, has_side_file
from firmware.storage.ledger_check import LedgerRefused as LedgerRefused
from firmware.storage.opening import DiskLocation, connection_to, migrated, private_copy
from firmware.storage.store import Store
from firmware.user_error import printable


class Owner(Enum):
    """Whose ledger is the default: the simulator's knows the simulated cards."""

    SIMULATOR = "the simulator"
    BOX = "the box on its hardware"
    EITHER = "the box that is installed here, or else the simulator"


INSTALLED = "TELLERBOX_LEDGER"
"""The environment variable with the ledger of the box that is installed on this machine."""


def default_path(edition: str = editions.DEFAULT, owner: Owner = Owner.SIMULATOR) -> Path:
    """A user has one ledger per edition, so that no game ends a game of another edition."""
    installed = os.environ.get(INSTALLED)
    if installed and owner is not Owner.SIMULATOR:
        return Path(installed)
    state = os.environ.get("XDG_STATE_HOME", "")
    # The XDG specification says to ignore a relative path.
    root = Path(state) if state.startswith("/") else Path.home() / ".local" / "state"
    name = "box" if owner is Owner.BOX else "ledger"
    return root / "tellerbox" / f"{name if edition == editions.DEFAULT else f'{name}-{edition}'}.db"


@contextmanager
def opened_by_box(path: Path, wall_clock: Callable[[], float] = time.time) -> Iterator[Store]:
    """Open a ledger for a box and lock it; create it if it is missing."""
    was_there = os.path.lexists(path)
    with locked(path) as descriptor:
        ledger_check.refuse_foreign_files(path, descriptor)
        is_empty = not path.stat().st_size
        if not is_empty:
            with _readable_or_copy(path, descriptor) as connection:
                ledger_check.check(path, connection)
        location = DiskLocation(path, descriptor)
        # Another box may have created it, and stopped, before this one got the lock.
        created = is_empty and not was_there
        with closing(_writable_or_copy(location, created, wall_clock)) as store:
            yield store


@contextmanager
def shared_for_changes(path: Path) -> Iterator[Store]:
    """Open an existing ledger, which a box may be using, for changes."""
    with ExitStack() as stack:
        descriptor = stack.enter_context(_existing(path))
        with _readable_or_copy(path, descriptor) as connection:
            check_version(path, connection)
            is_older = ledger_check.has_older_format(connection)
        if is_older:
            stack.enter_context(locked(path, "stop it first: the ledger has an older format"))
        with _readable_or_copy(path, descriptor) as connection:
            ledger_check.check(path, connection)
            ledger_check.must_be_initialised(path, connection)
        location = DiskLocation(path, descriptor, is_locked=is_older)
        try:
            connection = location.open()
        except sqlite3.Error as error:
            raise ledger_check.unwritable(path, error) from None
        yield stack.enter_context(closing(Store(connection, location=location)))


@contextmanager
def reading(path: Path) -> Iterator[sqlite3.Connection]:
    """Open an existing ledger for reading."""
    with _existing(path) as descriptor:
        with _readable_or_copy(path, descriptor) as connection:
            check_version(path, connection)
            ledger_check.must_be_initialised(path, connection)
            if schema.version_of(connection) == schema.VERSION:
                yield connection
                return
        # Only a writer migrates an older format; a reader gets a migrated copy.
        with closing(_copy_to_read(path, descriptor)) as connection:
            yield connection


@contextmanager
def locked(path: Path, advice: str = "stop that box first") -> Iterator[int]:
    """A descriptor of the file, locked against other boxes; the file is created if missing."""
    with ExitStack() as stack:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            descriptor = stack.enter_context(file_locks.locked(path))
        except BlockingIOError:
            sentence = f"{path}: this ledger is in use by another box; {advice}"
            raise LedgerRefused(sentence) from None
        except OSError as error:
            raise LedgerRefused(f"{path}: cannot be opened: {error.strerror}") from None
        yield descriptor


@contextmanager
def _existing(path: Path) -> Iterator[int]:
    """A descriptor of an existing file with the header of a ledger."""
    with ExitStack() as stack:
        try:
            descriptor = stack.enter_context(file_locks.opened(path))
        except FileNotFoundError:
            advice = "a box creates it when it starts"
            raise LedgerRefused(f"{path}: this ledger does not exist; {advice}") from None
        except OSError as error:
            raise LedgerRefused(f"{path}: cannot be read: {error.strerror}") from None
        ledger_check.refuse_foreign_files(path, descriptor)
        yield descriptor


def _writable_or_copy(
    location: DiskLocation, created: bool, wall_clock: Callable[[], float]
) -> Store:
    """The ledger, or a read-only copy if the disk refuses writes."""
    path = location.path
    try:
        return Store(location.open(), wall_clock, location)
    except sqlite3.Error as error:
        reason = error
    if created:
        for ending in ("", LOG, JOURNAL, "-shm"):
            with suppress(OSError):
                path.with_name(path.name + ending).unlink(missing_ok=True)
        raise LedgerRefused(f"{path}: a new ledger cannot be made here: {reason}")
    refusal = f"{path}: cannot be written ({reason}); every move is refused"
    print(f"tellerbox: {printable(refusal)}", file=sys.stderr)
    fingerprint = location.fingerprint()
    copy = _copy_to_read(path, location.descriptor)
    return Store(copy, wall_clock, location, copy_of=fingerprint)


def _copy_to_read(path: Path, descriptor: int) -> sqlite3.Connection:
    try:
        return migrated(private_copy(path, descriptor))
    except sqlite3.Error as error:
        raise ledger_check.damaged(path, error) from None


@contextmanager
def _readable_or_copy(path: Path, descriptor: int) -> Iterator[sqlite3.Connection]:
    """A read-only connection, or a copy where SQLite cannot create its side files.

    A read-only connection cannot roll back a journal either, and ignores the copy of a log.
    """
    if not has_side_file(path, JOURNAL) and not has_side_file(path, LOG + wal_recovery.COPY):
        try:
            connection = connection_to(path, "ro")
        except sqlite3.Error as error:
            raise LedgerRefused(f"{path}: cannot be opened: {error}") from None
        with closing(connection):
            try:
                schema.version_of(connection)
            except sqlite3.OperationalError:
                pass
            except ledger_check.UNREADABLE as error:
                raise ledger_check.damaged(path, error) from None
            else:
                yield connection
                return
    with closing(private_copy(path, descriptor)) as connection:
        yield connection
