"""Starts a box on what survived a power cut, and checks its ledger."""

import hashlib
import os
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import NamedTuple

from firmware.bank.ledger import Ledger
from firmware.bank.records import JournalFailed
from firmware.storage.audit import audit
from firmware.storage.ledger_file import LedgerRefused, opened_by_box
from tests.campaign.disk.surface import Image
from tests.campaign.ledger_faults.evening import BANKING, LEDGER

TABLES = ("game", "posting", "card", "event", "setting")
"""The tables that record events; all other contents are derived from them."""
MEMORY = "/dev/shm"


class RecoveryResult(NamedTuple):
    """What the box found."""

    state: str
    """A digest of every row."""
    postings: int
    faults: tuple[str, ...]


@contextmanager
def folder() -> Iterator[Path]:
    """A folder for a disk, in memory if possible."""
    memory = MEMORY if os.access(MEMORY, os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="tellerbox-", dir=memory) as name:
        yield Path(name)


def write_image(folder: Path, image: Image) -> None:
    """Make the folder hold exactly this image."""
    for file in folder.iterdir():
        file.unlink()
    for name, content in image.items():
        (folder / name).write_bytes(content)


def digest(image: Image) -> bytes:
    sha = hashlib.sha1()
    for name, content in image.items():
        sha.update(f"{name} {len(content)} ".encode())
        sha.update(content)
    return sha.digest()


class RecoveryCheck:
    """Starts a box on surviving disks; identical disks are checked once."""

    def __init__(self, folder: Path, backup: str = "") -> None:
        """``backup`` is a file of an older format that must exist once the ledger is open."""
        self._folder = folder
        self._backup = backup
        self._audits: dict[bytes, RecoveryResult] = {}
        """Audits by the digest of the ledger's bytes."""
        self._results: dict[bytes, RecoveryResult] = {}
        """Results by the digest of the disk's files."""

    def check(self, image: Image) -> RecoveryResult:
        """What a box finds on this disk."""
        key = digest(image)
        if key not in self._results:
            self._results[key] = self._start_box(image)
        return self._results[key]

    @property
    def distinct(self) -> int:
        """The number of distinct disks checked."""
        return len(self._results)

    def _start_box(self, image: Image) -> RecoveryResult:
        """Open, read and audit the ledger as the firmware does."""
        write_image(self._folder, image)
        path = self._folder / LEDGER
        try:
            with opened_by_box(path) as store:
                found = self._audit(path)
                if (
                    found.state != EMPTY
                    and found.postings != Ledger(store, BANKING).state.last_posting
                ):
                    return found._replace(faults=("the box does not have the newest posting",))
        except (LedgerRefused, JournalFailed) as error:
            return RecoveryResult("", 0, (str(error),))
        if self._backup and not _is_intact(self._folder / self._backup):
            return found._replace(faults=(f"{self._backup} is missing or damaged",))
        return found

    def _audit(self, path: Path) -> RecoveryResult:
        """The audit depends only on the ledger's bytes including its log."""
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            content = hashlib.sha1(connection.serialize()).digest()
            if content not in self._audits:
                faults = [fault for finding in audit(connection) for fault in finding.faults]
                postings = connection.execute("SELECT count(*) FROM posting").fetchone()[0]
                self._audits[content] = RecoveryResult(
                    state_of(connection), postings, tuple(faults)
                )
            return self._audits[content]


def _is_intact(backup: Path) -> bool:
    """Whether the backup is a sound ledger of format 1."""
    if not backup.exists():
        return False
    with closing(sqlite3.connect(backup)) as connection:
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        verdict = connection.execute("PRAGMA integrity_check").fetchall()
        (postings,) = connection.execute("SELECT count(*) FROM posting").fetchone()
        return version == 1 and verdict == [("ok",)] and postings > 0


def state_of(connection: sqlite3.Connection) -> str:
    rows = [connection.execute(f"SELECT * FROM {table} ORDER BY 1").fetchall() for table in TABLES]
    return hashlib.sha1(repr(rows).encode()).hexdigest()


EMPTY = hashlib.sha1(repr([[] for _ in TABLES]).encode()).hexdigest()
"""The state of an empty ledger."""
