"""The models of the chips, by the names of the chips in the config file."""

from collections.abc import Callable
from typing import Protocol

from sim.chips.air import Antenna
from sim.chips.mfrc522 import Mfrc522
from sim.chips.oled import OledController
from sim.chips.sh1106 import Sh1106
from sim.chips.ssd1306 import Ssd1306
from sim.chips.ssd1309 import Ssd1309


class ReaderModel(Protocol):
    """A reader chip with its antenna, seen from its pins."""

    alive: bool
    """False for a dead chip: its MISO line is then constant."""
    dead_line: int
    """The byte that is read from a dead chip."""
    transfers: int
    """The number of transfers so far."""

    def transfer(self, sent: bytes, now: int, byte_time: int) -> bytes:
        """Do one SPI transfer, from chip select low to high."""

    def reset_line(self, high: bool, now: int) -> None:
        """Set the level of the reset line; low holds the chip in reset."""


READER_MODELS: dict[str, Callable[[Antenna], ReaderModel]] = {
    "mfrc522": Mfrc522,
}
SCREEN_MODELS: dict[str, Callable[[], OledController]] = {
    "ssd1306": Ssd1306,
    "sh1106": Sh1106,
    "ssd1309": Ssd1309,
}
