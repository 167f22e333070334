"""Debian's arm64 kernel, and an initial RAM disk that mounts the root file system.

The package is only unpacked: installing it would run update-initramfs, which takes a quarter
of an hour under emulation. The RAM disk is made here: a static busybox, the modules for the
root file system, and an init script.
"""

import gzip
import shutil
import zlib
from pathlib import Path
from typing import NamedTuple

from tests.pi import tree
from tests.pi.rights import as_root, timed

MODULES = ("virtio_pci", "virtio_blk", "virtio_console", "virtio_rng", "crc32c_generic", "ext4")
"""Loaded in this order, each after its dependencies."""

INIT = """#!/bin/busybox sh
/bin/busybox mount -t devtmpfs dev /dev
for module in $(/bin/busybox cat /modules/order); do
    /bin/busybox insmod /modules/$module || echo "tellerbox: $module could not be loaded"
done
for _ in 1 2 3 4 5 6 7 8 9; do [ -b /dev/vda ] || /bin/busybox sleep 1; done
# Mounted read-write: this replays the journal. Nothing else is ever repaired.
/bin/busybox mount -t ext4 -o rw,noatime,data=ordered /dev/vda /root
/bin/busybox umount /dev
exec /bin/busybox switch_root /root /sbin/init
"""

FILE, FOLDER, DEVICE = 0o100755, 0o040755, 0o020600


class Kernel(NamedTuple):
    image: Path
    ram_disk: Path


def kernel(ram_disk: Path) -> Kernel:
    """Return the kernel of the tree, fetched once, and write its RAM disk."""
    base = tree.built()
    wanted = zlib.crc32(" ".join(MODULES).encode())
    name = f"{base.name.replace('tree', 'kernel')}-{wanted:08x}"
    folder = tree.cached(name, "kernel-*", _fetch)
    ram_disk.write_bytes(_ram_disk(folder, (base / "bin/busybox").read_bytes()))
    return Kernel(folder / "vmlinuz", ram_disk)


def _fetch(folder: Path) -> None:
    """Extract the kernel and the modules from the package that linux-image-arm64 depends on."""
    folder.mkdir()
    with timed("fetching Debian's arm64 kernel"), tree.fresh_copy() as copy:
        copy.run("apt-get", "update", "-q")
        depends = copy.run("apt-cache", "depends", "linux-image-arm64").stdout.split()
        copy.run("apt-get", "download", depends[depends.index("Depends:") + 1], cwd="/tmp")
        copy.run("sh", "-c", "dpkg-deb -x *.deb unpacked", cwd="/tmp")
        unpacked = copy.path("/tmp/unpacked")
        as_root("chmod", "-R", "a+rX", unpacked)
        shutil.copy(next(unpacked.glob("boot/vmlinuz-*")), folder / "vmlinuz")
        modules = {path.name.replace("-", "_"): path for path in unpacked.rglob("*.ko")}
        for name in _in_order(modules):
            shutil.copy(modules[name], folder / name)


def _ram_disk(folder: Path, busybox: bytes) -> bytes:
    order = _in_order({path.name: path for path in folder.glob("*.ko")})
    disk = b"".join(_entry(name, FOLDER) for name in ("bin", "dev", "modules", "root"))
    disk += _entry("dev/console", DEVICE, device=(5, 1))
    disk += _entry("bin/busybox", FILE, busybox) + _entry("init", FILE, INIT.encode())
    disk += _entry("modules/order", FILE, "\n".join(order).encode())
    disk += b"".join(
        _entry(f"modules/{name}", FILE, (folder / name).read_bytes()) for name in order
    )
    return gzip.compress(disk + _entry("TRAILER!!!", 0), 1, mtime=0)


def _in_order(modules: dict[str, Path]) -> list[str]:
    """Return the file names of MODULES and their dependencies, in load order."""
    order: list[str] = []

    def add(name: str) -> None:
        file = f"{name}.ko"
        if file in order or file not in modules:
            return  # a module without a file is built into the kernel
        for needed in _depends(modules[file].read_bytes()):
            add(needed)
        order.append(file)

    for module in MODULES:
        add(module)
    return order


def _depends(module: bytes) -> list[str]:
    """Read the dependencies of a module: `depends=one,two` between two zero bytes."""
    _, _, rest = module.partition(b"\0depends=")
    return [name.replace("-", "_") for name in rest[: rest.find(b"\0")].decode().split(",") if name]


def _entry(name: str, mode: int, content: bytes = b"", device: tuple[int, int] = (0, 0)) -> bytes:
    """Return one file of a cpio archive in the "newc" format, which the kernel unpacks."""
    # Inode, mode, user, group, links, mtime, size, device (2), rdevice (2), name size, checksum.
    fields = (0, mode, 0, 0, 1, 0, len(content), 0, 0, *device, len(name) + 1, 0)
    head = b"070701" + b"".join(b"%08X" % field for field in fields) + name.encode() + b"\0"
    return _padded(head) + _padded(content)


def _padded(part: bytes) -> bytes:
    return part + bytes(-len(part) % 4)
