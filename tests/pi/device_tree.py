"""The device tree of the emulated machine, with the few lines that make a Pi of it.

The kernel shows it under /proc/device-tree, where gpiozero and rpi-lgpio look for the
board's revision, and refuse a machine that has none.
"""

import subprocess
from pathlib import Path

from tests.pi.rights import install

MODEL = "Raspberry Pi Zero 2 W Rev 1.0"
REVISION = "902120"


def device_tree(machine: tuple[str, ...], path: Path) -> Path:
    """Written to that path: what the emulator would hand to a kernel, and what a Pi adds."""
    install(device_tree_compiler="fdtput")
    _run("qemu-system-aarch64", *machine, "-machine", f"dumpdtb={path}")
    _run("fdtput", "-t", "s", path, "/", "model", MODEL)
    _run("fdtput", "-p", "-t", "x", path, "/system", "linux,revision", REVISION)
    return path


def _run(*words: str | Path) -> None:
    subprocess.run(words, check=True, capture_output=True)
