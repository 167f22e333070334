"""A virtual board on which calls fail: the n-th of a kind, once or repeatedly.

What fails are requests to the kernel: transfers, pins, opening a bus. The error is the one that the
driver's package raises, according to its documentation.
"""

import errno
import os
from collections import Counter
from collections.abc import Callable
from enum import Enum
from typing import Any, NamedTuple

from sim.virtual import lgpio
from sim.virtual.hardware import NANO, Hardware
from tests.drivers.harness import LIBRARY
from tests.drivers.rpi_gpio import GpioLibrary


class Call(Enum):
    """The requests of the drivers to the kernel."""

    OPEN = "open a bus"
    SPI = "SPI transfer"
    I2C_WRITE = "I2C write"
    I2C_READ = "I2C read"
    CLAIM_INPUT = "claim an input"
    CLAIM_OUTPUT = "claim an output"
    READ = "read a pin"
    WRITE = "write a pin"
    WATCH = "watch a pin"
    PWM = "set PWM"


class FailureMode(Enum):
    """How a call fails."""

    REFUSED = "refused"
    """Nothing happens, and the caller gets an error."""
    LATE = "late"
    """Everything happens, but the caller gets an error."""
    TORN = "torn"
    """An I²C write breaks off in the middle."""
    HANGS = "hangs"
    """The kernel waits a second for the bus and gives up."""
    ZEROS = "zeros"
    """An SPI transfer has no effect and returns zeros, without an error."""
    ONES = "ones"


class Failure(NamedTuple):
    """Which calls fail: this many, from the n-th of a kind on."""

    call: Call
    number: int
    mode: FailureMode = FailureMode.REFUSED
    length: int = 1

    def __str__(self) -> str:
        calls = f"{self.call.value} {self.number}"
        calls += f" to {self.number + self.length - 1}" if self.length > 1 else ""
        return f"{calls} {self.mode.value}"


class FailingHardware(Hardware):
    """The whole board; counts every call and fails some."""

    def __init__(self, on_call: Callable[[Call, int], None] = lambda _call, _number: None) -> None:
        """``on_call`` is called before each call and may set a failure."""
        super().__init__()
        self._on_call = on_call
        self.failure: Failure | None = None
        self.made: Counter[Call] = Counter()
        """The number of calls of each kind."""
        self.failed = 0
        self.healthy = False
        """Whether every call succeeds from now on."""

    def open_bus(self, kind: str, number: int) -> None:
        self._call(Call.OPEN, super().open_bus, kind, number)

    def spi(self, device: int, sent: bytes, speed: int) -> bytes:
        answer = self._call(Call.SPI, super().spi, device, sent, speed)
        return bytes(answer)

    def i2c(self, address: int, payload: bytes) -> None:
        self._call(Call.I2C_WRITE, super().i2c, address, payload)

    def i2c_read(self, address: int) -> int:
        return int(self._call(Call.I2C_READ, super().i2c_read, address))

    def claim_input(self, pin: int, pull: str) -> None:
        self._call(Call.CLAIM_INPUT, super().claim_input, pin, pull)

    def claim_output(self, pin: int, level: int) -> None:
        self._call(Call.CLAIM_OUTPUT, super().claim_output, pin, level)

    def read(self, pin: int) -> int:
        return int(self._call(Call.READ, super().read, pin))

    def write(self, pin: int, level: int) -> None:
        self._call(Call.WRITE, super().write, pin, level)

    def watch(self, pin: int, notify: Callable[[int, int], None] | None) -> None:
        if notify is None:
            super().watch(pin, None)
        else:
            self._call(Call.WATCH, super().watch, pin, notify)

    def pwm(self, pin: int, frequency: float, duty: float) -> None:
        self._call(Call.PWM, super().pwm, pin, frequency, duty)

    def _call(self, call: Call, action: Callable[..., Any], *args: Any) -> Any:
        self.made[call] += 1
        self._on_call(call, self.made[call])
        if not self._fails(call):
            return action(*args)
        self.failed += 1
        assert self.failure
        match self.failure.mode:
            case FailureMode.ZEROS | FailureMode.ONES:
                fill = b"\0" if self.failure.mode is FailureMode.ZEROS else b"\xff"
                self.time.pass_until(self.time.now + len(args[1]) * 8_000)
                return fill * len(args[1])
            case FailureMode.LATE:
                action(*args)
            case FailureMode.TORN:
                self.i2c_breaks_after = len(args[1]) // 2 + 1
                action(*args)
            case FailureMode.HANGS:
                self.time.pass_until(self.time.now + NANO)
                raise OSError(errno.ETIMEDOUT, os.strerror(errno.ETIMEDOUT))
            case FailureMode.REFUSED if call in (Call.CLAIM_INPUT, Call.CLAIM_OUTPUT):
                self._release_pin(args[0])
        raise error_of(call, args)

    def _fails(self, call: Call) -> bool:
        failure = self.failure
        if failure is None or self.healthy or failure.call is not call:
            return False
        return 0 <= self.made[call] - failure.number < failure.length

    def _release_pin(self, pin: int) -> None:
        """lgpio releases a pin before it claims it again; RPi.GPIO does nothing."""
        if LIBRARY is GpioLibrary.LGPIO:
            self._outputs.pop(pin, None)
            self._pulled_up.discard(pin)
            self._pins_changed()


LGPIO_MESSAGES = {
    Call.OPEN: "can not open gpiochip",
    Call.CLAIM_INPUT: "GPIO busy",
    Call.CLAIM_OUTPUT: "GPIO busy",
    Call.READ: "bad gpio read",
    Call.WRITE: "GPIO not set as an output",
    Call.WATCH: "GPIO not set as an output",
    Call.PWM: "bad PWM micros",
}
RPI_GPIO_MESSAGES = {
    Call.CLAIM_INPUT: "No access to /dev/mem.  Try running as root!",
    Call.CLAIM_OUTPUT: "No access to /dev/mem.  Try running as root!",
    Call.READ: "You must setup() the GPIO channel first",
    Call.WRITE: "The GPIO channel has not been set up as an OUTPUT",
    Call.WATCH: "Failed to add edge detection",
    Call.PWM: "You must setup() the GPIO channel as an output first",
}


def error_of(call: Call, args: tuple[Any, ...]) -> Exception:
    """The exception of the package that made this call."""
    match call:
        case Call.OPEN if args[0] != "gpio":
            path = {"spi": "/dev/spidev", "i2c": "/dev/i2c-"}[args[0]] + str(args[1])
            return OSError(errno.EBUSY, os.strerror(errno.EBUSY), path)
        case Call.SPI:
            return OSError(errno.EIO, os.strerror(errno.EIO))
        case Call.I2C_WRITE | Call.I2C_READ:
            return OSError(errno.EREMOTEIO, os.strerror(errno.EREMOTEIO))
    if LIBRARY is GpioLibrary.LGPIO:
        return lgpio.error(LGPIO_MESSAGES[call])
    return RuntimeError(RPI_GPIO_MESSAGES[call])
