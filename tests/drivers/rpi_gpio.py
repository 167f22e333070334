"""A stand-in for the original RPi.GPIO, which older systems use.

It has the calls that ``gpiozero`` and ``mfrc522`` make, and RPi.GPIO's restrictions: a pin
must be set up before it is used, and on current kernels edge detection fails.
"""

import sys
from collections.abc import Callable
from enum import Enum
from functools import partial

from sim.virtual.plug import board, module

BOARD, BCM = 10, 11
OUT, IN = 0, 1
LOW, HIGH = 0, 1
PUD_OFF, PUD_DOWN, PUD_UP = 20, 21, 22
RISING, FALLING, BOTH = 31, 32, 33
SERIAL, SPI, I2C, HARD_PWM, UNKNOWN = 40, 41, 42, 43, -1
_PULLS = {PUD_OFF: "none", PUD_DOWN: "down", PUD_UP: "up"}
NOT_GIVEN = -1


class Pins:
    """The state of the library."""

    def __init__(self, *, edges: bool) -> None:
        self._edges = edges
        self._mode: int | None = None
        self._functions: dict[int, int] = {}
        self._levels: dict[int, int] = {}
        self._watched: set[int] = set()

    def setmode(self, mode: int) -> None:
        if self._mode not in (None, mode):
            raise ValueError("A different mode has already been set!")
        self._mode = mode

    def getmode(self) -> int | None:
        return self._mode

    def setwarnings(self, wanted: bool) -> None:
        """Do nothing: the stand-in has no warnings."""

    def setup(
        self, channel: int, direction: int, pull_up_down: int = PUD_OFF, initial: int = NOT_GIVEN
    ) -> None:
        if self._mode != BCM:
            raise RuntimeError("Please set pin numbering mode to GPIO.BCM")
        self._functions[channel] = direction
        if direction == IN:
            board().claim_input(channel, _PULLS[pull_up_down])
            return
        if pull_up_down != PUD_OFF:
            raise ValueError("pull_up_down parameter is not valid for outputs")
        if initial != NOT_GIVEN:
            self._levels[channel] = int(bool(initial))
        board().claim_output(channel, self._levels.get(channel, LOW))

    def gpio_function(self, channel: int) -> int:
        return self._functions.get(channel, IN)

    def input(self, channel: int) -> int:
        if channel not in self._functions:
            raise RuntimeError("You must setup() the GPIO channel first")
        return board().read(channel)

    def output(self, channel: int, level: int) -> None:
        if self._functions.get(channel) != OUT:
            raise RuntimeError("The GPIO channel has not been set up as an OUTPUT")
        self._levels[channel] = int(bool(level))
        board().write(channel, self._levels[channel])

    def add_event_detect(
        self, channel: int, edge: int, callback: Callable[[int], None], bouncetime: int = -666
    ) -> None:
        assert bouncetime == -666, "the keypad debounces in software"
        if self._functions.get(channel) != IN:
            raise RuntimeError("You must setup() the GPIO channel as an input first")
        if not self._edges:
            raise RuntimeError("Failed to add edge detection")
        if channel in self._watched:
            raise RuntimeError("Conflicting edge detection already enabled for this GPIO channel")
        assert edge == BOTH, "only both edges are modelled"
        self._watched.add(channel)
        board().watch(channel, lambda _level, _at: callback(channel))

    def remove_event_detect(self, channel: int) -> None:
        if channel in self._watched:
            self._watched.remove(channel)
            board().watch(channel, None)

    def cleanup(self, channel: int | None = None) -> None:
        """Make pins inputs again; without a channel, all pins, and reset the numbering mode."""
        for pin in list(self._functions) if channel is None else [channel]:
            self.remove_event_detect(pin)
            if self._functions.pop(pin, None) is not None:
                board().claim_input(pin, "none")
        if channel is None:
            self._mode = None


class Pwm:
    """RPi.GPIO's PWM: a square wave, in hertz and percent."""

    def __init__(self, pins: Pins, channel: int, frequency: float) -> None:
        if pins.gpio_function(channel) != OUT:
            raise RuntimeError("You must setup() the GPIO channel as an output first")
        self._channel = channel
        self._frequency = frequency
        self._duty: float | None = None

    def start(self, duty: float) -> None:
        self.ChangeDutyCycle(duty)

    def stop(self) -> None:
        self._duty = None
        board().pwm(self._channel, 0, 0)

    def ChangeDutyCycle(self, duty: float) -> None:  # noqa: N802  # the original's name
        if not 0 <= duty <= 100:
            raise ValueError("dutycycle must have a value from 0.0 to 100.0")
        self._duty = duty
        board().pwm(self._channel, self._frequency, duty / 100)

    def ChangeFrequency(self, frequency: float) -> None:  # noqa: N802  # the original's name
        if frequency <= 0:
            raise ValueError("frequency must be greater than 0.0")
        self._frequency = frequency
        if self._duty is not None:
            self.ChangeDutyCycle(self._duty)


class GpioLibrary(Enum):
    """The GPIO library of the virtual Pi; a process cannot change it."""

    LGPIO = "lgpio"
    RPI_GPIO = "rpi.gpio"
    RPI_GPIO_WITHOUT_EDGES = "rpi.gpio-without-edges"


def install(*, edges: bool) -> None:
    """Install the module ``RPi.GPIO``; on lgpio, the released rpi-lgpio provides it."""
    pins = Pins(edges=edges)
    names = "setmode getmode setwarnings setup gpio_function input output add_event_detect"
    calls = f"{names} remove_event_detect cleanup".split()
    gpio = module(
        "RPi.GPIO",
        VERSION="0.7.1",
        **{name: value for name, value in globals().items() if name.isupper() and name[0] != "_"},
        **{name: getattr(pins, name) for name in calls},
        PWM=partial(Pwm, pins),
    )
    sys.modules["RPi"] = module("RPi", GPIO=gpio, __path__=[])
    sys.modules["RPi.GPIO"] = gpio
