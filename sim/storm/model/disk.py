"""The disk, as the model knows it: it is asked before each change, and says what came of it.

Nobody can foresee what a disk that is full or broken takes. So whoever compares a box with the
model plays a line once for each answer that the disk may have given, and keeps what the box
agrees with.
"""

from collections.abc import Iterable
from enum import Enum


class Answer(Enum):
    """What came of a change."""

    TAKEN = "it is on disk"
    REFUSED = "it is not"
    WHO_KNOWS = "it may be or not, and the bank is in doubt"


class PowerWent(Exception):
    """The power went before this change was on disk."""


class Disk:
    """A disk in order: it takes every change."""

    def answer(self) -> Answer:
        return Answer.TAKEN

    def settles(self) -> bool:
        """Whether the bank can find out by now what came of a change that was in doubt."""
        return True


class FickleDisk(Disk):
    """A disk that gives some answers, and then always the same; it counts the questions."""

    def __init__(
        self, answers: Iterable[Answer], *, settles: bool, then: Answer = Answer.TAKEN
    ) -> None:
        self._answers = list(answers)
        self._settles = settles
        self._then = then
        self.asked = 0
        self.was_to_settle = False

    def answer(self) -> Answer:
        self.asked += 1
        known = self.asked <= len(self._answers)
        return self._answers[self.asked - 1] if known else self._then

    def settles(self) -> bool:
        self.was_to_settle = True
        return self._settles


class DyingDisk(Disk):
    """A disk that takes so many changes, and loses its power with the next."""

    def __init__(self, changes: int) -> None:
        self._left = changes

    def answer(self) -> Answer:
        if self._left == 0:
            raise PowerWent
        self._left -= 1
        return Answer.TAKEN
