"""The real board: all parts of the box on a Raspberry Pi.

The parts are polled from ``wait`` and nowhere else. Each says when it next wants to be
visited; an edge of the keypad ends the wait early.
"""

from collections.abc import Sequence

from PIL import Image

from hal.events import Event, Instant, Key, Slot
from hal.parts import Buzzer, Screen
from hal.pi.alarm import Alarm
from hal.pi.buzzer import PwmBuzzer
from hal.pi.keypad import MatrixKeypad
from hal.pi.reader import Reader
from hal.pi.screen import OledScreen
from hal.pi.slots import Slots
from hal.pi.supply import Gauge, Supply
from hal.wiring import Wiring


class PiBoard:
    """Slots, keypad, screen, buzzer and supply, on real drivers."""

    def __init__(
        self, wiring: Wiring, factory: object, alarm: Alarm, gauge: Gauge | None = None
    ) -> None:
        self.clock = alarm
        self._wiring = wiring
        self._slots = Slots(
            {
                Slot.LEFT: lambda: Reader(wiring.spi_bus, 0, wiring.left_reset),
                Slot.RIGHT: lambda: Reader(wiring.spi_bus, 1, wiring.right_reset),
            },
            alarm,
        )
        self._keypad = MatrixKeypad(wiring, factory, alarm)
        self._happened: list[Event] = []
        self._interrupted = False
        self._screen = OledScreen(wiring, alarm)
        self._buzzer = PwmBuzzer(wiring, factory, alarm)
        self._supply = Supply(gauge, alarm)

    @property
    def screen(self) -> Screen:
        return self._screen

    @property
    def buzzer(self) -> Buzzer:
        return self._buzzer

    def show_picture(self, picture: Image.Image | None) -> None:
        """Something else than a view, for the self-test; None: dark."""
        self._screen.show_picture(picture)

    @property
    def hears_edges(self) -> bool:
        """Whether the keypad may rest until a key is pressed."""
        return not self._keypad.blind

    @property
    def stuck_keys(self) -> frozenset[Key]:
        """Those that are down and nobody presses."""
        return self._keypad.stuck

    def rest(self, asleep: bool) -> None:
        self._happened += self._slots.rest(asleep)
        self._buzzer.rest(asleep)

    def wait(self, until: Instant | None) -> Sequence[Event]:
        while True:
            events = [
                *self._happened,
                *self._slots.poll(),
                *self._keypad.poll(),
                *self._supply.poll(),
            ]
            self._happened = []
            self._buzzer.poll()
            self._screen.poll()
            over = self._interrupted or (until is not None and self.clock.now() >= until)
            if events or over:
                self._interrupted = False
                return events
            parts = (self._slots.due, self._keypad.due, self._buzzer.due, self._screen.due)
            if self.clock.wait(min(due for due in (until, *parts) if due is not None)):
                self._interrupted = True

    def interrupt(self) -> None:
        self._interrupted = True
        self.clock.interrupt()

    def listen(self, descriptor: int) -> None:
        self.clock.listen(descriptor)

    def deafen(self, descriptor: int) -> None:
        self.clock.deafen(descriptor)

    def inventory(self) -> Sequence[str]:
        readers = [
            f"{slot.value} reader {'answers' if there else 'does not answer'}"
            for slot, there in self._slots.ready().items()
        ]
        screen = f"screen {self._wiring.screen_chip} at {self._wiring.screen_address:#04x}"
        return (
            *readers,
            f"{screen} {'answers' if self._screen.answers else 'does not answer'}",
            f"keypad {'by its edges' if self.hears_edges else 'scanned, for want of edges'}",
            f"buzzer on GPIO {self._wiring.buzzer}, which cannot be asked",
        )

    def close(self) -> None:
        """Let the readers rest, and go of the pins."""
        self._slots.rest(asleep=True)
        self._keypad.close()
        self._buzzer.close()
