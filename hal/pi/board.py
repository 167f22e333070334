"""The board of a real box: all parts on a Raspberry Pi.

The parts are polled only in ``wait``. Each has a time when it is ``due``; an edge of the keypad
ends the wait earlier.

Tests: tests/drivers/test_board.py.
"""

from collections.abc import Sequence

from hal.events import Event, Instant, Slot
from hal.parts import Buzzer, Screen
from hal.pi.alarm import Alarm
from hal.pi.buzzer import PwmBuzzer
from hal.pi.keypad import MatrixKeypad
from hal.pi.readers.registry import reader_factory
from hal.pi.screens.registry import screen_driver
from hal.pi.slots import Slots
from hal.pi.supply import Gauge, Supply
from hal.wiring import Wiring


class PiBoard:
    """Slots, keypad, screen, buzzer and supply, on real drivers."""

    def __init__(
        self, wiring: Wiring, factory: object, alarm: Alarm, gauge: Gauge | None = None
    ) -> None:
        """Raises ImportError if the package of a chip's driver is missing."""
        readers = {slot: reader_factory(wiring, slot) for slot in Slot}
        screen = screen_driver(wiring.screen_chip)
        self.clock = alarm
        self._wiring = wiring
        self._slots = Slots(readers, alarm)
        self.keypad = MatrixKeypad(wiring, factory, alarm)
        self._pending: list[Event] = []
        self._interrupted = False
        self._screen = screen(wiring, alarm)
        self._buzzer = PwmBuzzer(wiring, factory, alarm)
        self._supply = Supply(gauge, alarm)
        self.screen: Screen = self._screen
        self.buzzer: Buzzer = self._buzzer
        self.show_picture = self._screen.show_picture
        self.listen = alarm.listen
        self.deafen = alarm.deafen

    def rest(self, asleep: bool) -> None:
        self._pending += self._slots.rest(asleep)
        self._buzzer.rest(asleep)

    def wait(self, until: Instant | None) -> Sequence[Event]:
        while True:
            events = [
                *self._pending,
                *self._slots.poll(),
                *self.keypad.poll(),
                *self._supply.poll(),
            ]
            self._pending = []
            self._buzzer.poll()
            self._screen.poll()
            over = self._interrupted or (until is not None and self.clock.now() >= until)
            if events or over:
                self._interrupted = False
                return events
            parts = (self._slots.due, self.keypad.due, self._buzzer.due, self._screen.due)
            if self.clock.wait(min(due for due in (until, *parts) if due is not None)):
                self._interrupted = True

    def interrupt(self) -> None:
        self._interrupted = True
        self.clock.interrupt()

    def inventory(self) -> Sequence[str]:
        readers = [
            f"{slot.value} reader {'answers' if there else 'does not answer'}"
            for slot, there in self._slots.ready().items()
        ]
        screen = f"screen {self._wiring.screen_chip} at {self._wiring.screen_address:#04x}"
        return (
            *readers,
            f"{screen} {'answers' if self._screen.answers else 'does not answer'}",
            f"keypad {'by its edges' if self.keypad.has_edges else 'scanned, without edges'}",
            f"buzzer on GPIO {self._wiring.buzzer}, which cannot be asked",
        )

    def close(self) -> None:
        """Power the readers down and free the pins."""
        self._slots.rest(asleep=True)
        self.keypad.close()
        self._buzzer.close()
