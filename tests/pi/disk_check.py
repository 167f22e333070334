"""What is on a disk after the plug was pulled, looked at from outside and before any boot."""

import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from tests.pi.installed import copy_of
from tests.pi.rights import install

LEDGER = "/var/lib/tellerbox/box-scratch.db"
SBIN = {"PATH": "/usr/sbin:/sbin:/usr/bin:/bin", "LC_ALL": "C"}

# The totals in the superblock are not kept while a file system is in use: whoever mounts it
# sums up its groups, and e2fsck does not call a file system with other totals damaged.
TOTALS = re.compile(
    r"^Free (blocks|inodes) count wrong \(\d+, counted=\d+\)\.\nFix\? no\n\n?", re.M
)
USUAL = re.compile(r"^(e2fsck \d.*|Pass \d.*|.*: \d+/\d+ files .* blocks|)$")


class Verdict(NamedTuple):
    """What was found."""

    repairs: str
    """What the file system needs beyond its journal, in e2fsck's words; nothing if nothing."""
    ledger: str
    """What is wrong with the ledger; nothing if nothing."""


def look_at(disk: Path, folder: Path) -> Verdict:
    """On a copy: the journal is replayed, then nothing may be left to repair."""
    install(e2fsprogs="e2fsck")
    copy = copy_of(disk, folder / "aftermath")
    try:
        repairs = _repairs(copy)
        return Verdict(repairs, _ledger(copy, folder))
    finally:
        copy.unlink()


def _repairs(disk: Path) -> str:
    replayed = _run("e2fsck", "-y", "-E", "journal_only", disk)
    if replayed.returncode:
        return f"the journal could not be replayed: {replayed.stdout}"
    checked = _run("e2fsck", "-f", "-n", disk)
    said = TOTALS.sub("", checked.stdout).splitlines()
    unusual = [line for line in said if not USUAL.match(line)]
    return "\n".join(unusual) if unusual or not checked.returncode else checked.stdout


def _ledger(disk: Path, folder: Path) -> str:
    """What `tellerbox ledger verify` says of the ledger and its log, as they lie there."""
    ledger = folder / "ledger.db"
    for end in ("", "-wal", "-shm"):
        ledger.with_name(ledger.name + end).unlink(missing_ok=True)
    for end in ("", "-wal"):
        _run("debugfs", "-R", f"dump {LEDGER}{end} {ledger}{end}", disk)
    if not ledger.exists():
        return f"there is no {LEDGER}"
    verify = (sys.executable, "-m", "firmware", "ledger", "--ledger", ledger, "verify")
    done = subprocess.run(verify, capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else done.stdout + done.stderr


def _run(*words: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        words, env=SBIN, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False
    )
