"""Opens a ledger file for writing, or copies it for reading.

A commit that returns is on disk, even if the log that was found was not (``wal_recovery``). A
ledger of an older format is migrated when it is opened for writing. A copy of the old format is
kept beside it, because older releases refuse the new format.
"""

import os
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, nullcontext, suppress
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from firmware.storage import file_locks, ledger_check, output_file, schema, wal_recovery
from firmware.storage.connection import Fingerprint
from firmware.storage.ledger_check import JOURNAL, LOG, LedgerRefused
from firmware.user_error import UserError

_LOG_PAGES = 100
"""Pages in the log, two or three per move, after which SQLite checkpoints it."""
_CACHE = 256
"""KiB of the file that SQLite keeps in memory; a move needs a few pages. SQLite's own limit is
2000, which a box that is never stopped fills slowly, as its ledger grows."""
_BUSY_TIMEOUT = 1.0
"""Seconds to wait for another program's write; ours take milliseconds."""
_COPY_ATTEMPTS = 50
"""How often a copy is retried because the file has changed during the copy."""


def connection_to(path: Path, mode: str) -> sqlite3.Connection:
    # psow=0: after a power cut during a write, an SD card may lose the whole sector that it was
    # writing, including earlier data. So no two commits share a sector.
    uri = f"file:{quote(os.fsencode(path.absolute()))}?mode={mode}&psow=0"
    return sqlite3.connect(uri, uri=True, timeout=_BUSY_TIMEOUT, isolation_level=None)


