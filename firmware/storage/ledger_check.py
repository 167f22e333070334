"""Checks that a file is a ledger of a known format, complete, with valid newest rows.

Every refusal is one line, and leaves the file untouched.

Tests: tests/unit/firmware/storage/test_ledger_file.py.
"""

import os
import sqlite3
from contextlib import closing
from pathlib import Path

from firmware.bank import edition as editions
from firmware.bank.ledger import Ledger
from firmware.bank.records import JournalFailed
from firmware.storage import schema
from firmware.storage.rows import COLUMNS, ROW_ERRORS, DamagedRow
from firmware.storage.store import Store
from firmware.user_error import UserError, one_line

LOG, JOURNAL = "-wal", "-journal"
"""Suffixes of SQLite's side files: the write-ahead log and the rollback journal."""
UNREADABLE = (sqlite3.Error, UnicodeDecodeError)
"""Errors while reading a file; an SQLite message may quote text that is not UTF-8."""
_MAGIC = b"SQLite format 3\x00"
_START = 100
"""Bytes of the file's header: magic number, page size, number of pages, ..."""


class LedgerRefused(UserError):
    """A ledger cannot be used; the screen shows LEDGER ERROR.

    SQLite's messages may quote a damaged file, so the text is reduced to one printable line.
    """

    def __init__(self, sentence: str) -> None:
        super().__init__(one_line(sentence))


def must_be_initialised(path: Path, connection: sqlite3.Connection) -> None:
    if schema.version_of(connection) == 0:
        raise LedgerRefused(f"{path}: no game has been started in this ledger yet")


def has_side_file(path: Path, ending: str) -> bool:
    """Whether the file has such a side file, and that is not empty."""
    try:
        return path.with_name(path.name + ending).stat().st_size > 0
    except OSError:
        return False


def refuse_foreign_files(path: Path, descriptor: int) -> None:
    """Check the header before SQLite opens the file.

    With a log or a journal the header proves nothing: the power was cut during a write, and
    SQLite recovers the file from them.
    """
    if has_side_file(path, LOG) or has_side_file(path, JOURNAL):
        return
    try:
        start = os.pread(descriptor, _START, 0)
    except OSError as error:
        raise LedgerRefused(f"{path}: cannot be read: {error.strerror}") from None
    if start and not start.startswith(_MAGIC):
        raise LedgerRefused(f"{path}: this is not a ledger; it was left untouched")
    if start and _cut_short(os.fstat(descriptor).st_size, start):
        raise damaged(path, DamagedRow("the end of the file is missing"))


def _cut_short(size: int, start: bytes) -> bool:
    """Whether pages are missing. SQLite would read them as zeros, or the file as empty."""
    page, pages = (int.from_bytes(start[at:end], "big") for at, end in ((16, 18), (28, 32)))
    page = 65536 if page == 1 else page  # as the file format encodes it
    if len(start) < _START or page == 0:
        return True
    found, rest = divmod(size, page)
    return rest != 0 or found < pages


def check(path: Path, connection: sqlite3.Connection) -> None:
    """Refuse a file that is not a ledger, is too new, or is damaged."""
    check_version(path, connection)
    try:
        with closing(sqlite3.connect(":memory:", isolation_level=None)) as copy:
            if has_older_format(connection):
                # The migration is tried on a copy before the file itself is changed.
                connection.backup(copy)
                schema.migrate(copy)
                connection = copy
            if schema.version_of(connection) == schema.VERSION:
                _check_rows(connection)
    except (sqlite3.Error, DamagedRow, JournalFailed, *ROW_ERRORS) as error:
        raise damaged(path, error) from None


def _check_rows(connection: sqlite3.Connection) -> None:
    for fault in schema.faults(connection):
        raise DamagedRow(fault)
    store = Store(connection)
    if store.has_game():
        Ledger(store, editions.load(editions.DEFAULT))
        return
    # A box would start the first game, and fail on every number that is already taken.
    for table in COLUMNS:
        if connection.execute(f"SELECT 1 FROM {table} LIMIT 1").fetchall():
            raise DamagedRow("row 1 of table game is missing")
    store.replay()


def check_version(path: Path, connection: sqlite3.Connection) -> None:
    try:
        found = connection.execute("PRAGMA application_id").fetchone()[0]
        version = schema.version_of(connection)
        tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    except UNREADABLE as error:
        raise damaged(path, error) from None
    # No table and no version: the power was cut while the ledger was being created.
    uninitialised = tables == 0 and version == 0
    if found != schema.APPLICATION_ID and not uninitialised:
        raise LedgerRefused(f"{path}: this database is not a ledger; it was left untouched")
    if version < 0:
        raise damaged(path, DamagedRow(f"format {version} does not exist"))
    if version > schema.VERSION:
        raise LedgerRefused(
            f"{path}: this ledger was written by a newer Tellerbox (format {version}, this version "
            f"supports {schema.VERSION}); it was left untouched; update Tellerbox"
        )


def has_older_format(connection: sqlite3.Connection) -> bool:
    return 0 < schema.version_of(connection) < schema.VERSION


def damaged(path: Path, error: Exception) -> LedgerRefused:
    reason = schema.NOT_UTF8 if isinstance(error, UnicodeDecodeError) else error
    return _locked(path, error) or LedgerRefused(
        f"{path}: this ledger is damaged ({reason}); it was left untouched; restore a backup"
    )


def unwritable(path: Path, error: Exception) -> LedgerRefused:
    return _locked(path, error) or LedgerRefused(f"{path}: cannot be written: {error}")


def _locked(path: Path, error: Exception) -> LedgerRefused | None:
    codes = [getattr(found, "sqlite_errorcode", None) for found in (error, error.__cause__)]
    if not {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED} & set(codes):
        return None
    return LedgerRefused(
        f"{path}: another program has locked this ledger; close that program first"
    )
