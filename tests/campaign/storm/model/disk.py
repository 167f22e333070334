"""The disk of the naive model: each change is a write, which returns its result.

What a full or broken disk accepts is unpredictable. So a comparison plays a line once for each
result that the disk may have returned, and keeps the models that match the box.
"""

from collections.abc import Iterable
from enum import Enum


class WriteResult(Enum):
    """The result of a write."""

    COMMITTED = "on disk"
    REFUSED = "not on disk"
    UNKNOWN = "perhaps on disk; the bank is in doubt"


class PowerLost(Exception):
    """The power was cut before the write was on disk."""


class Disk:
    """A healthy disk: it commits every write."""

    def write(self) -> WriteResult:
        return WriteResult.COMMITTED

    def settles(self) -> bool:
        """Whether the bank can now find out the result of an uncertain write."""
        return True


class ScriptedDisk(Disk):
    """A disk with given results, then always the same one. It counts the writes."""

    def __init__(
        self,
        results: Iterable[WriteResult],
        *,
        settles: bool,
        then: WriteResult = WriteResult.COMMITTED,
    ) -> None:
        self._results = list(results)
        self._settles = settles
        self._then = then
        self.writes = 0
        self.settle_asked = False

    def write(self) -> WriteResult:
        self.writes += 1
        known = self.writes <= len(self._results)
        return self._results[self.writes - 1] if known else self._then

    def settles(self) -> bool:
        self.settle_asked = True
        return self._settles


class CutDisk(Disk):
    """A disk that commits some writes, and loses power at the next."""

    def __init__(self, changes: int) -> None:
        self._left = changes

    def write(self) -> WriteResult:
        if self._left == 0:
            raise PowerLost
        self._left -= 1
        return WriteResult.COMMITTED
