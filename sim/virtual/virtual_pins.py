"""gpiozero's pins on the virtual board.

Imported only after the stand-ins are plugged in, because this module loads gpiozero.
"""

import RPi.GPIO as GPIO
from gpiozero.pins.local import LocalPiFactory

from hal.pi.gpio import factory_class
from sim.virtual.hardware import NANO, REVISION, Hardware


class VirtualFactory(factory_class()):  # type: ignore[misc]  # gpiozero has no types
    """gpiozero's own factory; only the board's revision and the time are not from a kernel."""

    def __init__(self, hardware: Hardware) -> None:
        self._time = hardware.time
        super().__init__()

    def _get_revision(self) -> int:
        return int(REVISION, base=16)

    def ticks(self) -> float:
        """Return seconds, for edges that the library gives no timestamp."""
        return self._time.now / NANO

    def cut_power(self) -> None:
        """Clear the packages' state of the pins."""
        self.close()
        LocalPiFactory.pins.clear()
        GPIO.setwarnings(False)
        GPIO.cleanup()
