"""The parts that need the GPIO library: both slots, the keypad and the buzzer.

Loading the library takes a third of the start, so ``PiBoard.connect`` imports this module only
after the first screen is drawn.

Tests: tests/drivers/test_board.py.
"""

from hal.events import Slot
from hal.pi.alarm import Alarm
from hal.pi.buzzer import PwmBuzzer
from hal.pi.keypad import MatrixKeypad
from hal.pi.readers.registry import reader_factory
from hal.pi.slots import Slots
from hal.wiring import Wiring


class GpioParts:
    """The slots, the keypad and the buzzer of one box."""

    def __init__(self, wiring: Wiring, factory: object, alarm: Alarm) -> None:
        """Raises ImportError if the package of a reader is missing, and BoardFault."""
        self.slots = Slots({slot: reader_factory(wiring, slot) for slot in Slot}, alarm)
        self.keypad = MatrixKeypad(wiring, factory, alarm)
        self.buzzer = PwmBuzzer(wiring, factory, alarm)

    def close(self) -> None:
        """Power the readers down and free the pins."""
        self.slots.rest(asleep=True)
        self.keypad.close()
        self.buzzer.close()
