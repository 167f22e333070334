"""An arm64 computer in an emulator, with a root file system of ours, and its plug.

    prepare(tree)
    make_image(tree, disk)
    with Machine(disk, folder) as machine:
        print(machine.shell("systemctl is-system-running --wait"))
        machine.pull_the_plug()

It has a UART, /dev/ttyAMA0, whose other end is a socket; a console of the kernel's and
systemd's, which goes to a file; a root shell for the tests on a port of its own; and no
network. Like a Pi Zero 2 W it has half a gigabyte and the Cortex-A53, if but two of them.
"""

import os
import secrets
import socket
import subprocess
import time
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Self

from tests.pi.card import Card, short
from tests.pi.device_tree import device_tree
from tests.pi.kernel import kernel
from tests.pi.rights import Failed, as_root, install
from tests.pi.tree import Tree

BOARD = ("-machine", "virt", "-cpu", "cortex-a53", "-smp", "2", "-m", "512", "-nic", "none")

SIZE = "1800M"
"""Of the disk; the file of it is sparse."""

BOOT_LIMIT = 300.0
"""Seconds; it takes 20 to 40 on two cores."""

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
"""Units that have nothing to do with the box, and take time to emulate."""

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
    """The machine did not do in time what it should; the message ends with its log."""


class Answer(NamedTuple):
    """What a command in the machine's shell came to."""

    status: int
    said: str


def prepare(tree: Tree) -> None:
    """Make a tree ready to boot here: its file systems, its log, the tests' shell."""
    tree.write("/etc/fstab", "/dev/vda / ext4 rw,noatime,data=ordered 0 0\n")
    tree.write("/etc/hostname", "tellerbox\n")
    # Without one, systemd takes the boot for the first ever and sets up all units anew.
    tree.write("/etc/machine-id", secrets.token_hex(16) + "\n")
    tree.write("/etc/systemd/journald.conf.d/console.conf", JOURNAL)
    tree.write("/etc/systemd/system/test-shell.service", SHELL_UNIT)
    tree.run("systemctl", "enable", "test-shell.service")
    tree.run("systemctl", "mask", *NOT_NEEDED)


def make_image(tree: Tree, image: Path) -> None:
    """Turn a tree into a root file system: ext4 with its journal, mke2fs's own defaults."""
    install(e2fsprogs="mke2fs")
    image.unlink(missing_ok=True)
    words = ("mke2fs", "-q", "-t", "ext4", "-L", "root", "-d", tree.root, image, SIZE)
    as_root("env", "PATH=/usr/sbin:/sbin:/usr/bin:/bin", *words)
    as_root("chown", f"{os.getuid()}:{os.getgid()}", image)


class Machine:
    """A computer that is on from the beginning of the block to its end."""

    def __init__(self, disk: Path | Card, folder: Path) -> None:
        self.log = folder / "boot.log"
        self._disk = disk
        self._uart, self._port = folder / "uart", folder / "shell"
        self._tree, self._ram_disk = folder / "device-tree", folder / "ram-disk"
        self._on: subprocess.Popen[bytes] | None = None
        self._shell: socket.socket | None = None

    def __enter__(self) -> Self:
        install(qemu_system_arm="qemu-system-aarch64")
        for path in (self.log, self._uart, self._port):
            path.unlink(missing_ok=True)
        self._on = subprocess.Popen(self._command(), stdin=subprocess.DEVNULL)
        # Connected before it boots: a port that nobody listens to reads as ended.
        self._shell = self._connect(self._port)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        mistake: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._shell is not None:
            self._shell.close()
        self.pull_the_plug()

    def _command(self) -> tuple[str, ...]:
        program = kernel(self._ram_disk)
        return (
            *("qemu-system-aarch64", *BOARD, "-dtb", str(device_tree(BOARD, self._tree))),
            *("-display", "none", "-monitor", "none", "-no-reboot"),
            *("-kernel", str(program.image), "-initrd", str(program.ram_disk)),
            *("-append", "console=hvc0 panic=-1 audit=0 quiet"),
            # A Pi has no clock of its own: each start is at the same hour, as far as it knows.
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
        if isinstance(self._disk, Card):
            where = f"driver=nbd,server.type=unix,server.path={short(self._disk.path)}"
        else:
            # Write-back, as is the default: what the machine has written lies in this host's
            # memory at least, where killing the emulator does not reach it, and a flush takes
            # it to the host's disk. The kill loses what the machine had in its own memory.
            where = f"driver=file,filename={self._disk},cache.direct=off"
        drive = ("-blockdev", f"{where},node-name=disk")
        return (*drive, "-device", "virtio-blk-pci,drive=disk")

    # Its plug

    def pull_the_plug(self) -> None:
        """Nothing is told, nothing is written: the emulator is gone at once, and for good."""
        if self._on is not None:
            self._on.kill()
            self._on.wait()

    # Its lines

    def uart(self) -> socket.socket:
        """The other end of /dev/ttyAMA0."""
        return self._connect(self._uart)

    def shell(self, command: str, limit: float = BOOT_LIMIT) -> Answer:
        """What a root shell in the machine makes of a command, once it is up."""
        assert self._shell is not None, "the machine is off"
        mark = secrets.token_hex(8)
        whole = f"{{ {command}\n}} 2>&1 </dev/null; status=$?; echo; echo {mark} $status\n"
        self._shell.sendall(whole.encode())
        return self._shell_answer(mark.encode(), time.monotonic() + limit)

    def _shell_answer(self, mark: bytes, until: float) -> Answer:
        assert self._shell is not None
        said = b""
        while True:
            before, found, after = said.partition(b"\n" + mark + b" ")
            if found and after.endswith(b"\n"):
                return Answer(int(after), before.decode(errors="replace"))
            self._shell.settimeout(max(0.1, until - time.monotonic()))
            try:
                part = self._shell.recv(65536)
            except TimeoutError:
                raise self.stuck("the shell did not answer", said) from None
            if not part:
                raise self.stuck("the machine went off", said)
            said += part

    def _connect(self, path: Path) -> socket.socket:
        line = socket.socket(socket.AF_UNIX)
        until = time.monotonic() + 30
        while True:
            try:
                line.connect(short(path))
                return line
            except (FileNotFoundError, ConnectionRefusedError):
                if self._on is None or self._on.poll() is not None or time.monotonic() > until:
                    raise self.stuck("the emulator did not start") from None
                time.sleep(0.05)

    def stuck(self, what: str, said: bytes = b"") -> Stuck:
        log = self.log.read_text(errors="replace") if self.log.exists() else ""
        last = "\n".join(log.splitlines()[-40:])
        return Stuck(f"{what}; it had said {said[-2000:]!r}\nThe last of its log:\n{last}")
