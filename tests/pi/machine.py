"""An emulated arm64 machine that boots from a disk image.

    prepare(tree)
    make_image(tree, disk)
    with Machine(disk, folder) as machine:
        print(machine.shell("systemctl is-system-running --wait"))
        machine.pull_the_plug()

It has a UART, /dev/ttyAMA0, connected to a socket; a console for the kernel and systemd,
written to a file; a root shell for the tests on its own port; and no network. Like a Pi Zero
2 W it has 512 MB and Cortex-A53 cores, but only two.
"""

import os
import secrets
import socket
import subprocess
import time
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Self

from tests.pi.card import MemoryCard, short
from tests.pi.device_tree import device_tree
from tests.pi.kernel import kernel
from tests.pi.rights import Failed, as_root, install
from tests.pi.tree import Tree

BOARD = ("-machine", "virt", "-cpu", "cortex-a53", "-smp", "2", "-m", "512", "-nic", "none")

SIZE = "1800M"
"""Of the disk; the image file is sparse."""

BOOT_LIMIT = 300.0
"""Seconds; a boot takes 20 to 40 on two cores."""

NOT_NEEDED = (
    *("serial-getty@ttyAMA0.service", "serial-getty@hvc0.service", "getty@tty1.service"),
    *("apt-daily.timer", "apt-daily-upgrade.timer", "e2scrub_all.timer", "fstrim.timer"),
    *("dpkg-db-backup.timer", "e2scrub_reap.service", "systemd-logind.service"),
    *("modprobe@configfs.service", "modprobe@dm_mod.service", "modprobe@drm.service"),
    *("modprobe@efi_pstore.service", "modprobe@fuse.service", "modprobe@loop.service"),
    *("dev-hugepages.mount", "dev-mqueue.mount", "sys-kernel-debug.mount"),
    *("sys-kernel-tracing.mount", "systemd-update-utmp.service"),
    "systemd-update-utmp-runlevel.service",
)
"""Units that the box does not need and that are slow under emulation."""

SHELL_UNIT = """[Unit]
Description=A root shell on a port of the emulator, for the tests
StartLimitIntervalSec=0
[Service]
ExecStart=/bin/sh -c 'exec /bin/sh <>/dev/virtio-ports/shell >&0 2>&1'
Restart=always
RestartSec=1
[Install]
WantedBy=multi-user.target
"""

JOURNAL = """[Journal]
ForwardToConsole=yes
TTYPath=/dev/hvc0
MaxLevelConsole=info
"""


class Stuck(Failed):
    """The machine did not respond in time; the message ends with its log."""


class ShellResult(NamedTuple):
    status: int
    output: str


def prepare(tree: Tree) -> None:
    """Prepare a tree for booting: file systems, journal, test shell."""
    tree.write("/etc/fstab", "/dev/vda / ext4 rw,noatime,data=ordered 0 0\n")
    tree.write("/etc/hostname", "tellerbox\n")
    # Without one, systemd assumes the first boot ever and sets up all units again.
    tree.write("/etc/machine-id", secrets.token_hex(16) + "\n")
    tree.write("/etc/systemd/journald.conf.d/console.conf", JOURNAL)
    tree.write("/etc/systemd/system/test-shell.service", SHELL_UNIT)
    tree.run("systemctl", "enable", "test-shell.service")
    tree.run("systemctl", "mask", *NOT_NEEDED)


def make_image(tree: Tree, image: Path) -> None:
    """Build an ext4 image of a tree, with the defaults of mke2fs."""
    install(e2fsprogs="mke2fs")
    image.unlink(missing_ok=True)
    command = ("mke2fs", "-q", "-t", "ext4", "-L", "root", "-d", tree.root, image, SIZE)
    as_root("env", "PATH=/usr/sbin:/sbin:/usr/bin:/bin", *command)
    as_root("chown", f"{os.getuid()}:{os.getgid()}", image)


