"""Locks and reads ledger files that SQLite may have open in the same process.

Closing any descriptor of a file releases all POSIX locks that the process holds on it, including
SQLite's. Another program would then take the log of a running box for stale and delete it. So
each file has at most one descriptor here: it is opened before SQLite opens the file, shared by
all readers, and closed after SQLite has closed the file.
"""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

Identity = tuple[int, int]
"""A file's device and inode numbers, which do not depend on its name."""


class _SharedFile:
    """A descriptor and its number of users."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor
        self.users = 0
        self.is_locked = False


_open_files: dict[Identity, _SharedFile] = {}


@contextmanager
def opened(path: Path) -> Iterator[int]:
    """A descriptor for reading. Raises OSError."""
    with _shared(path, os.O_RDONLY) as found:
        yield found.descriptor


@contextmanager
def locked(path: Path) -> Iterator[int]:
    """A descriptor with an exclusive lock. The file is created if it is missing.

    The kernel releases the lock when its owner dies. It is independent of SQLite's locks.
    Raises BlockingIOError if another program has the lock.
    """
    flags = os.O_RDONLY if path.exists() else os.O_RDWR | os.O_CREAT
    with _shared(path, flags) as found:
        if found.is_locked:
            raise BlockingIOError
        fcntl.flock(found.descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        found.is_locked = True
        try:
            yield found.descriptor
        finally:
            found.is_locked = False
            fcntl.flock(found.descriptor, fcntl.LOCK_UN)


@contextmanager
def _shared(path: Path, flags: int) -> Iterator[_SharedFile]:
    """The open descriptor, or a new one; its last user closes it."""
    found = _open_files.get(_identity(path.stat())) if path.exists() else None
    if found is None:
        found = _SharedFile(os.open(path, flags | os.O_CLOEXEC, 0o644))
    identity = _identity(os.fstat(found.descriptor))
    _open_files[identity] = found
    found.users += 1
    try:
        yield found
    finally:
        found.users -= 1
        if not found.users:
            del _open_files[identity]
            os.close(found.descriptor)


def _identity(status: os.stat_result) -> Identity:
    return status.st_dev, status.st_ino


def content(descriptor: int) -> bytes:
    return os.pread(descriptor, os.fstat(descriptor).st_size, 0)


def side_file_content(path: Path) -> bytes:
    """The content of a log or a journal, which SQLite never locks; empty if it is missing."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return b""


def sync_folder(path: Path) -> None:
    """Make the file's name durable; syncing the file itself covers only its content."""
    sync(path.absolute().parent)


def sync(path: Path) -> None:
    """Make a folder durable, or the content of a file that SQLite does not have open."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
