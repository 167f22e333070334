"""The exceptions that the Pi's packages raise when a pin or a bus fails.

A failing part must not stop the bank, and a bug must not look like a failing part. So the
drivers catch these exceptions and no others.

Tests: tests/drivers/test_hardware_errors.py.
"""

import logging
from collections.abc import Iterator
from contextlib import contextmanager

import RPi.GPIO as GPIO
from gpiozero import Device, GPIOZeroError

from hal.faults import BoardFault
from hal.pi.gpio import PINS, is_rpi_lgpio
from hal.wiring import Wire

log = logging.getLogger("tellerbox.pins")

HARDWARE_ERRORS: tuple[type[Exception], ...] = (
    OSError,  # spidev and smbus2
    RuntimeError,  # RPi.GPIO, in both packages
    GPIOZeroError,
    *((GPIO.lgpio.error,) if is_rpi_lgpio(GPIO) else ()),
)


@contextmanager
def opening_pins() -> Iterator[None]:
    """Turn an error while the GPIO library is opened into a BoardFault that names the device."""
    try:
        yield
    except HARDWARE_ERRORS as error:
        raise BoardFault(f"the pins cannot be used: {PINS}: {error}") from error


@contextmanager
def claiming(wire: Wire) -> Iterator[None]:
    """Turn an error while a pin is claimed into a BoardFault that names the wire."""
    try:
        yield
    except HARDWARE_ERRORS as error:
        what = f"the {wire.part.value}'s {wire}: {error}"
        raise BoardFault(f"the pins cannot be used: {what}") from error


def release(device: Device) -> None:
    """Free the pins of a device; log an error."""
    try:
        device.close()
    except HARDWARE_ERRORS as error:
        log.warning("a pin could not be freed: %s", error)