class Machine:
    """A machine that is on while the context is open."""

    def __init__(self, disk: Path | MemoryCard, folder: Path) -> None:
        self.log = folder / "boot.log"
        self._disk = disk
        self._uart, self._port = folder / "uart", folder / "shell"
        self._tree, self._ram_disk = folder / "device-tree", folder / "ram-disk"
        self._process: subprocess.Popen[bytes] | None = None
        self._shell: socket.socket | None = None

    def __enter__(self) -> Self:
        install(qemu_system_arm="qemu-system-aarch64")
        for path in (self.log, self._uart, self._port):
            path.unlink(missing_ok=True)
        self._process = subprocess.Popen(self._command(), stdin=subprocess.DEVNULL)
        # Connect before it boots: the machine reads end-of-file from an unconnected port.
        self._shell = self._connect(self._port)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._shell is not None:
            self._shell.close()
        self.pull_the_plug()

    def _command(self) -> tuple[str, ...]:
        guest = kernel(self._ram_disk)
        return (
            *("qemu-system-aarch64", *BOARD, "-dtb", str(device_tree(BOARD, self._tree))),
            *("-display", "none", "-monitor", "none", "-no-reboot"),
            *("-kernel", str(guest.image), "-initrd", str(guest.ram_disk)),
            *("-append", "console=hvc0 panic=-1 audit=0 quiet"),
            # A Pi has no real-time clock: each boot begins at the same time.
            *("-rtc", "base=2024-02-29T20:00:00"),
            *self._disk_options(),
            *("-chardev", f"socket,id=uart,path={short(self._uart)},server=on,wait=off"),
            *("-serial", "chardev:uart"),
            *("-device", "virtio-rng-pci", "-device", "virtio-serial-pci"),
            *("-chardev", f"file,id=log,path={self.log}", "-device", "virtconsole,chardev=log"),
            *("-chardev", f"socket,id=shell,path={short(self._port)},server=on,wait=off"),
            *("-device", "virtserialport,chardev=shell,name=shell"),
        )

    def _disk_options(self) -> tuple[str, ...]:
        if isinstance(self._disk, MemoryCard):
            where = f"driver=nbd,server.type=unix,server.path={short(self._disk.path)}"
        else:
            # Write-back: writes of the machine are in the host's page cache and survive a kill
            # of the emulator; only the machine's own memory is lost.
            where = f"driver=file,filename={self._disk},cache.direct=off"
        drive = ("-blockdev", f"{where},node-name=disk")
        return (*drive, "-device", "virtio-blk-pci,drive=disk")

    def pull_the_plug(self) -> None:
        """Kill the emulator, without a shutdown."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()

    def uart(self) -> socket.socket:
        """Connect to /dev/ttyAMA0."""
        return self._connect(self._uart)

    def shell(self, command: str, limit: float = BOOT_LIMIT) -> ShellResult:
        """Run a command in a root shell of the machine; wait until it has booted."""
        assert self._shell is not None, "the machine is off"
        marker = secrets.token_hex(8)
        script = f"{{ {command}\n}} 2>&1 </dev/null; status=$?; echo; echo {marker} $status\n"
        self._shell.sendall(script.encode())
        return self._shell_result(marker.encode(), time.monotonic() + limit)

    def _shell_result(self, marker: bytes, deadline: float) -> ShellResult:
        assert self._shell is not None
        received = b""
        while True:
            output, found, status = received.partition(b"\n" + marker + b" ")
            if found and status.endswith(b"\n"):
                return ShellResult(int(status), output.decode(errors="replace"))
            self._shell.settimeout(max(0.1, deadline - time.monotonic()))
            try:
                part = self._shell.recv(65536)
            except TimeoutError:
                raise self.stuck("the shell did not answer", received) from None
            if not part:
                raise self.stuck("the machine went off", received)
            received += part

    def _connect(self, path: Path) -> socket.socket:
        connection = socket.socket(socket.AF_UNIX)
        deadline = time.monotonic() + 30
        while True:
            try:
                connection.connect(short(path))
                return connection
            except (FileNotFoundError, ConnectionRefusedError):
                process = self._process
                if process is None or process.poll() is not None or time.monotonic() > deadline:
                    raise self.stuck("the emulator did not start") from None
                time.sleep(0.05)

    def stuck(self, what: str, received: bytes = b"") -> Stuck:
        log = self.log.read_text(errors="replace") if self.log.exists() else ""
        last = "\n".join(log.splitlines()[-40:])
        return Stuck(f"{what}; received {received[-2000:]!r}\nEnd of its log:\n{last}")
