"""One step: a key, a card, a fault or time, with the screens before and after it."""

from enum import Enum, auto
from typing import NamedTuple

from firmware.bank.records import GameResumed, GameStarted, Posting, Record
from hal.display.sounds import Sound
from hal.display.view import View
from hal.events import Key, Slot


class What(Enum):
    """What has happened."""

    KEY = auto()
    RELEASE = auto()
    """A key that was down for longer than a step is let go."""
    TIME = auto()
    CARD_IN = auto()
    CARD_OUT = auto()
    READER_LOST = auto()
    READER_BACK = auto()
    POWER = auto()
    DISK = auto()
    """The disk begins or ceases to fail."""
    OTHER_PROGRAM = auto()


class Step(NamedTuple):
    """An input and its result."""

    what: What
    before: View
    after: View
    sounds: tuple[Sound, ...]
    records: tuple[Record, ...]
    """What the box has written."""
    elapsed: int = 0
    """Microseconds."""
    key: Key | None = None
    held: int | None = 0
    """For how long the key was down; None: it still is."""
    slot: Slot | None = None

    @property
    def postings(self) -> tuple[Posting, ...]:
        return tuple(record for record in self.records if isinstance(record, Posting))

    @property
    def starts_game(self) -> bool:
        """Whether another game is played from now on."""
        return any(isinstance(record, GameStarted | GameResumed) for record in self.records)
