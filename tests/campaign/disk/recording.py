"""A recording of every disk operation, from which any power cut can be replayed."""

from collections.abc import Iterator
from typing import NamedTuple

from tests.campaign.disk.calls import Call
from tests.campaign.disk.surface import Fate, Image, Surface


class Snapshot(NamedTuple):
    """The disk right after an operation."""

    number: int
    """The number of operations so far; 0 before the first."""
    call: Call | None
    surface: Surface


class Recording:
    """The initial contents of a disk, and all operations since."""

    def __init__(self, start: Image) -> None:
        self._start = start
        self.operations: list[Call] = []

    def snapshots(self) -> Iterator[Snapshot]:
        """The disk before the first operation and after each. All snapshots share one surface."""
        surface = Surface(self._start)
        yield Snapshot(0, None, surface)
        for number, call in enumerate(self.operations, start=1):
            surface.apply(call)
            yield Snapshot(number, call, surface)

    def image_after(self, number: int, fate: Fate) -> Image:
        """What is on disk if the power is cut at this operation, counted from 1."""
        for snapshot in self.snapshots():
            if snapshot.number == number:
                return snapshot.surface.surviving(fate)
        raise IndexError(f"no operation {number}; there are {len(self.operations)}")
