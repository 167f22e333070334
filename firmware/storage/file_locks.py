"""The bytes of a file that SQLite may have open in this process, too.

To close any descriptor of a file lets go of all locks that the process has on it, also of
SQLite's, and other programs would then take the log of a running box for left over, and delete
it. So there is at most one descriptor of ours for each file: whoever opens the file by SQLite
has held it before, and lets go of it after that, and everybody reads by the same one.
"""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

Identity = tuple[int, int]
"""Of a file, whatever its name is: the number of its disk, and its own there."""


class _Held:
    """A descriptor, and who needs it."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor
        self.users = 0
        self.is_locked = False


_held: dict[Identity, _Held] = {}


@contextmanager
def held(path: Path) -> Iterator[int]:
    """A descriptor to read by; raises OSError."""
    with _shared(path, os.O_RDONLY) as found:
        yield found.descriptor


@contextmanager
def locked(path: Path) -> Iterator[int]:
    """The same, of a file that is made if there is none, and that one at a time may lock.

    The kernel lets go of the lock however its owner dies. It does not meet SQLite's own locks.
    Raises BlockingIOError when somebody else has it.
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
def _shared(path: Path, flags: int) -> Iterator[_Held]:
    """The one that is open already, or a new one; the last to need it closes it."""
    found = _held.get(_identity(path.stat())) if path.exists() else None
    if found is None:
        found = _Held(os.open(path, flags | os.O_CLOEXEC, 0o644))
    identity = _identity(os.fstat(found.descriptor))
    _held[identity] = found
    found.users += 1
    try:
        yield found
    finally:
        found.users -= 1
        if not found.users:
            del _held[identity]
            os.close(found.descriptor)


def _identity(found: os.stat_result) -> Identity:
    return found.st_dev, found.st_ino


def content(descriptor: int) -> bytes:
    """All of it."""
    return os.pread(descriptor, os.fstat(descriptor).st_size, 0)


def content_beside(path: Path) -> bytes:
    """All of a log or a journal, on which SQLite has no lock; nothing where there is none."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return b""


def sync_folder(path: Path) -> None:
    """Make the file's name durable, not only its content."""
    folder = os.open(path.absolute().parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
