"""A ledger on disk: where it is, and who may open it.

Three ways in:

- ``held_by_box``: the box itself. One box a file (a lock says so); the file is
  checked before anything is written to it; a file that cannot be written is
  still read, and every move on it is then refused.
- ``shared_for_changes``: the command line beside a running box.
- ``reading``: looking only. SQLite's write-ahead log lets readers read while
  the box writes, so looking never makes the bank wait.

What is refused, and in which words, is said in ``ledger_check``. A ledger of an older format is
brought up to ours by the first two (``on_disk``); no box may be using it meanwhile, nor anybody
else be doing the same.
"""

import os
import sqlite3
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from enum import Enum
from pathlib import Path

from firmware import edition as editions
from firmware import left_log, raw_file, schema
from firmware.ledger_check import (
    JOURNAL,
    LOG,
    UNREADABLE,
    LedgerRefused,
    check,
    check_version,
    damaged,
    has_older_format,
    lies_beside,
    must_be_begun,
    must_exist,
    refuse_strange_files,
    unwritable,
)
from firmware.on_disk import OnDisk, connection_to, in_our_format, private_copy
from firmware.store import Store

__all__ = [
    "INSTALLED",
    "LedgerRefused",
    "Owner",
    "default_path",
    "held_by_box",
    "locked",
    "reading",
    "shared_for_changes",
]


class Owner(Enum):
    """Whose ledger is meant where none is named: the simulator's knows the simulator's cards."""

    SIMULATOR = "the simulator"
    BOX = "the box on its parts"
    EITHER = "the box that is installed here, or else the simulator"


INSTALLED = "TELLERBOX_LEDGER"
"""Names the ledger of the box that is installed on this machine, for it and for who looks."""


def default_path(edition: str = editions.DEFAULT, owner: Owner = Owner.SIMULATOR) -> Path:
    """Where a ledger lives; a user's has one for each edition, so that none ends another."""
    installed = os.environ.get(INSTALLED)
    if installed and owner is not Owner.SIMULATOR:
        return Path(installed)
    state = os.environ.get("XDG_STATE_HOME", "")
    # The XDG rules say that a relative path there is to be ignored.
    root = Path(state) if state.startswith("/") else Path.home() / ".local" / "state"
    name = "box" if owner is Owner.BOX else "ledger"
    return root / "tellerbox" / f"{name if edition == editions.DEFAULT else f'{name}-{edition}'}.db"


@contextmanager
def held_by_box(path: Path, wall_clock: Callable[[], float] = time.time) -> Iterator[Store]:
    """Open a ledger for a box, making it if there is none, and keep others out."""
    was_there = os.path.lexists(path)
    with locked(path) as descriptor:
        refuse_strange_files(path, descriptor)
        is_empty = not path.stat().st_size
        if not is_empty:
            with _readable_or_copy(path, descriptor) as connection:
                check(path, connection)
        place = OnDisk(path, descriptor)
        # Another box may have made it, and gone, before the lock was ours.
        created = is_empty and not was_there
        with closing(_writable_or_copy(place, created, wall_clock)) as store:
            yield store


@contextmanager
def shared_for_changes(path: Path) -> Iterator[Store]:
    """Open an existing ledger beside the box that may be using it."""
    with ExitStack() as stack:
        descriptor = stack.enter_context(_held(path))
        with _readable_or_copy(path, descriptor) as connection:
            check_version(path, connection)
            is_older = has_older_format(connection)
        if is_older:
            stack.enter_context(locked(path, "; stop it first, for the format is an older one"))
        with _readable_or_copy(path, descriptor) as connection:
            check(path, connection)
            must_be_begun(path, connection)
        place = OnDisk(path, descriptor, is_held=is_older)
        try:
            connection = place.open()
        except sqlite3.Error as error:
            raise unwritable(path, error) from None
        yield stack.enter_context(closing(Store(connection, place=place)))


@contextmanager
def reading(path: Path) -> Iterator[sqlite3.Connection]:
    """Open an existing ledger to look into it."""
    with _held(path) as descriptor:
        with _readable_or_copy(path, descriptor) as connection:
            check_version(path, connection)
            must_be_begun(path, connection)
            if schema.version_of(connection) == schema.VERSION:
                yield connection
                return
        # An older format is for the box to migrate; a copy can be looked at meanwhile.
        with closing(_copy_to_read(path, descriptor)) as connection:
            yield connection


@contextmanager
def locked(path: Path, advice: str = "") -> Iterator[int]:
    """Keep other boxes away from a file, which is made if there is none; its descriptor."""
    with ExitStack() as stack:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            descriptor = stack.enter_context(raw_file.locked(path))
        except BlockingIOError:
            sentence = f"{path}: this ledger is in use by another box{advice}"
            raise LedgerRefused(sentence) from None
        except OSError as error:
            raise LedgerRefused(f"{path}: cannot be opened: {error.strerror}") from None
        yield descriptor


@contextmanager
def _held(path: Path) -> Iterator[int]:
    """The descriptor of a file that is there and may well be a ledger."""
    must_exist(path)
    with ExitStack() as stack:
        try:
            descriptor = stack.enter_context(raw_file.held(path))
        except OSError as error:
            raise LedgerRefused(f"{path}: cannot be read: {error.strerror}") from None
        refuse_strange_files(path, descriptor)
        yield descriptor


def _writable_or_copy(place: OnDisk, created: bool, wall_clock: Callable[[], float]) -> Store:
    """The ledger to write to; where the disk allows no writing, a copy to read from."""
    path = place.path
    try:
        return Store(place.open(), wall_clock, place)
    except sqlite3.Error as error:
        reason = str(error)
    if created:
        for ending in ("", LOG, JOURNAL, "-shm"):
            with suppress(OSError):
                path.with_name(path.name + ending).unlink(missing_ok=True)
        raise LedgerRefused(f"{path}: a new ledger cannot be made here: {reason}")
    print(
        f"tellerbox: {path}: cannot be written ({reason}); every move is refused", file=sys.stderr
    )
    mark = place.mark()
    return Store(_copy_to_read(path, place.descriptor), wall_clock, place, copy_of=mark)


def _copy_to_read(path: Path, descriptor: int) -> sqlite3.Connection:
    copy = private_copy(path, descriptor)
    try:
        return in_our_format(copy)
    except sqlite3.Error as error:
        raise damaged(path, error) from None


@contextmanager
def _readable_or_copy(path: Path, descriptor: int) -> Iterator[sqlite3.Connection]:
    """A read-only look; where SQLite may not make its side files, a copy to look at.

    Nor may it put back there what a journal has, and it knows nothing of the copy of a log.
    """
    if not lies_beside(path, JOURNAL) and not lies_beside(path, LOG + left_log.COPY):
        with closing(_connected(path)) as connection:
            try:
                schema.version_of(connection)
            except sqlite3.OperationalError:
                pass
            except UNREADABLE as error:
                raise damaged(path, error) from None
            else:
                yield connection
                return
    with closing(private_copy(path, descriptor)) as connection:
        yield connection


def _connected(path: Path) -> sqlite3.Connection:
    try:
        return connection_to(path, "ro")
    except sqlite3.Error as error:
        raise LedgerRefused(f"{path}: cannot be opened: {error}") from None
