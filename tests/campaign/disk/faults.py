"""Faults that a disk has until it is mended."""

import errno
import sqlite3
from enum import Enum

from tests.campaign.disk.calls import Call, Kind, Refusal


class DiskFault(Enum):
    """A lasting fault of a disk."""

    FULL = "full"
    READ_ONLY = "read-only"
    SYNC = "sync"
    WRITE = "write"
    READ = "read"
    BUSY = "busy"


class FailedSync(Enum):
    """What a failed sync did to the data."""

    DONE = "written; only the result was wrong"
    PENDING = "not written; the next sync will write it"
    DROPPED = "not written, and the kernel will not write it again"


NO_POWER = Refusal(sqlite3.SQLITE_IOERR, errno.EIO)

_CHANGING = (Kind.CREATE, Kind.WRITE, Kind.TRUNCATE, Kind.DELETE, Kind.RENAME)
_FAILS: dict[DiskFault, tuple[tuple[Kind, ...], Refusal]] = {
    DiskFault.READ_ONLY: (_CHANGING, Refusal(sqlite3.SQLITE_READONLY, errno.EROFS)),
    DiskFault.SYNC: (
        (Kind.SYNC, Kind.SYNC_FOLDER),
        Refusal(sqlite3.SQLITE_IOERR_FSYNC, errno.EIO),
    ),
    DiskFault.WRITE: ((Kind.WRITE,), Refusal(sqlite3.SQLITE_IOERR_WRITE, errno.EIO)),
    DiskFault.READ: ((Kind.READ,), Refusal(sqlite3.SQLITE_IOERR_READ, errno.EIO)),
    DiskFault.BUSY: ((Kind.LOCK,), Refusal(sqlite3.SQLITE_BUSY, errno.EAGAIN)),
}


def refusal(fault: DiskFault, call: Call, size: int) -> Refusal | None:
    """Why a call fails on a disk with this fault; ``size`` is the file's current size."""
    if fault is DiskFault.FULL:
        longer = call.kind is Kind.WRITE and call.offset + len(call.content) > size
        return Refusal(sqlite3.SQLITE_FULL, errno.ENOSPC) if longer else None
    kinds, why = _FAILS[fault]
    return why if call.kind in kinds else None
