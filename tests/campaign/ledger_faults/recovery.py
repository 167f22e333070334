"""After the cut: what survived is put into a folder, and the box is switched on there."""

import hashlib
import os
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import NamedTuple

from firmware.audit import audit
from firmware.ledger import Ledger
from firmware.ledger_file import LedgerRefused, held_by_box
from firmware.records import JournalFailed
from sim.disk.surface import Image
from tests.faults.evening import BANKING, LEDGER

TABLES = ("game", "posting", "card", "event", "setting")
"""What has happened; whatever else a ledger keeps it derives from that."""
MEMORY = "/dev/shm"


class Aftermath(NamedTuple):
    """What the box found."""

    state: str
    """A digest of every row."""
    postings: int
    faults: tuple[str, ...]


@contextmanager
def folder() -> Iterator[Path]:
    """A folder for a disk, in memory where there is a file system there."""
    memory = MEMORY if os.access(MEMORY, os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="tellerbox-", dir=memory) as name:
        yield Path(name)


def lay_out(folder: Path, image: Image) -> None:
    """The folder holds this and nothing else."""
    for file in folder.iterdir():
        file.unlink()
    for name, content in image.items():
        (folder / name).write_bytes(content)


def digest(image: Image) -> bytes:
    whole = hashlib.sha1()
    for name, content in image.items():
        whole.update(f"{name} {len(content)} ".encode())
        whole.update(content)
    return whole.digest()


class Bench:
    """Where surviving disks are looked at."""

    def __init__(self, folder: Path, kept: str = "") -> None:
        """Beside the ledger, once it is open, a file of an older format may have to be."""
        self._folder = folder
        self._kept = kept
        self._sound: dict[bytes, Aftermath] = {}
        """What was found in ledgers with these very bytes."""
        self._seen: dict[bytes, Aftermath] = {}
        """What was found on disks with these very files."""

    def looked_at(self, image: Image) -> Aftermath:
        """What a box finds there; a disk that is like one before is not opened once more."""
        key = digest(image)
        if key not in self._seen:
            self._seen[key] = self._switched_on(image)
        return self._seen[key]

    @property
    def different(self) -> int:
        """How many disks have been looked at that differed from all others."""
        return len(self._seen)

    def _switched_on(self, image: Image) -> Aftermath:
        """As the firmware finds it: opened, read, and audited row by row."""
        lay_out(self._folder, image)
        path = self._folder / LEDGER
        try:
            with held_by_box(path) as store:
                found = self._audited(path)
                if found.state != NOTHING and found.postings != Ledger(store, BANKING).last_posting:
                    return found._replace(faults=("the box does not know the newest posting",))
        except (LedgerRefused, JournalFailed) as error:
            return Aftermath("", 0, (str(error),))
        if self._kept and not _is_whole(self._folder / self._kept):
            return found._replace(faults=("what the ledger was before is not kept",))
        return found

    def _audited(self, path: Path) -> Aftermath:
        """The audit reads nothing but the ledger's bytes, its log taken in."""
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            content = hashlib.sha1(connection.serialize()).digest()
            if content not in self._sound:
                faults = [fault for finding in audit(connection) for fault in finding.faults]
                postings = connection.execute("SELECT count(*) FROM posting").fetchone()[0]
                self._sound[content] = Aftermath(state_of(connection), postings, tuple(faults))
            return self._sound[content]


def _is_whole(kept: Path) -> bool:
    """Whether there is a ledger of the format that it was of."""
    if not kept.exists():
        return False
    with closing(sqlite3.connect(kept)) as connection:
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        verdict = connection.execute("PRAGMA integrity_check").fetchall()
        (postings,) = connection.execute("SELECT count(*) FROM posting").fetchone()
        return version == 1 and verdict == [("ok",)] and postings > 0


def state_of(connection: sqlite3.Connection) -> str:
    rows = [connection.execute(f"SELECT * FROM {table} ORDER BY 1").fetchall() for table in TABLES]
    return hashlib.sha1(repr(rows).encode()).hexdigest()


NOTHING = hashlib.sha1(repr([[] for _ in TABLES]).encode()).hexdigest()
"""The state of a ledger without a row."""
