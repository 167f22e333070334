"""The events that the parts report to the bank: keys, cards, readers and the supply.

An event carries the instant at which it happened, so how long a key was held does not depend on how
long the loop was busy with the disk.
"""

from enum import Enum
from typing import NamedTuple, NewType, TypeAlias

Instant = NewType("Instant", int)
"""Microseconds since an arbitrary start; only differences mean anything."""

MILLISECOND = 1_000
SECOND = 1_000_000
MINUTE = 60 * SECOND


class Slot(Enum):
    """A card slot: the left one receives, the right one pays."""

    LEFT = "left"
    RIGHT = "right"

    @property
    def other(self) -> "Slot":
        return Slot.RIGHT if self is Slot.LEFT else Slot.LEFT


class Key(Enum):
    """A key of the 4×4 pad, by the letter that scripts use for it."""

    ONE = "1"
    TWO = "2"
    THREE = "3"
    MILLIONS = "M"
    FOUR = "4"
    FIVE = "5"
    SIX = "6"
    THOUSANDS = "K"
    SEVEN = "7"
    EIGHT = "8"
    NINE = "9"
    CANCEL = "C"
    COMMA = ","
    ZERO = "0"
    GO = "G"
    FUNCTION = "F"

    @property
    def is_digit(self) -> bool:
        return self.value.isdigit()


class KeyDown(NamedTuple):
    """A key was pressed."""

    at: Instant
    key: Key


class KeyUp(NamedTuple):
    """A key was released."""

    at: Instant
    key: Key


def is_random_uid(uid: bytes) -> bool:
    """Whether a UID is random, as phones send a new one in every field (ISO 14443-3)."""
    return len(uid) == 4 and uid[0] == 0x08


class CardIn(NamedTuple):
    """One readable card is in a slot that was empty."""

    at: Instant
    slot: Slot
    uid: bytes


class CardsClash(NamedTuple):
    """A slot now holds more than one card."""

    at: Instant
    slot: Slot


class CardOut(NamedTuple):
    """A slot is empty again."""

    at: Instant
    slot: Slot


class ReaderLost(NamedTuple):
    """A slot's reader does not answer; what is in the slot is unknown."""

    at: Instant
    slot: Slot


class ReaderBack(NamedTuple):
    """A slot's reader answers again; a card that is in follows as a ``CardIn``."""

    at: Instant
    slot: Slot


class PowerLow(NamedTuple):
    """The supply's voltage is too low."""

    at: Instant


class PowerGood(NamedTuple):
    """The supply has been good for a while."""

    at: Instant


SlotEvent: TypeAlias = CardIn | CardsClash | CardOut | ReaderLost | ReaderBack
Event: TypeAlias = KeyDown | KeyUp | SlotEvent | PowerLow | PowerGood
