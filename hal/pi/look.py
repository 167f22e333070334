"""What one look into a card slot can find."""

from enum import Enum, auto
from typing import NamedTuple


class Card(NamedTuple):
    """One card, read and selected."""

    uid: bytes


class Seen(Enum):
    """What was found when it was not one card."""

    NOTHING = auto()
    SOMETHING = auto()
    """A card is there, but could not be read this time."""
    SEVERAL = auto()
    NO_READER = auto()
    """The chip itself does not answer."""