class DiskLocation(NamedTuple):
    """A ledger file that may be changed. Every failure is an sqlite3.Error."""

    path: Path
    descriptor: int
    """Stays open as long as this object is used."""
    is_locked: bool = True
    """Whether this process has the lock that keeps other boxes away."""

    def open(self) -> sqlite3.Connection:
        """Open it for writing."""
        if not os.access(self.path, os.W_OK):
            raise sqlite3.OperationalError("the file is read-only")
        if not os.access(self.path.absolute().parent, os.W_OK):
            raise sqlite3.OperationalError("the folder is read-only")
        try:
            with ExitStack() as stack:
                alone = self.is_locked
                if not alone:
                    # The lock keeps boxes away meanwhile, unless one is running already.
                    with suppress(BlockingIOError):
                        stack.enter_context(file_locks.locked(self.path))
                        alone = True
                return self._opened(alone=alone)
        except UnicodeDecodeError:
            raise sqlite3.DatabaseError(schema.NOT_UTF8) from None
        except (OSError, UserError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise sqlite3.OperationalError(reason) from None

    def _opened(self, *, alone: bool) -> sqlite3.Connection:
        """Leaves the log of a running box alone."""
        log = self.path.with_name(self.path.name + LOG)
        if alone:
            wal_recovery.restore(log)
        has_stale_log = alone and ledger_check.has_side_file(self.path, LOG)
        with _log_unmerged(self.path) if has_stale_log else nullcontext(), ExitStack() as undo:
            connection = connection_to(self.path, "rw")
            undo.callback(connection.close)
            if has_stale_log:
                connection.execute("BEGIN IMMEDIATE")  # keeps other writers out
                wal_recovery.rewrite(log)
                connection.rollback()
                # Restart the log: the next commit shares no sector with the last one.
                connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
            if ledger_check.has_older_format(connection):
                _keep_old_format(self.path, connection)
            _make_durable(connection)
            schema.migrate(connection)
            file_locks.sync_folder(self.path)
            undo.pop_all()
            return connection

    def recovered_copy(self) -> sqlite3.Connection:
        """Bypasses SQLite's shared memory, which other programs may keep alive."""
        try:
            return migrated(private_copy(self.path, self.descriptor))
        except LedgerRefused as refusal:
            raise sqlite3.OperationalError(str(refusal)) from None

    def fingerprint(self) -> Fingerprint:
        return _fingerprint(self.path)


@contextmanager
def _log_unmerged(path: Path) -> Iterator[None]:
    """Keeps SQLite from merging the log into the file when a connection closes.

    If the log cannot be rewritten, it may lack pages on disk. A power cut during or after the
    merge would then leave half of a commit. A read-only connection never merges a log, and while
    it is open, SQLite leaves the log alone when another connection closes.
    """
    with closing(connection_to(path, "ro")) as keeper:
        keeper.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchall()
        yield


def _fingerprint(path: Path) -> Fingerprint:
    found: list[tuple[int, ...]] = []
    for ending in ("", LOG, JOURNAL):
        try:
            file = path.with_name(path.name + ending).stat()
        except OSError:
            found.append(())
        else:
            found.append((file.st_ino, file.st_size, file.st_mtime_ns))
    return tuple(found)


def _keep_old_format(path: Path, connection: sqlite3.Connection) -> None:
    """Write a checked copy beside the ledger; an earlier one is replaced.

    It is one file without a log, so that a single rename restores it.
    """
    kept = path.with_name(f"{path.stem}.format-{schema.version_of(connection)}{path.suffix}")
    try:
        with output_file.written(kept, ledger=path, force=True) as partial:
            with closing(sqlite3.connect(partial)) as copy:
                connection.backup(copy)
                copy.execute("PRAGMA journal_mode = DELETE")
                ledger_check.check(partial, copy)
            shutil.copymode(path, partial)
    except UserError as error:
        raise UserError(f"the copy of its older format failed: {error}") from None


def _make_durable(connection: sqlite3.Connection) -> None:
    """Make every commit sync to disk before it returns, and limit the memory.

    EXTRA equals FULL with a write-ahead log. Where the file system does not support such a log,
    it also syncs the folder after the journal is deleted. The log is kept short because the next
    start reads and rewrites all of it.
    """
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = EXTRA")
    connection.execute(f"PRAGMA wal_autocheckpoint = {_LOG_PAGES}")
    connection.execute(f"PRAGMA cache_size = -{_CACHE}")


def private_copy(path: Path, descriptor: int) -> sqlite3.Connection:
    """A read-only copy, in memory, of the file and its side files."""
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with ExitStack() as undo:
        copy = sqlite3.connect(":memory:", isolation_level=None)
        undo.callback(copy.close)
        try:
            with tempfile.TemporaryDirectory(prefix="tellerbox-", dir=memory) as folder:
                copied = Path(folder) / "ledger.db"
                for ending, content in _consistent_contents(path, descriptor).items():
                    Path(f"{copied}{ending}").write_bytes(content)
                with closing(connection_to(copied, "rw")) as found:
                    found.backup(copy)
            copy.execute("PRAGMA query_only = ON")
        except (OSError, *ledger_check.UNREADABLE) as error:
            raise LedgerRefused(f"{path}: cannot be read: {error}") from None
        undo.pop_all()
        return copy


def _consistent_contents(path: Path, descriptor: int) -> dict[str, bytes]:
    """The contents of the file and its side files, by suffix. Raises OSError.

    Writers cannot be locked out here, so files that change during the copy are read again.
    """
    for _ in range(_COPY_ATTEMPTS):
        before = _fingerprint(path)
        found = {
            "": file_locks.content(descriptor),
            LOG: wal_recovery.recovered(path.with_name(path.name + LOG)),
            JOURNAL: file_locks.side_file_content(path.with_name(path.name + JOURNAL)),
        }
        if _fingerprint(path) == before:
            return {ending: content for ending, content in found.items() if content}
    raise OSError("another program keeps writing to it")


def migrated(copy: sqlite3.Connection) -> sqlite3.Connection:
    """Migrate a copy; it stays read-only. Raises sqlite3.Error if it cannot be read."""
    with ExitStack() as undo:
        undo.callback(copy.close)
        copy.execute("PRAGMA query_only = OFF")
        schema.migrate(copy)
        copy.execute("PRAGMA query_only = ON")
        try:
            copy.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchall()
        except UnicodeDecodeError:
            raise sqlite3.DatabaseError(schema.NOT_UTF8) from None
        undo.pop_all()
        return copy
