"""A disk with the box installed on it, as `sudo make install` leaves a Pi.

The box stands on the virtual board, since an emulator has neither readers nor keys, and
its console is the machine's UART. All else is what everybody gets: the unit with its
restrictions, its user, its paths.
"""

import hashlib
import subprocess
from pathlib import Path

from tests.pi import machine, tree
from tests.pi.rights import told

MATTERS = ("firmware", "hal", "sim", "systemd", "locks", "pyproject.toml")
"""The parts of the checkout that can end up on the disk."""

UART = "/dev/ttyAMA0"
RUN = "/opt/tellerbox/current/bin/tellerbox run --config /etc/tellerbox.toml --board virtual"

DROP_IN = f"""# An emulated machine: the virtual board, worked over the UART.
[Unit]
Wants=dev-ttyAMA0.device
After=dev-ttyAMA0.device
[Service]
ExecStart=
ExecStart={RUN} --console {UART}
SupplementaryGroups=dialout
DeviceAllow={UART} rw
# Emulated, a start takes several times as long as on a Pi.
TimeoutStartSec=240
"""

PIN_RULE = 'SUBSYSTEM=="gpio", KERNEL=="gpiochip*", GROUP="gpio", MODE="0660"\n'
"""As Raspberry Pi OS has it."""


def disk() -> Path:
    """The image of a disk that was never booted; made when the checkout has changed."""
    path = tree.cache_folder() / f"disk-{_recipe()}"
    with tree.locked(tree.cache_folder() / "installing"):
        if not path.exists():
            _make(path)
    return path


def _make(path: Path) -> None:
    for old in path.parent.glob("disk-*"):
        old.unlink()
    with tree.fresh_copy() as pi:
        _install(pi)
        partial = path.with_suffix(".partial")
        with told("making the disk"):
            machine.make_image(pi, partial)
        partial.rename(path)


def copy_of(image: Path, goal: Path) -> Path:
    """A disk to write on."""
    subprocess.run(("cp", "--sparse=always", "--reflink=auto", image, goal), check=True)
    return goal


def _install(pi: tree.Tree) -> None:
    checkout = pi.put_checkout()
    pi.run_long("installing the box", "systemd/install", "install", cwd=checkout)
    pi.write("/etc/systemd/system/tellerbox.service.d/emulator.conf", DROP_IN)
    pi.write("/etc/udev/rules.d/99-com.rules", PIN_RULE)
    machine.prepare(pi)


def _recipe() -> str:
    digest = hashlib.sha256(tree.built().name.encode())
    own = (Path(__file__), Path(machine.__file__))
    places = [tree.CHECKOUT / name for name in MATTERS]
    found = [path for place in places for path in (place, *place.rglob("*"))]
    for path in (*own, *sorted(found)):
        if path.is_file() and "__pycache__" not in path.parts:
            digest.update(f"\0{path.name}\0".encode() + path.read_bytes())
    return digest.hexdigest()[:12]
