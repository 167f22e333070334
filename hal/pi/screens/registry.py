"""The screen chips that Tellerbox supports, by their names in the config file.

The drivers are named, not imported: this module is loaded at every start, also without a Pi.

Tests: tests/drivers/test_registries.py.
"""

from pkgutil import resolve_name
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hal.pi.screens.display import Display

SCREEN_DRIVERS = {
    "ssd1306": "hal.pi.screens.ssd1306:Ssd1306Screen",
    "sh1106": "hal.pi.screens.sh1106:Sh1106Screen",
    "ssd1309": "hal.pi.screens.ssd1309:Ssd1309Screen",
}


def screen_driver(chip: str) -> type["Display"]:
    """Import the driver of a chip. Raises ImportError if a package is missing."""
    driver: type[Display] = resolve_name(SCREEN_DRIVERS[chip])
    return driver
