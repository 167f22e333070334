"""The parts of a board as protocols: one capability each, and the board that holds them.

The firmware blocks in one place only, ``Board.wait``. Parts own no thread and
never sleep: the board polls them from there.
"""

from collections.abc import Sequence
from typing import Protocol

from hal.events import Event, Instant
from hal.sounds import Sound
from hal.view import View


class Clock(Protocol):
    """Tells how much time has passed; it never goes back, and knows no calendar."""

    def now(self) -> Instant: ...


class CardSlots(Protocol):
    """Tells what happened to the cards in one slot, or in both, since it was last asked."""

    def poll(self) -> Sequence[Event]: ...


class Keypad(Protocol):
    """Tells which keys went down or up since it was last asked."""

    def poll(self) -> Sequence[Event]: ...


class Screen(Protocol):
    """Shows one view until it is given the next."""

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
        """Let the parts rest, or wake them; said often, and mostly nothing new."""
        ...

    def wait(self, until: Instant | None) -> Sequence[Event]:
        """Wait for an event, or until an instant (None: for ever); tell what happened."""
        ...


class StandingBoard(Board, Protocol):
    """A board that a program stands on until it is told to stop."""

    def interrupt(self) -> None:
        """End the wait, with or without an event; safe from any thread and any signal."""
        ...

    def listen(self, descriptor: int) -> None:
        """Let something to read end the wait too; whoever listens reads it then."""
        ...

    def deafen(self, descriptor: int) -> None:
        """Listen to a descriptor no more."""
        ...

    def inventory(self) -> Sequence[str]:
        """Its parts, each with what is known of it, for a person to read."""
        ...
