"""Every operation of a disk, from which any power cut can be replayed."""

from collections.abc import Iterator
from typing import NamedTuple

from sim.disk.calls import Call
from sim.disk.surface import Fate, Image, Surface


class Moment(NamedTuple):
    """The disk just after one of its operations."""

    number: int
    """How many operations have been done; 0 before the first."""
    call: Call | None
    surface: Surface


class Recording:
    """What was on a disk at first, and what was done to it since."""

    def __init__(self, start: Image) -> None:
        self._start = start
        self.operations: list[Call] = []

    def moments(self) -> Iterator[Moment]:
        """The disk before the first operation and after each; one surface, that moves on."""
        surface = Surface(self._start)
        yield Moment(0, None, surface)
        for number, call in enumerate(self.operations, start=1):
            surface.take_in(call)
            yield Moment(number, call, surface)

    def image_after(self, number: int, fate: Fate) -> Image:
        """What is on the disk when the power went with an operation, the first being 1."""
        for moment in self.moments():
            if moment.number == number:
                return moment.surface.surviving(fate)
        raise IndexError(f"there are {len(self.operations)} operations, and no {number}")
