"""The real board: all parts of the box on a Raspberry Pi.

The parts are polled from ``wait`` and nowhere else. Each says when it next wants to be
visited; an edge of the keypad ends the wait early.
"""

from collections.abc import Sequence

from hal.events import Event, Instant, Slot
from hal.pi.alarm import Alarm
from hal.pi.buzzer import PwmBuzzer
from hal.pi.keypad import MatrixKeypad
from hal.pi.reader import Reader
from hal.pi.screen import OledScreen
from hal.pi.slots import Slots
from hal.sounds import Sound
from hal.view import View
from hal.wiring import Wiring


class PiBoard:
    """Slots, keypad, screen and buzzer, on real drivers."""

    def __init__(self, wiring: Wiring, factory: object, alarm: Alarm) -> None:
        self.clock = alarm
        self._slots = Slots(
            {
                Slot.LEFT: lambda: Reader(0, wiring.left_reset),
                Slot.RIGHT: lambda: Reader(1, wiring.right_reset),
            },
            alarm,
        )
        self._keypad = MatrixKeypad(wiring, factory, alarm)
        self._happened: list[Event] = []
        self._oled = OledScreen(wiring)
        self._pwm = PwmBuzzer(wiring, factory)

    @property
    def screen(self) -> "PiBoard":
        return self

    @property
    def buzzer(self) -> "PiBoard":
        return self

    def show(self, view: View) -> None:
        self._oled.show(view, self.clock.now())

    def play(self, sound: Sound, volume: int) -> None:
        self._pwm.play(sound, volume, self.clock.now())

    def rest(self, asleep: bool) -> None:
        self._happened += self._slots.rest(asleep, self.clock.now())

    def wait(self, until: Instant | None) -> Sequence[Event]:
        while True:
            now = self.clock.now()
            events = [*self._happened, *self._slots.poll(now), *self._keypad.poll(now)]
            self._happened = []
            self._pwm.poll(now)
            self._oled.poll(now)
            if events or (until is not None and now >= until):
                return events
            parts = (self._slots.due, self._keypad.due, self._pwm.due, self._oled.due)
            self.clock.wait(min(due for due in (until, *parts) if due is not None))

    def close(self) -> None:
        """Let go of the pins."""
        self._keypad.close()
        self._pwm.close()
