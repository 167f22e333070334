"""What makes a file a ledger: it is ours, not too new, whole, and its newest rows make sense.

Every refusal is one sentence, and leaves the file as it was.
"""

import os
import sqlite3
from contextlib import closing
from pathlib import Path

from firmware import edition as editions
from firmware import schema
from firmware.ledger import Ledger
from firmware.mistake import Mistake, one_line
from firmware.records import JournalFailed
from firmware.rows import COLUMNS, NONSENSE, Damaged
from firmware.store import Store

LOG, JOURNAL = "-wal", "-journal"
"""What SQLite keeps beside the file: what is not in it yet, or what was in it before."""
UNREADABLE = (sqlite3.Error, UnicodeDecodeError)
"""What looking into a file may raise: SQLite's words may quote a text that is none."""
_MAGIC = b"SQLite format 3\x00"
_START = 100
"""Bytes of the file's header: the magic, the size of a page, how many pages there are, ..."""


class LedgerRefused(Mistake):
    """A ledger that cannot be used; a box that has a screen shows LEDGER ERROR.

    What SQLite says of a damaged file may quote it, and is made one line that can be printed.
    """

    def __init__(self, sentence: str) -> None:
        super().__init__(one_line(sentence))


def must_exist(path: Path) -> None:
    try:
        path.stat()
    except FileNotFoundError:
        raise LedgerRefused(
            f"{path}: there is no such ledger; a box makes one when it starts"
        ) from None
    except OSError as error:
        raise LedgerRefused(f"{path}: cannot be read: {error.strerror}") from None


def must_be_begun(path: Path, connection: sqlite3.Connection) -> None:
    if schema.version_of(connection) == 0:
        raise LedgerRefused(f"{path}: no game has been started in it yet")


def lies_beside(path: Path, ending: str) -> bool:
    """Whether SQLite has left something beside the file."""
    try:
        return path.with_name(path.name + ending).stat().st_size > 0
    except OSError:
        return False


def refuse_strange_files(path: Path, descriptor: int) -> None:
    """Look at the first bytes, before SQLite does anything with the file.

    With a log or a journal beside it they say nothing: the power went in the middle of a write,
    and SQLite knows what is to be there, or was there before.
    """
    if lies_beside(path, LOG) or lies_beside(path, JOURNAL):
        return
    try:
        start = os.pread(descriptor, _START, 0)
    except OSError as error:
        raise LedgerRefused(f"{path}: cannot be read: {error.strerror}") from None
    if start and not start.startswith(_MAGIC):
        raise LedgerRefused(f"{path}: this is not a ledger; it was left untouched")
    if start and _cut_short(os.fstat(descriptor).st_size, start):
        raise damaged(path, Damaged("its end is missing"))


def _cut_short(size: int, start: bytes) -> bool:
    """SQLite reads what is missing as zeros, and less than a page as an empty database."""
    page, pages = (int.from_bytes(start[at:end], "big") for at, end in ((16, 18), (28, 32)))
    page = 65536 if page == 1 else page  # the file format's own way to write it
    if len(start) < _START or page == 0:
        return True
    found, rest = divmod(size, page)
    return rest != 0 or found < pages


def check(path: Path, connection: sqlite3.Connection) -> None:
    """Refuse a ledger that is not ours, too new, or damaged."""
    check_version(path, connection)
    try:
        with closing(sqlite3.connect(":memory:", isolation_level=None)) as copy:
            if has_older_format(connection):
                # What an older format says is read in ours, before the file itself is touched.
                connection.backup(copy)
                schema.migrate(copy)
                connection = copy
            if schema.version_of(connection) == schema.VERSION:
                _check_rows(connection)
    except (sqlite3.Error, Damaged, JournalFailed, *NONSENSE) as error:
        raise damaged(path, error) from None


def _check_rows(connection: sqlite3.Connection) -> None:
    for fault in schema.faults(connection):
        raise Damaged(fault)
    store = Store(connection)
    if store.has_game():
        Ledger(store, editions.load(editions.DEFAULT))
    else:
        _refuse_rows_of_no_game(connection)
        store.replay()


def _refuse_rows_of_no_game(connection: sqlite3.Connection) -> None:
    """A box would begin with the first game, and never get past the rows that are there."""
    for table in COLUMNS:
        if connection.execute(f"SELECT 1 FROM {table} LIMIT 1").fetchall():
            raise Damaged("row 1 of table game is missing")


def check_version(path: Path, connection: sqlite3.Connection) -> None:
    try:
        found = connection.execute("PRAGMA application_id").fetchone()[0]
        version = schema.version_of(connection)
        tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    except UNREADABLE as error:
        raise damaged(path, error) from None
    # No table and no version: the power went while the ledger was being made.
    unborn = tables == 0 and version == 0
    if found != schema.APPLICATION_ID and not unborn:
        raise LedgerRefused(f"{path}: this database is not a ledger; it was left untouched")
    if version < 0:
        raise damaged(path, Damaged(f"there is no format {version}"))
    if version > schema.VERSION:
        raise LedgerRefused(
            f"{path}: this ledger was written by a newer Tellerbox (format {version}, this one "
            f"knows {schema.VERSION}); it was left untouched"
        )


def has_older_format(connection: sqlite3.Connection) -> bool:
    return 0 < schema.version_of(connection) < schema.VERSION


def damaged(path: Path, error: Exception) -> LedgerRefused:
    reason = schema.NO_TEXT if isinstance(error, UnicodeDecodeError) else error
    return _locked(path, error) or LedgerRefused(
        f"{path}: this ledger is damaged ({reason}); it was left untouched"
    )


def unwritable(path: Path, error: Exception) -> LedgerRefused:
    return _locked(path, error) or LedgerRefused(f"{path}: cannot be written: {error}")


def _locked(path: Path, error: Exception) -> LedgerRefused | None:
    codes = [getattr(found, "sqlite_errorcode", None) for found in (error, error.__cause__)]
    if not {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED} & set(codes):
        return None
    return LedgerRefused(f"{path}: another program has locked this ledger")
