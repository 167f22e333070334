"""The board of a real box: all parts on a Raspberry Pi.

The screen works at once. The other parts need the GPIO library, whose import takes a third of the
start; they are opened by ``connect``, after the first screen.

The parts are polled only in ``wait``. Each has a time when it is ``due``; an edge of the keypad
ends the wait earlier.

Tests: tests/drivers/test_board.py.
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from hal.display.sounds import Sound
from hal.events import Event, Instant
from hal.faults import missing_package
from hal.parts import Buzzer, Screen
from hal.pi.alarm import Alarm
from hal.pi.screens.registry import screen_driver
from hal.pi.supply import Gauge, Supply
from hal.wiring import Wiring

if TYPE_CHECKING:
    from hal.pi.gpio_parts import GpioParts
    from hal.pi.keypad import MatrixKeypad


class PiBoard:
    """Slots, keypad, screen, buzzer and supply, on real drivers.

    It is also the buzzer, because the driver of that is opened later.
    """

    def __init__(
        self,
        wiring: Wiring,
        open_pins: Callable[[], object],
        alarm: Alarm,
        gauge: Gauge | None = None,
    ) -> None:
        """``open_pins`` loads the GPIO library, and returns gpiozero's pin factory.

        Raises ImportError if the package of the screen is missing.
        """
        self.clock = alarm
        self._wiring = wiring
        self._open_pins = open_pins
        self._gpio: GpioParts | None = None
        """None until they are connected."""
        self._pending: list[Event] = []
        self._interrupted = False
        self._screen = screen_driver(wiring.screen_chip)(wiring, alarm)
        self._supply = Supply(gauge, alarm)
        self.screen: Screen = self._screen
        self.show_picture = self._screen.show_picture
        self.listen = alarm.listen
        self.deafen = alarm.deafen

    def connect(self) -> None:
        self._connected()

    def _connected(self) -> "GpioParts":
        """Return the parts on the GPIO library; the first call opens them."""
        if self._gpio is None:
            try:
                from hal.pi.gpio_parts import GpioParts

                self._gpio = GpioParts(self._wiring, self._open_pins(), self.clock)
            except ImportError as error:
                raise missing_package(error) from None
        return self._gpio

    @property
    def keypad(self) -> "MatrixKeypad":
        return self._connected().keypad

    @property
    def buzzer(self) -> Buzzer:
        return self

    def play(self, sound: Sound, volume: int) -> None:
        self._connected().buzzer.play(sound, volume)

    def rest(self, asleep: bool) -> None:
        if self._gpio:  # before, no part is asleep
            self._pending += self._gpio.slots.rest(asleep)
            self._gpio.buzzer.rest(asleep)

    def wait(self, until: Instant | None) -> Sequence[Event]:
        gpio = self._connected()
        while True:
            events = [
                *self._pending,
                *gpio.slots.poll(),
                *gpio.keypad.poll(),
                *self._supply.poll(),
            ]
            self._pending = []
            gpio.buzzer.poll()
            self._screen.poll()
            over = self._interrupted or (until is not None and self.clock.now() >= until)
            if events or over:
                self._interrupted = False
                return events
            parts = (gpio.slots.due, gpio.keypad.due, gpio.buzzer.due, self._screen.due)
            if self.clock.wait(min(due for due in (until, *parts) if due is not None)):
                self._interrupted = True

    def interrupt(self) -> None:
        self._interrupted = True
        self.clock.interrupt()

    def inventory(self) -> Sequence[str]:
        gpio = self._connected()
        readers = [
            f"{slot.value} reader {'answers' if there else 'does not answer'}"
            for slot, there in gpio.slots.ready().items()
        ]
        screen = f"screen {self._wiring.screen_chip} at {self._wiring.screen_address:#04x}"
        return (
            *readers,
            f"{screen} {'answers' if self._screen.answers else 'does not answer'}",
            f"keypad {'by its edges' if gpio.keypad.has_edges else 'scanned, without edges'}",
            f"buzzer on GPIO {self._wiring.buzzer}, which cannot be asked",
        )

    def close(self) -> None:
        if self._gpio:
            self._gpio.close()
