"""What the packages raise when a pin or a bus does not do what it was asked.

A part that fails must not stop the bank, and a bug must not pass for a part that fails. So
the drivers catch these, and nothing else.
"""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

import RPi.GPIO as GPIO
from gpiozero import GPIOZeroError

from hal.faults import BoardFault
from hal.pi.gpio import stands_on_lgpio
from hal.wiring import Wire

log = logging.getLogger("tellerbox.pins")

TROUBLE: tuple[type[Exception], ...] = (
    OSError,  # spidev and smbus2
    RuntimeError,  # RPi.GPIO, whoever provides it
    GPIOZeroError,
    *((GPIO.lgpio.error,) if stands_on_lgpio(GPIO) else ()),
)


@contextmanager
def claiming(wire: Wire) -> Iterator[None]:
    """While a pin is claimed, at the start: without it there is no box, and its name helps."""
    try:
        yield
    except TROUBLE as error:
        what = f"the {wire.part.value}'s {wire}: {error}"
        raise BoardFault(f"the pins cannot be used: {what}") from error


class Device(Protocol):
    """What gpiozero makes of a pin."""

    def close(self) -> None: ...


def let_go(device: Device) -> None:
    """Of a pin, at the end, as far as it can be done."""
    try:
        device.close()
    except TROUBLE as error:
        log.warning("a pin could not be freed: %s", error)
