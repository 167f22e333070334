"""Runs inside the emulated machine, under the restrictions of the box's unit: tells what it can do.

One line of JSON on standard output: what could be reached, and the reason why not.
"""

import json
import os
import socket
from collections.abc import Callable
from typing import Any


def tried(deed: Callable[[], Any]) -> str:
    """What came of it, or the kind of refusal."""
    try:
        return str(deed())
    except Exception as error:
        return type(error).__name__


def the_libraries() -> str:
    """As the firmware gets them: the pin factory on the real lgpio, and the buses' modules."""
    import smbus2
    import spidev

    from hal.pi import gpio

    with gpio.somewhere_writable():
        import gpiozero
        import lgpio
    return " ".join(module.__name__ for module in (lgpio, gpiozero, spidev, smbus2))


def a_pin() -> int:
    """The first pin of the first chip, through the kernel: low, with nothing wired to it."""
    from hal.pi import gpio

    with gpio.somewhere_writable():
        import lgpio
    chip = lgpio.gpiochip_open(0)
    lgpio.gpio_claim_input(chip, 0)
    level = int(lgpio.gpio_read(chip, 0))
    lgpio.gpiochip_close(chip)
    return level


def the_board() -> str:
    """By its revision, which gpiozero reads from the device tree, as rpi-lgpio does."""
    from hal.pi import gpio

    factory = gpio.factory_class()()
    return f"{type(factory).__name__} on a {factory.board_info.model}"


def writes(path: str) -> str:
    with open(path, "w") as file:
        file.write("x")
    os.unlink(path)
    return "written"


def reads(path: str) -> str:
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

told = {
    "libraries": tried(the_libraries),
    "board": tried(the_board),
    "pin": tried(a_pin),
    "here": tried(lambda: writes("here")),
    "ledgers": tried(lambda: writes("/var/lib/tellerbox/probe")),
    "config": tried(lambda: reads("/etc/tellerbox.toml")),
    "own files": tried(lambda: writes("/opt/tellerbox/probe")),
    "system": tried(lambda: writes("/usr/probe")),
    "disk": tried(lambda: reads("/dev/vda")),
    "memory": tried(lambda: reads("/dev/mem")),
    "another line": tried(lambda: reads("/dev/hvc0")),
    "network": tried(lambda: socket.socket(socket.AF_INET).connect(("127.0.0.1", 9))),
    "there": " ".join(path for path in FOLDERS if os.path.exists(path)),
    "root": tried(lambda: os.setuid(0)),
}
print(json.dumps(told))
