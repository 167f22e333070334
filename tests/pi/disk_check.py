"""Checks the file system and the ledger on a disk after a power cut, before the next boot."""

import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from tests.pi.installed import copy_of
from tests.pi.rights import install

LEDGER = "/var/lib/tellerbox/box-scratch.db"
SBIN = {"PATH": "/usr/sbin:/sbin:/usr/bin:/bin", "LC_ALL": "C"}

# Wrong totals in the superblock are not damage: the kernel does not update them while the
# file system is mounted, and recomputes them at the next mount.
WRONG_TOTALS = re.compile(
    r"^Free (blocks|inodes) count wrong \(\d+, counted=\d+\)\.\nFix\? no\n\n?", re.M
)
EXPECTED = re.compile(r"^(e2fsck \d.*|Pass \d.*|.*: \d+/\d+ files .* blocks|)$")


class DiskCheck(NamedTuple):
    repairs: str
    """The damage that e2fsck finds after the journal was replayed, or an empty string."""
    ledger: str
    """What is wrong with the ledger, or an empty string."""


def check(disk: Path, folder: Path) -> DiskCheck:
    """Replay the journal on a copy, then check the file system and the ledger."""
    install(e2fsprogs="e2fsck")
    copy = copy_of(disk, folder / "disk_check")
    try:
        repairs = _repairs(copy)
        return DiskCheck(repairs, _ledger(copy, folder))
    finally:
        copy.unlink()


def _repairs(disk: Path) -> str:
    replayed = _run("e2fsck", "-y", "-E", "journal_only", disk)
    if replayed.returncode:
        return f"the journal could not be replayed: {replayed.stdout}"
    checked = _run("e2fsck", "-f", "-n", disk)
    lines = WRONG_TOTALS.sub("", checked.stdout).splitlines()
    unexpected = [line for line in lines if not EXPECTED.match(line)]
    return "\n".join(unexpected) if unexpected or not checked.returncode else checked.stdout


def _ledger(disk: Path, folder: Path) -> str:
    """Extract the ledger and its WAL, and return the errors of `tellerbox ledger verify`."""
    ledger = folder / "ledger.db"
    for suffix in ("", "-wal", "-shm"):
        ledger.with_name(ledger.name + suffix).unlink(missing_ok=True)
    for suffix in ("", "-wal"):
        _run("debugfs", "-R", f"dump {LEDGER}{suffix} {ledger}{suffix}", disk)
    if not ledger.exists():
        return f"{LEDGER} is missing"
    verify = (sys.executable, "-m", "firmware", "ledger", "--ledger", ledger, "verify")
    done = subprocess.run(verify, capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else done.stdout + done.stderr


def _run(*command: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, env=SBIN, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False
    )
