"""Selects gpiozero's pin factory for the GPIO library that is installed.

Two packages provide the module ``RPi.GPIO``, which ``mfrc522`` needs: rpi-lgpio, which
works on every Pi and every kernel, and the original RPi.GPIO, whose edge detection fails
on kernels from 6.6 on and which does not support the Pi 5. They overwrite each other's
files, so only one may be installed. ``gpiozero`` uses the same library for all pins.

Tests: tests/drivers/test_gpio_libraries.py.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from tempfile import TemporaryDirectory
from typing import Any

from hal.faults import BoardFault

PINS = "/dev/gpiochip0"
"""The device file of the pins."""
PACKAGES = ("rpi-lgpio", "RPi.GPIO")
REMEDY = "pip uninstall -y RPi.GPIO rpi-lgpio && pip install rpi-lgpio"


def library() -> Any:
    """Import ``RPi.GPIO``. Raises BoardFault if it is missing or refuses this machine."""
    try:
        with somewhere_writable():
            import RPi.GPIO as GPIO
    except ImportError as error:
        raise BoardFault(f"no GPIO library ({error}); `make pi` installs it") from None
    except (RuntimeError, OSError) as error:
        remedy = f": {REMEDY}" if _installed() == ["RPi.GPIO"] else ""
        raise BoardFault(f"the GPIO library refuses this machine ({error}){remedy}") from None
    return GPIO


def factory_class() -> Any:
    """Return gpiozero's pin factory for the installed library. Raises BoardFault."""
    installed = _installed()
    if len(installed) > 1:
        raise BoardFault(f"{' and '.join(installed)} are both installed; only one may be: {REMEDY}")
    if is_rpi_lgpio(library()):
        from gpiozero.pins.lgpio import LGPIOFactory

        return LGPIOFactory
    from gpiozero.pins.rpigpio import RPiGPIOFactory

    return RPiGPIOFactory


@contextmanager
def somewhere_writable() -> Iterator[None]:
    """Change to a temporary directory while lgpio is imported.

    lgpio creates a pipe in the current directory, which may be read-only. It keeps both ends
    open, so the directory may be deleted. Its setting for another directory does not help:
    lgpio would stay there, which breaks relative paths.
    """
    here = os.open(".", os.O_RDONLY | os.O_DIRECTORY)
    try:
        with TemporaryDirectory() as folder:
            os.chdir(folder)
            try:
                yield
            finally:
                os.fchdir(here)
    finally:
        os.close(here)


def is_rpi_lgpio(gpio: Any) -> bool:
    """Whether a module ``RPi.GPIO`` is rpi-lgpio's, which imports lgpio."""
    return hasattr(gpio, "lgpio")


def has_kernel_timestamps(factory: object) -> bool:
    """Whether edges have the kernel's timestamp; with RPi.GPIO they have gpiozero's, a late one."""
    return any(kind.__name__ == "LGPIOFactory" for kind in type(factory).__mro__)


def _installed() -> list[str]:
    return [name for name in PACKAGES if _is_installed(name)]


def _is_installed(name: str) -> bool:
    # gpiozero loads it as well; before the first screen it would take too long.
    from importlib import metadata

    try:
        metadata.distribution(name)
    except metadata.PackageNotFoundError:
        return False
    return True
