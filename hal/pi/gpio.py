"""Which GPIO library drives the pins: the one that is installed.

Two packages provide the module ``RPi.GPIO``, which ``mfrc522`` needs: rpi-lgpio, which
works on every Pi and every kernel, and RPi.GPIO itself, whose edges fail on kernels
from 6.6 on and which does not know the Pi 5. They overwrite each other's files, so only
one of them may be there. ``gpiozero`` follows the same choice, so that one library has
all the pins.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import metadata
from tempfile import TemporaryDirectory
from typing import Any

from hal.faults import BoardFault

RIVALS = ("rpi-lgpio", "RPi.GPIO")
REMEDY = "pip uninstall -y RPi.GPIO rpi-lgpio && pip install rpi-lgpio"


def factory_class() -> Any:
    """The pin factory of gpiozero for the library that is installed."""
    installed = [name for name in RIVALS if _is_installed(name)]
    if len(installed) > 1:
        raise BoardFault(f"{' and '.join(installed)} are both installed; only one may be: {REMEDY}")
    try:
        with somewhere_writable():
            import RPi.GPIO as GPIO
    except ImportError as error:
        raise BoardFault(f"no GPIO library ({error}); `make pi` installs it") from None
    except (RuntimeError, OSError) as error:
        remedy = f": {REMEDY}" if installed == ["RPi.GPIO"] else ""
        raise BoardFault(f"the GPIO library refuses this machine ({error}){remedy}") from None
    if stands_on_lgpio(GPIO):
        from gpiozero.pins.lgpio import LGPIOFactory

        return LGPIOFactory
    from gpiozero.pins.rpigpio import RPiGPIOFactory

    return RPiGPIOFactory


@contextmanager
def somewhere_writable() -> Iterator[None]:
    """While lgpio is imported: it makes a pipe in the current directory, which may be any.

    Both ends stay open, so the pipe may vanish with the directory. To tell lgpio of another
    place would not do: it goes there for good, and takes relative paths with it.
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


def stands_on_lgpio(gpio: Any) -> bool:
    """Whether a module RPi.GPIO is rpi-lgpio's, which imports lgpio."""
    return hasattr(gpio, "lgpio")


def stamps_by_kernel(factory: object) -> bool:
    """Whether an edge comes with the kernel's time; RPi.GPIO's get gpiozero's, which is late."""
    return any(kind.__name__ == "LGPIOFactory" for kind in type(factory).__mro__)


def _is_installed(name: str) -> bool:
    try:
        metadata.distribution(name)
    except metadata.PackageNotFoundError:
        return False
    return True
