"""A passive piezo buzzer: it sounds as long as its voltage goes up and down.

It has no oscillator of its own, so a level that does not change is silent, be it low or
high. Its pitch is the frequency of the square wave, its loudness follows the share of
the time that the wave is high: none at 0, and none again at 1. How loud it is at which
pitch is left out, for it depends on the part and its case.

Time is in nanoseconds, and comes from whoever drives the pin.
"""

from collections import deque
from typing import NamedTuple

LATELY = 256
"""Notes that can still be asked for; a box may run for a year."""


class Note(NamedTuple):
    """What was heard: from when, at which frequency in hertz, how much, for how long."""

    start: int
    frequency: float
    duty: float
    length: int


class PassiveBuzzer:
    """One buzzer between a pin and ground."""

    def __init__(self) -> None:
        self._notes: deque[Note] = deque(maxlen=LATELY)
        self._since = 0
        self._frequency = 0.0
        self._duty = 0.0

    def drive(self, now: int, frequency: float, duty: float) -> None:
        """From now on the pin has a square wave, high for a share of the time from 0 to 1."""
        assert now >= self._since, "the past is heard already"
        assert frequency >= 0
        assert 0 <= duty <= 1
        if (frequency, duty) == (self._frequency, self._duty):
            # The same wave once more: the note goes on.
            return
        self._notes += self._sounding(now)
        self._since, self._frequency, self._duty = now, frequency, duty

    @property
    def frequency(self) -> float:
        """Of the wave at the pin now, heard or not; 0 when there is none."""
        return self._frequency

    @property
    def duty(self) -> float:
        """For how much of the time the pin is high now, from 0 to 1."""
        return self._duty

    def heard(self, until: int) -> list[Note]:
        """The latest notes that began before an instant; one that still sounds is cut off there."""
        over = (
            note._replace(length=min(note.length, until - note.start))
            for note in self._notes
            if note.start < until
        )
        return [*over, *self._sounding(until)]

    def _sounding(self, until: int) -> list[Note]:
        """The note that sounds since the last change, if one does, up to an instant."""
        if self._frequency == 0 or self._duty in (0, 1) or until <= self._since:
            return []
        return [Note(self._since, self._frequency, self._duty, until - self._since)]
