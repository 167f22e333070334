"""A disk image with the installed box, as `sudo make install` leaves a Pi.

The box runs on the virtual board, because the emulator has no readers and keys, with its
console on the UART. Everything else is as on a Pi: the unit with its restrictions, the user,
the paths.
"""

import hashlib
import subprocess
from pathlib import Path

from tests.pi import machine, tree
from tests.pi.rights import timed

SOURCES = ("firmware", "hal", "sim", "systemd", "locks", "pyproject.toml")
"""The parts of the checkout that affect the disk."""

UART = "/dev/ttyAMA0"
RUN = "/opt/tellerbox/current/bin/tellerbox run --config /etc/tellerbox.toml --board virtual"

DROP_IN = f"""# An emulated machine: the virtual board, driven over the UART.
[Unit]
Wants=dev-ttyAMA0.device
After=dev-ttyAMA0.device
[Service]
ExecStart=
ExecStart={RUN} --console {UART}
SupplementaryGroups=dialout
DeviceAllow={UART} rw
# An emulated start takes several times as long as on a Pi.
TimeoutStartSec=240
"""

PIN_RULE = 'SUBSYSTEM=="gpio", KERNEL=="gpiochip*", GROUP="gpio", MODE="0660"\n'
"""As in Raspberry Pi OS."""


def disk() -> Path:
    """Return an image that was never booted; it is built again when the checkout changes."""
    return tree.cached(f"disk-{_digest()}", "disk-*", _build)


def _build(path: Path) -> None:
    with tree.fresh_copy() as pi:
        _install(pi)
        with timed("building the disk image"):
            machine.make_image(pi, path)


def copy_of(image: Path, target: Path) -> Path:
    """Copy an image, for a test that writes to it."""
    subprocess.run(("cp", "--sparse=always", "--reflink=auto", image, target), check=True)
    return target


def _install(pi: tree.Tree) -> None:
    checkout = pi.put_checkout()
    pi.run_long("installing the box", "systemd/install", "install", cwd=checkout)
    pi.write("/etc/systemd/system/tellerbox.service.d/emulator.conf", DROP_IN)
    pi.write("/etc/udev/rules.d/99-com.rules", PIN_RULE)
    machine.prepare(pi)


def _digest() -> str:
    digest = hashlib.sha256(tree.built().name.encode())
    own = (Path(__file__), Path(machine.__file__))
    roots = [tree.CHECKOUT / name for name in SOURCES]
    found = [path for root in roots for path in (root, *root.rglob("*"))]
    for path in (*own, *sorted(found)):
        if path.is_file() and "__pycache__" not in path.parts:
            digest.update(f"\0{path.name}\0".encode() + path.read_bytes())
    return digest.hexdigest()[:12]
