"""Stand-ins for the modules that talk to the kernel: lgpio, spidev and smbus2, or RPi.GPIO.

They are the only things replaced on the virtual board. What stands above them
(``gpiozero``, ``rpi-lgpio``, ``mfrc522``, ``luma.core``, ``luma.oled``) is the released
package, unmodified. A stand-in has just the calls that those packages make, with the
signatures of the original; what it is asked for goes to the board that is plugged in.
"""

import sys
from collections.abc import Callable, Iterable, Sequence
from enum import Enum
from types import ModuleType

from sim.chips.plug import PluggedBoard, board, module, plugged


class GpioLibrary(Enum):
    """What is installed on the virtual Pi; a process has one of them, for good."""

    LGPIO = "lgpio"
    RPI_GPIO = "rpi.gpio"
    RPI_GPIO_WITHOUT_EDGES = "rpi.gpio-without-edges"


def plug_in(plugged_board: PluggedBoard, library: GpioLibrary = GpioLibrary.LGPIO) -> None:
    plugged[:] = [plugged_board]
    if "spidev" in sys.modules:
        assert getattr(sys.modules["spidev"], "STAND_IN", False), "the real spidev is loaded"
        return
    for made in (_spidev(), _smbus2(), *_gpio(library)):
        sys.modules[made.__name__] = made


def _gpio(library: GpioLibrary) -> Sequence[ModuleType]:
    """With lgpio, rpi-lgpio provides RPi.GPIO and is the released package."""
    if library is GpioLibrary.LGPIO:
        return (_lgpio(),)
    # Loaded only where it is wanted: every start of a virtual box would pay for it.
    from sim.chips.rpi_gpio import rpi_gpio

    gpio = rpi_gpio(edges=library is GpioLibrary.RPI_GPIO)
    return (module("RPi", GPIO=gpio, __path__=[]), gpio)


# spidev


class SpiDev:
    """One chip select of the SPI bus."""

    def __init__(self) -> None:
        self.max_speed_hz = 500_000
        self._device: int | None = None

    def open(self, bus: int, device: int) -> None:
        board().open_bus("spi", bus)
        self._device = device

    def xfer2(self, values: Sequence[int]) -> list[int]:
        assert self._device is not None, "the bus was not opened"
        return list(board().spi(self._device, bytes(values), self.max_speed_hz))

    def close(self) -> None:
        self._device = None


def _spidev() -> ModuleType:
    return module("spidev", SpiDev=SpiDev)


# smbus2


class I2cMessage:
    """A message of ``i2c_rdwr``."""

    def __init__(self, address: int, payload: Iterable[int]) -> None:
        self.address = address
        self.payload = bytes(payload)

    write = classmethod(lambda cls, address, payload: cls(address, payload))


class SMBus:
    """The I²C bus."""

    def __init__(self, port: int) -> None:
        board().open_bus("i2c", port)

    def write_i2c_block_data(self, address: int, register: int, values: Sequence[int]) -> None:
        assert len(values) <= 32, "the kernel takes 32 bytes at most"
        board().i2c(address, bytes((register, *values)))

    def read_byte_data(self, address: int, register: int) -> int:
        board().i2c(address, bytes((register,)))
        return board().i2c_read(address)

    def i2c_rdwr(self, *messages: I2cMessage) -> None:
        for message in messages:
            board().i2c(message.address, message.payload)

    def close(self) -> None:
        return


def _smbus2() -> ModuleType:
    return module("smbus2", SMBus=SMBus, i2c_msg=I2cMessage)


# lgpio

RISING_EDGE, FALLING_EDGE, BOTH_EDGES = 1, 2, 3
SET_PULL_UP, SET_PULL_DOWN, SET_PULL_NONE = 32, 64, 128
IS_OUT, IS_UP, IS_DOWN, IS_NONE = 1 << 1, 1 << 5, 1 << 6, 1 << 7
IS_LG_INPUT, IS_LG_OUTPUT, IS_LG_ALERT = 1 << 8, 1 << 9, 1 << 10
_PULLS = {SET_PULL_UP: "up", SET_PULL_DOWN: "down"}
_modes: dict[int, int] = {}


