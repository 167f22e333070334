"""The parts of a board as protocols: one capability each, and the board that holds them.

The firmware blocks in one place only, ``Board.wait``. Parts own no thread and
never sleep: the board polls them from there.

Tests: tests/drivers/test_board.py.
"""

from collections.abc import Sequence
from typing import Protocol

from hal.display.sounds import Sound
from hal.display.view import View
from hal.events import Event, Instant


class Clock(Protocol):
    """A clock that never goes back, whatever the calendar does."""

    def now(self) -> Instant: ...


class Screen(Protocol):
    """Shows one view until the next."""

    def show(self, view: View) -> None: ...


class Buzzer(Protocol):
    """Starts a melody, at a volume from 0 to 3, and returns at once."""

    def play(self, sound: Sound, volume: int) -> None: ...


class Board(Protocol):
    """All the parts of one box."""

    @property
    def clock(self) -> Clock: ...

    @property
    def screen(self) -> Screen: ...

    @property
    def buzzer(self) -> Buzzer: ...

    def rest(self, asleep: bool) -> None:
        """Let the parts rest, or wake them; called after every event."""
        ...

    def wait(self, until: Instant | None) -> Sequence[Event]:
        """Wait for an event, or until an instant if there is one; return what happened."""
        ...


class RunnableBoard(Board, Protocol):
    """A board for a program that runs until it is stopped.

    Its screen works at once. The other parts may be opened later, by ``connect``, so that the first
    screen need not wait for what it does not need.
    """

    def connect(self) -> None:
        """Open the other parts, after the first screen. Raises BoardFault."""
        ...

    def interrupt(self) -> None:
        """End the wait; safe in any thread and signal handler."""
        ...

    def listen(self, descriptor: int) -> None:
        """Let data on a descriptor end the wait too; the caller reads it."""
        ...

    def deafen(self, descriptor: int) -> None:
        """Stop listening to a descriptor."""
        ...

    def inventory(self) -> Sequence[str]:
        """Return a description of each part, for a person."""
        ...
