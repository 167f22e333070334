"""A stand-in for lgpio: the calls that ``gpiozero`` and ``rpi-lgpio`` make, by their names."""

from collections.abc import Callable

from sim.virtual.plug import board, plugged

RISING_EDGE, FALLING_EDGE, BOTH_EDGES = 1, 2, 3
SET_PULL_UP, SET_PULL_DOWN, SET_PULL_NONE = 32, 64, 128
GPIO_BUSY = -79
_IS_OUT, _IS_INPUT, _IS_OUTPUT, _IS_ALERT = 1 << 1, 1 << 8, 1 << 9, 1 << 10
_PULLS = {SET_PULL_UP: "up", SET_PULL_DOWN: "down", SET_PULL_NONE: "none"}
_ANY_PULL = SET_PULL_UP | SET_PULL_DOWN | SET_PULL_NONE
_modes: dict[int, int] = {}

exceptions = True


class error(Exception):  # noqa: N801  # the original's name
    pass


def error_text(number: int) -> str:
    return str(number)


def gpiochip_open(number: int) -> int:
    board().open_bus("gpio", number)
    return 0


def gpiochip_close(_chip: int) -> int:
    return 0


def gpio_get_chip_info(_chip: int) -> tuple[int, int, str, str]:
    return 0, 54, "virtual", "board"


def gpio_claim_input(_chip: int, pin: int, flags: int = 0) -> int:
    """Without flags the pin keeps its pull."""
    pull = (flags or _freed(pin)) & _ANY_PULL
    board().claim_input(pin, _PULLS.get(pull, "none"))
    _modes[pin] = _IS_INPUT | pull
    return 0


def gpio_claim_output(_chip: int, pin: int, level: int = 0, _flags: int = 0) -> int:
    _freed(pin)
    board().claim_output(pin, level)
    _modes[pin] = _IS_OUTPUT | _IS_OUT
    return 0


def gpio_claim_alert(chip: int, pin: int, edges: int, flags: int = 0, _notify: int = -1) -> int:
    gpio_claim_input(chip, pin, flags)
    _modes[pin] |= _IS_ALERT | edges << 17
    return 0


def _freed(pin: int) -> int:
    """Free a pin and return its mode; lgpio does so before each claim, which may then fail."""
    return _modes.pop(pin, 0)


def gpio_free(_chip: int, pin: int) -> int:
    _freed(pin)
    return 0


def gpio_get_mode(_chip: int, pin: int) -> int:
    return _modes.get(pin, 0)


def gpio_read(chip: int, pin: int) -> int:
    """Read a pin; an unclaimed one becomes an input without a pull-up."""
    if pin not in _modes:
        gpio_claim_input(chip, pin)
    return board().read(pin)


def gpio_write(_chip: int, pin: int, level: int) -> int:
    board().write(pin, level)
    return 0


def gpio_set_debounce_micros(_chip: int, _pin: int, _micros: int) -> int:
    return 0


class Callback:
    """The return value of ``callback``."""

    def __init__(self, pin: int) -> None:
        self._pin = pin

    def cancel(self) -> None:
        if plugged:
            plugged[0].watch(self._pin, None)


def callback(
    _chip: int,
    pin: int,
    edge: int = RISING_EDGE,
    func: Callable[[int, int, int, int], None] | None = None,
) -> Callback:
    def notify(level: int, at: int) -> None:
        if func:
            func(0, pin, level, at)

    assert edge == BOTH_EDGES, "only both edges are modelled"
    board().watch(pin, notify)
    return Callback(pin)


def tx_pwm(_chip: int, pin: int, frequency: float, duty: float, *_: int) -> int:
    board().pwm(pin, frequency, duty / 100)  # from percent
    return 0
