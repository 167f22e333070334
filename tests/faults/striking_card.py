"""A card that refuses one call, or all of a kind for a while, and is in order again after it."""

import errno
import random
import sqlite3
from pathlib import Path
from typing import NamedTuple

from sim.disk.calls import Call, Kind, Refusal
from sim.disk.card import SdCard
from sim.disk.faults import HalfDone

EIO, ENOSPC, EROFS = errno.EIO, errno.ENOSPC, errno.EROFS


class Way(NamedTuple):
    """How a call fails."""

    words: str
    refusal: Refusal
    outcome: HalfDone = HalfDone.NOTHING

    @property
    def error(self) -> str:
        """Its name alone."""
        return self.words.partition(",")[0]


def _way(words: str, code: int, number: int, outcome: HalfDone = HalfDone.NOTHING) -> Way:
    return Way(words, Refusal(code, number), outcome)


_FULL = _way("ENOSPC", sqlite3.SQLITE_FULL, ENOSPC)
_READ_ONLY = _way("EROFS", sqlite3.SQLITE_READONLY, EROFS)
_SYNCS = tuple(
    _way(f"EIO, {outcome.name}", sqlite3.SQLITE_IOERR_FSYNC, EIO, outcome) for outcome in HalfDone
)
WAYS: dict[Kind, tuple[Way, ...]] = {
    Kind.OPEN: (_way("EIO", sqlite3.SQLITE_CANTOPEN, EIO),),
    Kind.READ: (_way("EIO", sqlite3.SQLITE_IOERR_READ, EIO),),
    Kind.SIZE: (_way("EIO", sqlite3.SQLITE_IOERR_FSTAT, EIO),),
    Kind.LOCK: (
        _way("busy", sqlite3.SQLITE_BUSY, errno.EAGAIN),
        _way("EIO", sqlite3.SQLITE_IOERR_LOCK, EIO),
    ),
    Kind.SHARE: (_way("EIO", sqlite3.SQLITE_IOERR_SHMMAP, EIO),),
    Kind.LOOK: (_way("EIO", sqlite3.SQLITE_IOERR_ACCESS, EIO),),
    Kind.CREATE: (_way("EIO", sqlite3.SQLITE_CANTOPEN, EIO), _FULL, _READ_ONLY),
    Kind.WRITE: (_way("EIO", sqlite3.SQLITE_IOERR_WRITE, EIO), _FULL, _READ_ONLY),
    Kind.TRUNCATE: (_way("EIO", sqlite3.SQLITE_IOERR_TRUNCATE, EIO), _READ_ONLY),
    Kind.SYNC: _SYNCS,
    Kind.DELETE: (_way("EIO", sqlite3.SQLITE_IOERR_DELETE, EIO), _READ_ONLY),
    Kind.RENAME: (_way("EIO", sqlite3.SQLITE_IOERR, EIO), _READ_ONLY),
    Kind.SYNC_FOLDER: _SYNCS[:2],
}


class StrikingCard(SdCard):
    """It counts every call, reads and locks included."""

    def __init__(self, folder: Path, *, shares_memory: bool = True) -> None:
        super().__init__(folder, random.Random(0), shares_memory=shares_memory)
        self.calls: list[Kind] = []
        self._strike_at: int | None = None
        self._way: Way | None = None
        self._left = 0
        self.struck_after = 0
        """How many operations had been done when the first call failed."""

    def strike(self, number: int, way: Way, times: int) -> None:
        """The call with this number fails, and those after it that can fail in that way."""
        self._strike_at, self._way, self._left = number, way, times

    @property
    def has_struck(self) -> bool:
        return self._strike_at is not None and len(self.calls) > self._strike_at

    def relent(self) -> None:
        self._left = 0

    def asked(self, call: Call) -> Refusal | None:
        number = len(self.calls)
        self.calls.append(call.kind)
        way = self._way
        due = self._strike_at is not None and number >= self._strike_at and self._left > 0
        if way is None or not due or way not in WAYS[call.kind]:
            return super().asked(call)
        if number == self._strike_at and self._recording:
            self.struck_after = len(self._recording.operations)
        self._left -= 1
        if call.kind in (Kind.SYNC, Kind.SYNC_FOLDER):
            self.half_sync(call, way.outcome)
        return way.refusal

    @property
    def hurried(self) -> bool:
        """Nobody here lets go of a lock because somebody waits for it."""
        return True
