"""A virtual board on which calls fail: the n-th of a kind, once or for a while.

What fails is what the kernel is asked for: transfers, pins, the opening of a bus. The error
is the one that the package raises which the driver asks, as far as its authors say.
"""

import errno
import os
from collections import Counter
from collections.abc import Callable
from enum import Enum
from typing import Any, NamedTuple

from sim.chips.stand_ins import GpioLibrary, LgpioError
from sim.virtual import NANO, Hardware
from tests.drivers.harness import LIBRARY


class Call(Enum):
    """What the drivers ask the kernel for."""

    OPEN = "open a bus"
    SPI = "SPI transfer"
    I2C_WRITE = "I2C write"
    I2C_READ = "I2C read"
    CLAIM_INPUT = "claim an input"
    CLAIM_OUTPUT = "claim an output"
    READ = "read a pin"
    WRITE = "write a pin"
    WATCH = "watch a pin"
    PWM = "set the wave"


class How(Enum):
    """How a call fails."""

    REFUSED = "refused"
    """Nothing happens, and the caller is told so."""
    LATE = "late"
    """All of it happens, and the caller is told that it did not."""
    TORN = "torn"
    """An I²C write breaks off in the middle."""
    HANGS = "hangs"
    """The kernel waits a second for the bus, and gives up."""
    ZEROS = "zeros"
    """An SPI transfer is not heard, and its answer is all zeros; nobody is told."""
    ONES = "ones"


class Failure(NamedTuple):
    """Which calls fail: from the n-th of a kind on, so many."""

    call: Call
    number: int
    how: How = How.REFUSED
    length: int = 1

    def __str__(self) -> str:
        calls = f"{self.call.value} {self.number}"
        calls += f" to {self.number + self.length - 1}" if self.length > 1 else ""
        return f"{calls} {self.how.value}"


class FailingHardware(Hardware):
    """The whole board; counts every call, and lets some fail."""

    def __init__(self, witness: Callable[[Call, int], None] = lambda _call, _number: None) -> None:
        """The witness is told of each call before it is made, and may let it fail."""
        super().__init__()
        self._witness = witness
        self.failure: Failure | None = None
        self.made: Counter[Call] = Counter()
        """How many calls there were, of each kind."""
        self.failed = 0
        self.in_order = False
        """Whether every call succeeds from now on."""

    def open_bus(self, kind: str, number: int) -> None:
        self._ask(Call.OPEN, super().open_bus, kind, number)

    def spi(self, device: int, sent: bytes, speed: int) -> bytes:
        answer = self._ask(Call.SPI, super().spi, device, sent, speed)
        return bytes(answer)

    def i2c(self, address: int, payload: bytes) -> None:
        self._ask(Call.I2C_WRITE, super().i2c, address, payload)

    def i2c_read(self, address: int) -> int:
        return int(self._ask(Call.I2C_READ, super().i2c_read, address))

    def claim_input(self, pin: int, pull: str) -> None:
        self._ask(Call.CLAIM_INPUT, super().claim_input, pin, pull)

    def claim_output(self, pin: int, level: int) -> None:
        self._ask(Call.CLAIM_OUTPUT, super().claim_output, pin, level)

    def read(self, pin: int) -> int:
        return int(self._ask(Call.READ, super().read, pin))

    def write(self, pin: int, level: int) -> None:
        self._ask(Call.WRITE, super().write, pin, level)

    def watch(self, pin: int, edges: int, tell: Callable[[int, int], None] | None) -> None:
        if tell is None:
            super().watch(pin, edges, None)
        else:
            self._ask(Call.WATCH, super().watch, pin, edges, tell)

    def pwm(self, pin: int, frequency: float, duty: float) -> None:
        self._ask(Call.PWM, super().pwm, pin, frequency, duty)

    def _ask(self, call: Call, act: Callable[..., Any], *asked: Any) -> Any:
        self.made[call] += 1
        self._witness(call, self.made[call])
        if not self._fails(call):
            return act(*asked)
        self.failed += 1
        assert self.failure
        match self.failure.how:
            case How.ZEROS | How.ONES:
                fill = b"\0" if self.failure.how is How.ZEROS else b"\xff"
                self.world.pass_until(self.world.now + len(asked[1]) * 8_000)
                return fill * len(asked[1])
            case How.LATE:
                act(*asked)
            case How.TORN:
                self.i2c_breaks_after = len(asked[1]) // 2 + 1
                act(*asked)
            case How.HANGS:
                self.world.pass_until(self.world.now + NANO)
                raise OSError(errno.ETIMEDOUT, os.strerror(errno.ETIMEDOUT))
            case How.REFUSED if call in (Call.CLAIM_INPUT, Call.CLAIM_OUTPUT):
                self._set_free(asked[0])
        raise error_of(call, asked)

    def _fails(self, call: Call) -> bool:
        failure = self.failure
        if failure is None or self.in_order or failure.call is not call:
            return False
        return 0 <= self.made[call] - failure.number < failure.length

    def _set_free(self, pin: int) -> None:
        """lgpio lets go of a pin before it claims it anew; RPi.GPIO just does nothing."""
        if LIBRARY is GpioLibrary.LGPIO:
            self._outputs.pop(pin, None)
            self._pulled_up.discard(pin)
            self._pins_changed()


LGPIO_SAYS = {
    Call.OPEN: "can not open gpiochip",
    Call.CLAIM_INPUT: "GPIO busy",
    Call.CLAIM_OUTPUT: "GPIO busy",
    Call.READ: "bad gpio read",
    Call.WRITE: "GPIO not set as an output",
    Call.WATCH: "GPIO not set as an output",
    Call.PWM: "bad PWM micros",
}
RPI_GPIO_SAYS = {
    Call.CLAIM_INPUT: "No access to /dev/mem.  Try running as root!",
    Call.CLAIM_OUTPUT: "No access to /dev/mem.  Try running as root!",
    Call.READ: "You must setup() the GPIO channel first",
    Call.WRITE: "The GPIO channel has not been set up as an OUTPUT",
    Call.WATCH: "Failed to add edge detection",
    Call.PWM: "You must setup() the GPIO channel as an output first",
}


def error_of(call: Call, asked: tuple[Any, ...]) -> Exception:
    """What the package raises that made this call."""
    match call:
        case Call.OPEN if asked[0] != "gpio":
            path = {"spi": "/dev/spidev", "i2c": "/dev/i2c-"}[asked[0]] + str(asked[1])
            return OSError(errno.EBUSY, os.strerror(errno.EBUSY), path)
        case Call.SPI:
            return OSError(errno.EIO, os.strerror(errno.EIO))
        case Call.I2C_WRITE | Call.I2C_READ:
            return OSError(errno.EREMOTEIO, os.strerror(errno.EREMOTEIO))
    if LIBRARY is GpioLibrary.LGPIO:
        return LgpioError(LGPIO_SAYS[call])
    return RuntimeError(RPI_GPIO_SAYS[call])
