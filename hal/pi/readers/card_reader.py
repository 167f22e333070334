"""The protocol of the reader drivers, and the result of a scan.

Tests: tests/drivers/test_registries.py.
"""

from collections.abc import Mapping
from enum import Enum, auto
from typing import ClassVar, NamedTuple, Protocol


class Card(NamedTuple):
    """One card, read and selected."""

    uid: bytes


class ScanResult(Enum):
    """A result other than one card."""

    NOTHING = auto()
    SOMETHING = auto()
    """A card answered, but could not be read."""
    SEVERAL = auto()
    NO_READER = auto()
    """The reader chip does not answer."""


class CardReader(Protocol):
    """One reader chip, with its own chip select and reset line.

    A method may raise any of HARDWARE_ERRORS; the caller then resets the reader. Only
    ``revive``, ``power_up`` and ``await_cards`` may take longer than a few milliseconds.
    """

    VERSIONS: ClassVar[Mapping[int, str]]
    """The names of chip and clones by version, for the self-test."""

    def __init__(self, spi_bus: int, chip_select: int, reset_pin: int) -> None: ...

    def revive(self) -> bool:
        """Reset the chip and set it up, with the field off; True if it answers."""

    def hold_in_reset(self) -> None:
        """Keep the chip silent by its reset line until it is revived."""

    def version(self) -> int:
        """Read the version of the chip; 0x00 or 0xFF if it does not answer."""

    def is_alive(self) -> bool:
        """Whether the chip answers."""

    def field_on(self) -> None:
        """Power the cards; they can be scanned 5 ms later."""

    def field_off(self) -> None:
        """Switch the field off, so that the next scan starts with cards that were reset."""

    def await_cards(self) -> None:
        """Block for the 5 ms that cards need, without waking the process in between."""

    def scan(self, known: bytes | None) -> Card | ScanResult:
        """Scan for cards, 5 ms after ``field_on``; ``known`` is the card of the last scan.

        A known card need only be confirmed, but a second card beside it must be found.
        """

    def power_down(self) -> None: ...

    def power_up(self) -> None:
        """End the power-down; the settings are kept."""

    def close(self) -> None:
        """Close the bus."""
