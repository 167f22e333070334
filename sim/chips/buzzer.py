"""A passive piezo buzzer, driven by a square wave.

It has no oscillator, so a constant level is silent. Its pitch is the frequency of the wave,
its loudness depends on the duty cycle: silent at 0 and at 1. The frequency response is not
modelled; it depends on the part and its case.

Time is in nanoseconds, and comes from the caller.
"""

from collections import deque
from typing import NamedTuple

HISTORY = 256
"""Notes that are kept; a box may run for a year."""


class Note(NamedTuple):
    """A note that was played; the frequency is in hertz."""

    start: int
    frequency: float
    duty: float
    length: int


class PassiveBuzzer:
    """One buzzer between a pin and ground."""

    def __init__(self) -> None:
        self._notes: deque[Note] = deque(maxlen=HISTORY)
        self._since = 0
        self.frequency = 0.0
        """The frequency at the pin now; 0 without a wave."""
        self.duty = 0.0
        """The duty cycle at the pin now, from 0 to 1."""

    def drive(self, now: int, frequency: float, duty: float) -> None:
        """Set the wave at the pin; the duty cycle is from 0 to 1."""
        assert now >= self._since, "time goes back"
        assert frequency >= 0
        assert 0 <= duty <= 1
        if (frequency, duty) != (self.frequency, self.duty):
            self._notes += self._sounding(now)
            self._since, self.frequency, self.duty = now, frequency, duty

    def heard(self, until: int) -> list[Note]:
        """Return the latest notes up to an instant; a note that still sounds ends there."""
        ended = (
            note._replace(length=min(note.length, until - note.start))
            for note in self._notes
            if note.start < until
        )
        return [*ended, *self._sounding(until)]

    def _sounding(self, until: int) -> list[Note]:
        """Return the note since the last change up to an instant; none if it is silent."""
        if self.frequency == 0 or self.duty in (0, 1) or until <= self._since:
            return []
        return [Note(self._since, self.frequency, self.duty, until - self._since)]
