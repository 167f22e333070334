"""A card that fails one call, or several of a kind, and is then healthy again."""

import errno
import random
import sqlite3
from pathlib import Path
from typing import NamedTuple

from tests.campaign.disk.calls import Call, Kind, Refusal
from tests.campaign.disk.card import SdCard
from tests.campaign.disk.faults import FailedSync

EIO, ENOSPC, EROFS = errno.EIO, errno.ENOSPC, errno.EROFS


class CallError(NamedTuple):
    """How a call fails."""

    label: str
    refusal: Refusal
    outcome: FailedSync = FailedSync.PENDING

    @property
    def name(self) -> str:
        """The name of the error alone."""
        return self.label.partition(",")[0]


def _error(
    label: str, code: int, number: int, outcome: FailedSync = FailedSync.PENDING
) -> CallError:
    return CallError(label, Refusal(code, number), outcome)


_FULL = _error("ENOSPC", sqlite3.SQLITE_FULL, ENOSPC)
_READ_ONLY = _error("EROFS", sqlite3.SQLITE_READONLY, EROFS)
_SYNC_ERRORS = tuple(
    _error(f"EIO, {outcome.name}", sqlite3.SQLITE_IOERR_FSYNC, EIO, outcome)
    for outcome in FailedSync
)
ERRORS: dict[Kind, tuple[CallError, ...]] = {
    Kind.OPEN: (_error("EIO", sqlite3.SQLITE_CANTOPEN, EIO),),
    Kind.READ: (_error("EIO", sqlite3.SQLITE_IOERR_READ, EIO),),
    Kind.SIZE: (_error("EIO", sqlite3.SQLITE_IOERR_FSTAT, EIO),),
    Kind.LOCK: (
        _error("busy", sqlite3.SQLITE_BUSY, errno.EAGAIN),
        _error("EIO", sqlite3.SQLITE_IOERR_LOCK, EIO),
    ),
    Kind.MAP: (_error("EIO", sqlite3.SQLITE_IOERR_SHMMAP, EIO),),
    Kind.ACCESS: (_error("EIO", sqlite3.SQLITE_IOERR_ACCESS, EIO),),
    Kind.CREATE: (_error("EIO", sqlite3.SQLITE_CANTOPEN, EIO), _FULL, _READ_ONLY),
    Kind.WRITE: (_error("EIO", sqlite3.SQLITE_IOERR_WRITE, EIO), _FULL, _READ_ONLY),
    Kind.TRUNCATE: (_error("EIO", sqlite3.SQLITE_IOERR_TRUNCATE, EIO), _READ_ONLY),
    Kind.SYNC: _SYNC_ERRORS,
    Kind.DELETE: (_error("EIO", sqlite3.SQLITE_IOERR_DELETE, EIO), _READ_ONLY),
    Kind.RENAME: (_error("EIO", sqlite3.SQLITE_IOERR, EIO), _READ_ONLY),
    Kind.SYNC_FOLDER: _SYNC_ERRORS[:2],
}


class FailingCard(SdCard):
    """Counts every call, including reads and locks, and fails some."""

    def __init__(self, folder: Path, *, shares_memory: bool = True) -> None:
        super().__init__(folder, random.Random(0), shares_memory=shares_memory)
        self.calls: list[Kind] = []
        self._fail_at: int | None = None
        self._error: CallError | None = None
        self._left = 0
        self.failed_after = 0
        """The operation count when the first call failed."""

    def fail_call(self, number: int, call_error: CallError, times: int) -> None:
        """Fail the call with this number, and later ones that can have the same error."""
        self._fail_at, self._error, self._left = number, call_error, times

    @property
    def has_failed(self) -> bool:
        return self._fail_at is not None and len(self.calls) > self._fail_at

    def stop_failing(self) -> None:
        self._left = 0

    def check(self, call: Call) -> Refusal | None:
        number = len(self.calls)
        self.calls.append(call.kind)
        call_error = self._error
        due = self._fail_at is not None and number >= self._fail_at and self._left > 0
        if call_error is None or not due or call_error not in ERRORS[call.kind]:
            return super().check(call)
        if number == self._fail_at and self._recording:
            self.failed_after = len(self._recording.operations)
        self._left -= 1
        if call.kind in (Kind.SYNC, Kind.SYNC_FOLDER):
            self.fail_sync(call, call_error.outcome)
        return call_error.refusal

    @property
    def skips_sleep(self) -> bool:
        """Nothing here releases a lock while another call waits for it."""
        return True
