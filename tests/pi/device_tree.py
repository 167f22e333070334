"""The device tree of the emulated machine, with the model and revision of a Pi.

gpiozero and rpi-lgpio read the board's revision in /proc/device-tree, and refuse a machine
without one.
"""

import subprocess
from pathlib import Path

from tests.pi.rights import install

MODEL = "Raspberry Pi Zero 2 W Rev 1.0"
REVISION = "902120"


def device_tree(machine: tuple[str, ...], path: Path) -> Path:
    """Write the emulator's device tree, with the additions of a Pi, to a file."""
    install(device_tree_compiler="fdtput")
    _run("qemu-system-aarch64", *machine, "-machine", f"dumpdtb={path}")
    _run("fdtput", "-t", "s", path, "/", "model", MODEL)
    _run("fdtput", "-p", "-t", "x", path, "/system", "linux,revision", REVISION)
    return path


def _run(*command: str | Path) -> None:
    subprocess.run(command, check=True, capture_output=True)
