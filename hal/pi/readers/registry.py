"""The reader chips that Tellerbox supports, by their names in the config file.

The drivers are named, not imported: this module is loaded at every start, also without a Pi.

Tests: tests/drivers/test_registries.py.
"""

from collections.abc import Callable
from functools import partial
from pkgutil import resolve_name
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hal.events import Slot
    from hal.pi.readers.card_reader import CardReader
    from hal.wiring import Wiring

READER_DRIVERS = {
    "mfrc522": "hal.pi.readers.mfrc522:Mfrc522Reader",
}


def reader_driver(chip: str) -> type["CardReader"]:
    """Import the driver of a chip. Raises ImportError if a package is missing."""
    driver: type[CardReader] = resolve_name(READER_DRIVERS[chip])
    return driver


def reader_factory(wiring: "Wiring", slot: "Slot") -> Callable[[], "CardReader"]:
    """Import the driver of a slot's reader; the function returned opens the reader."""
    chip, *lines = wiring.reader(slot)
    return partial(reader_driver(chip), *lines)
