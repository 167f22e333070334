"""Tries what the restrictions of the unit allow; runs inside the emulated machine.

Prints one line of JSON: for each attempt its result, or the name of the exception.
"""

import json
import os
import socket
from collections.abc import Callable
from typing import Any


def attempt(action: Callable[[], Any]) -> str:
    """Return the result, or the name of the exception."""
    try:
        return str(action())
    except Exception as error:
        return type(error).__name__


def libraries() -> str:
    """Import the packages of the drivers as the firmware does, with the real lgpio."""
    import smbus2
    import spidev

    from hal.pi import gpio

    with gpio.somewhere_writable():
        import gpiozero
        import lgpio
    return " ".join(module.__name__ for module in (lgpio, gpiozero, spidev, smbus2))


def pin_level() -> int:
    """Read the first pin of the first chip: low, because nothing is connected."""
    from hal.pi import gpio

    with gpio.somewhere_writable():
        import lgpio
    chip = lgpio.gpiochip_open(0)
    lgpio.gpio_claim_input(chip, 0)
    level = int(lgpio.gpio_read(chip, 0))
    lgpio.gpiochip_close(chip)
    return level


def board() -> str:
    """The model, from the revision that gpiozero and rpi-lgpio read in the device tree."""
    from hal.pi import gpio

    factory = gpio.factory_class()()
    return f"{type(factory).__name__} on a {factory.board_info.model}"


def write(path: str) -> str:
    with open(path, "w") as file:
        file.write("x")
    os.unlink(path)
    return "written"


def read(path: str) -> str:
    with open(path, "rb") as file:
        file.read(1)
    return "read"


FOLDERS = (
    "/root",
    "/home",
    "/boot",
    "/var/log",
    "/var/lib/dpkg",
    "/etc/passwd",
    "/run/udev",
    "/mnt",
)

results = {
    "libraries": attempt(libraries),
    "board": attempt(board),
    "pin": attempt(pin_level),
    "working folder": attempt(lambda: write("here")),
    "ledgers": attempt(lambda: write("/var/lib/tellerbox/probe")),
    "config": attempt(lambda: read("/etc/tellerbox.toml")),
    "own files": attempt(lambda: write("/opt/tellerbox/probe")),
    "system": attempt(lambda: write("/usr/probe")),
    "disk": attempt(lambda: read("/dev/vda")),
    "memory": attempt(lambda: read("/dev/mem")),
    "another line": attempt(lambda: read("/dev/hvc0")),
    "network": attempt(lambda: socket.socket(socket.AF_INET).connect(("127.0.0.1", 9))),
    "visible": " ".join(path for path in FOLDERS if os.path.exists(path)),
    "root": attempt(lambda: os.setuid(0)),
}
print(json.dumps(results))
