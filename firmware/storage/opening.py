"""A ledger on its disk: opened to be written to, or copied to be looked at.

What is written is on the card when a commit returns, also when the log that was found there
was not (``left_log``). A ledger of an older format is brought up to ours by whoever may change
it; what it was is kept beside it first, for the release that wrote it would refuse what it
becomes.
"""

import os
import shutil
import sqlite3
import tempfile
from contextlib import ExitStack, closing
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from firmware import left_log, output_file, raw_file, schema
from firmware.ledger_check import (
    JOURNAL,
    LOG,
    UNREADABLE,
    LedgerRefused,
    check,
    has_older_format,
    lies_beside,
)
from firmware.mistake import Mistake
from firmware.open_file import Mark

_LOG_PAGES = 100
"""Pages in the log, two or three a move, after which SQLite carries them over."""
_PATIENCE = 1.0
"""Seconds to wait for another program's write; ours take milliseconds."""
_LOOKS = 50
"""How often a copy is begun anew because somebody has written meanwhile."""


def connection_to(path: Path, mode: str) -> sqlite3.Connection:
    # psow=0: when the power goes in the middle of a write, an SD card may spoil all of the sector
    # that it was writing, and what was written there before. So no two commits share one.
    uri = f"file:{quote(os.fsencode(path.absolute()))}?mode={mode}&psow=0"
    return sqlite3.connect(uri, uri=True, timeout=_PATIENCE, isolation_level=None)


class OnDisk(NamedTuple):
    """A ledger that somebody holds who may change it; every failure is an sqlite3.Error."""

    path: Path
    descriptor: int
    """Of the file, for as long as it is held."""
    is_held: bool = True
    """Whether its holder keeps all boxes away, or is the box."""

    def open(self) -> sqlite3.Connection:
        """Ready to be written to."""
        if not os.access(self.path, os.W_OK):
            raise sqlite3.OperationalError("the file is read-only")
        if not os.access(self.path.absolute().parent, os.W_OK):
            raise sqlite3.OperationalError("the folder is read-only")
        try:
            with ExitStack() as stack:
                return self._opened(alone=self.is_held or self._kept_from_boxes(stack))
        except UnicodeDecodeError:
            raise sqlite3.DatabaseError(schema.NO_TEXT) from None
        except (OSError, Mistake) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise sqlite3.OperationalError(reason) from None

    def _kept_from_boxes(self, stack: ExitStack) -> bool:
        """Whether no box has it open; if so, none comes meanwhile."""
        try:
            stack.enter_context(raw_file.locked(self.path))
        except BlockingIOError:
            return False
        return True

    def _opened(self, *, alone: bool) -> sqlite3.Connection:
        """The log of a box that is running is that box's own business."""
        log = self.path.with_name(self.path.name + LOG)
        if alone:
            left_log.put_back(log)
        with ExitStack() as undo:
            is_left = lies_beside(self.path, LOG)
            connection = connection_to(self.path, "rw")
            undo.callback(connection.close)
            if alone and is_left:
                connection.execute("BEGIN IMMEDIATE")  # nobody else writes to it meanwhile
                left_log.write_again(log)
                connection.rollback()
                # The log begins anew: the first commit to come shares no sector with the last.
                connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
            _prepare(self.path, connection)
            raw_file.sync_folder(self.path)
            undo.pop_all()
            return connection

    def as_at_the_next_start(self) -> sqlite3.Connection:
        """From a copy, in which nobody else keeps alive what SQLite has in memory."""
        try:
            return in_our_format(private_copy(self.path, self.descriptor))
        except LedgerRefused as refusal:
            raise sqlite3.OperationalError(str(refusal)) from None

    def mark(self) -> Mark:
        return _mark(self.path)


def _mark(path: Path) -> Mark:
    return tuple(_mark_of(path.with_name(path.name + ending)) for ending in ("", LOG, JOURNAL))


def _mark_of(path: Path) -> tuple[int, ...]:
    try:
        found = path.stat()
    except OSError:
        return ()
    return found.st_ino, found.st_size, found.st_mtime_ns


def _prepare(path: Path, connection: sqlite3.Connection) -> None:
    """Make a ledger ready to be written to: durable, and of our format."""
    if has_older_format(connection):
        _keep(path, connection)
    _make_durable(connection)
    schema.migrate(connection)


def _keep(path: Path, connection: sqlite3.Connection) -> None:
    """Beside the ledger, a checked copy that can take its place; an earlier one is replaced.

    In one file, without a log, so that a single renaming puts it back.
    """
    kept = path.with_name(f"{path.stem}.format-{schema.version_of(connection)}{path.suffix}")
    try:
        with output_file.written(kept, ledger=path, force=True) as partial:
            with closing(sqlite3.connect(partial)) as copy:
                connection.backup(copy)
                copy.execute("PRAGMA journal_mode = DELETE")
                check(partial, copy)
            shutil.copymode(path, partial)
    except Mistake as mistake:
        raise Mistake(f"a copy of its older format must be kept first, and {mistake}") from None


def _make_durable(connection: sqlite3.Connection) -> None:
    """A commit that returns is on the card.

    EXTRA is FULL in a write-ahead log, and where a file system allows no such log
    it also syncs the folder after the journal is deleted. The log is kept short, because the
    next start reads all of it, and writes it again.
    """
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = EXTRA")
    connection.execute(f"PRAGMA wal_autocheckpoint = {_LOG_PAGES}")


def private_copy(path: Path, descriptor: int) -> sqlite3.Connection:
    """What is in the file and in what lies beside it, in memory; it refuses every write."""
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with ExitStack() as undo:
        copy = sqlite3.connect(":memory:", isolation_level=None)
        undo.callback(copy.close)
        try:
            with tempfile.TemporaryDirectory(prefix="tellerbox-", dir=memory) as folder:
                twin = Path(folder) / "ledger.db"
                for ending, content in _of_one_moment(path, descriptor).items():
                    Path(f"{twin}{ending}").write_bytes(content)
                with closing(connection_to(twin, "rw")) as found:
                    found.backup(copy)
            copy.execute("PRAGMA query_only = ON")
        except (OSError, *UNREADABLE) as error:
            raise LedgerRefused(f"{path}: cannot be read: {error}") from None
        undo.pop_all()
        return copy


def _of_one_moment(path: Path, descriptor: int) -> dict[str, bytes]:
    """What is in the file and in what lies beside it, by the ends of their names; or an OSError.

    Nobody who writes meanwhile can be kept from it here: what was written to is read again.
    """
    for _ in range(_LOOKS):
        before = _mark(path)
        found = {
            "": raw_file.content(descriptor),
            LOG: left_log.whole(path.with_name(path.name + LOG)),
            JOURNAL: raw_file.content_beside(path.with_name(path.name + JOURNAL)),
        }
        if _mark(path) == before:
            return {ending: content for ending, content in found.items() if content}
    raise OSError("somebody writes to it all the time")


def in_our_format(copy: sqlite3.Connection) -> sqlite3.Connection:
    """The same copy, brought up to date; it refuses every write all the same.

    It can be asked for rows, or an sqlite3.Error says why not.
    """
    with ExitStack() as undo:
        undo.callback(copy.close)
        copy.execute("PRAGMA query_only = OFF")
        schema.migrate(copy)
        copy.execute("PRAGMA query_only = ON")
        try:
            copy.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchall()
        except UnicodeDecodeError:
            raise sqlite3.DatabaseError(schema.NO_TEXT) from None
        undo.pop_all()
        return copy