class LgpioError(Exception):
    """lgpio's own exception."""


class LgpioCallback:
    """What ``lgpio.callback`` returns."""

    def __init__(self, pin: int) -> None:
        self._pin = pin

    def cancel(self) -> None:
        if plugged:
            plugged[0].watch(self._pin, BOTH_EDGES, None)


def _open_chip(number: int) -> int:
    board().open_bus("gpio", number)
    return 0


def _claim_input(_chip: int, pin: int, flags: int = 0) -> int:
    kept = _freed(pin) & (IS_UP | IS_DOWN | IS_NONE) if flags == 0 else 0
    mode = IS_LG_INPUT | (flags & (IS_UP | IS_DOWN | IS_NONE)) | kept
    board().claim_input(pin, _PULLS.get(mode & (IS_UP | IS_DOWN), "none"))
    _modes[pin] = mode
    return 0


def _claim_output(_chip: int, pin: int, level: int = 0, _flags: int = 0) -> int:
    _freed(pin)
    board().claim_output(pin, level)
    _modes[pin] = IS_LG_OUTPUT | IS_OUT
    return 0


def _freed(pin: int) -> int:
    """What a pin was; lgpio frees it before it claims it anew, which may then fail."""
    return _modes.pop(pin, 0)


def _read(chip: int, pin: int) -> int:
    """A pin that nobody has claimed becomes a plain input, without a pull-up."""
    if pin not in _modes:
        _claim_input(chip, pin)
    return board().read(pin)


def _claim_alert(chip: int, pin: int, edges: int, flags: int = 0, _notify: int = -1) -> int:
    _claim_input(chip, pin, flags)
    _modes[pin] |= IS_LG_ALERT | edges << 17
    return 0


def _callback(
    _chip: int,
    pin: int,
    edge: int = RISING_EDGE,
    func: Callable[[int, int, int, int], None] | None = None,
) -> LgpioCallback:
    def tell(level: int, at: int) -> None:
        if func:
            func(0, pin, level, at)

    board().watch(pin, edge, tell)
    return LgpioCallback(pin)


def _free(_chip: int, pin: int) -> int:
    _modes.pop(pin, None)
    return 0


def _write(_chip: int, pin: int, level: int) -> int:
    board().write(pin, level)
    return 0


def _tx_pwm(_chip: int, pin: int, frequency: float, duty: float, *_: int) -> int:
    board().pwm(pin, frequency, duty / 100)  # lgpio counts in percent
    return 0


def _close(_chip: int) -> int:
    return 0


def _lgpio() -> ModuleType:
    return module(
        "lgpio",
        RISING_EDGE=RISING_EDGE,
        FALLING_EDGE=FALLING_EDGE,
        BOTH_EDGES=BOTH_EDGES,
        SET_PULL_UP=SET_PULL_UP,
        SET_PULL_DOWN=SET_PULL_DOWN,
        SET_PULL_NONE=SET_PULL_NONE,
        GPIO_BUSY=-79,
        error=LgpioError,
        error_text=str,
        exceptions=True,
        gpiochip_open=_open_chip,
        gpiochip_close=_close,
        gpio_get_chip_info=lambda _chip: (0, 54, "virtual", "board"),
        gpio_claim_input=_claim_input,
        gpio_claim_output=_claim_output,
        gpio_claim_alert=_claim_alert,
        gpio_free=_free,
        gpio_get_mode=lambda _chip, pin: _modes.get(pin, 0),
        gpio_read=_read,
        gpio_write=_write,
        gpio_set_debounce_micros=lambda _chip, _pin, _micros: 0,
        callback=_callback,
        tx_pwm=_tx_pwm,
    )
