"""The connection to a ledger's database, and its recovery when the outcome of a write is uncertain.

Some failures are certain: another program held a lock, or a constraint failed. But a failed write
or sync may still leave the rows on disk, and the connection may not see what the next start would
see. So the rows are looked up in a copy that is recovered as at the next start. If they are
missing, the write has failed. If they are there, the database is closed and reopened as after a
power cut, and the rows are made durable: the write has succeeded. If the disk allows none of
this, the ledger is in doubt, and the recovery is retried before the next access.

The connection may also be a read-only copy, because the disk refuses writes. It is replaced by
the file itself before the next write, or as soon as another program has written to the file.

Tests: tests/unit/firmware/storage/test_store.py.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from typing import Any, NamedTuple, Protocol

Fingerprint = tuple[object, ...]
"""Changes whenever a file is written."""


class LedgerLocation(Protocol):
    """A ledger file that can be reopened."""

    def open(self) -> sqlite3.Connection:
        """Open it for writing, with a durable log. Raises sqlite3.Error."""

    def recovered_copy(self) -> sqlite3.Connection:
        """A read-only copy, as the next start would find the ledger. Raises sqlite3.Error."""

    def fingerprint(self) -> Fingerprint:
        """Cheap to determine."""


class RowQuery(NamedTuple):
    """A query that finds one row, or nothing."""

    query: str
    values: tuple[Any, ...]

    def matches_in(self, connection: sqlite3.Connection) -> bool:
        return bool(connection.execute(*self).fetchall())


class LedgerConnection:
    """One connection at a time to the same file."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        location: LedgerLocation | None = None,
        *,
        copy_of: Fingerprint | None = None,
    ) -> None:
        """Without a location, in memory, every failure counts as certain.

        For a read-only copy, ``copy_of`` is the file's fingerprint before it was copied.
        """
        self.connection = connection
        self._location = location
        self._copy_of = copy_of
        self._must_reopen = copy_of is not None
        self._newest_row: RowQuery | None = None
        """The last row that the current transaction has written or attempted."""
        self._uncertain_row: RowQuery | None = None
        """The last row of a transaction whose outcome is uncertain."""
        self.times_opened = 1
        self._is_locked = False
        """Whether the next transaction has begun already, in ``locked``."""

    @property
    def in_doubt(self) -> bool:
        """Whether it is uncertain if the newest rows are on disk."""
        return self._uncertain_row is not None

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Commits at the end. After an sqlite3.Error nothing is on disk, unless ``in_doubt``."""
        locked, self._is_locked = self._is_locked, False
        if not locked:
            self.reopen_if_needed()
        self._newest_row = None
        try:
            if not locked:
                self.connection.execute("BEGIN IMMEDIATE")
            yield
            self.connection.execute("COMMIT")
        except sqlite3.Error as error:
            if not self._was_committed_anyway(error):
                raise

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keeps other programs from writing until the first transaction ends.

        Raises sqlite3.Error if another program writes for too long.
        """
        self.reopen_if_needed()
        self.connection.execute("BEGIN IMMEDIATE")
        self._is_locked = True
        try:
            yield
        finally:
            if self._is_locked:
                self._is_locked = False
                self._roll_back()

    def _roll_back(self) -> None:
        with suppress(sqlite3.Error):
            self.connection.rollback()

    def insert(self, statement: str, values: tuple[Any, ...], query: RowQuery) -> None:
        """Write one row in a transaction; the query finds it again."""
        self._newest_row = query
        self.connection.execute(statement, values)

    def _was_committed_anyway(self, error: sqlite3.Error) -> bool:
        """Roll back, then check whether the next start would find the newest row."""
        self._roll_back()
        if self._location is None:
            return False
        # SQLite's primary error code; 0 for errors that do not come from SQLite.
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        # This connection would stay read-only, even when the disk accepts writes again.
        self._must_reopen = code == sqlite3.SQLITE_READONLY
        blocked = code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
        is_certain = blocked or isinstance(error, sqlite3.IntegrityError)
        newest = self._newest_row
        if is_certain or newest is None or not _survives_restart(self._location, newest):
            return False
        self._must_reopen, self._uncertain_row = True, newest
        return self.reopen_if_needed()

    def reopen_if_needed(self) -> bool:
        """True if the row that was in doubt is on disk.

        Raises sqlite3.Error if the file cannot be reopened yet.
        """
        if not self._must_reopen:
            return False
        assert self._location, "this database has no file to reopen"
        if self.in_doubt:
            # The old connection's view must not survive, as after a power cut.
            self.connection.close()
        self._switch_to(self._location.open())
        found = self._uncertain_row is not None and self._confirm(self._uncertain_row)
        self._copy_of, self._uncertain_row, self._must_reopen = None, None, False
        return found

    def _switch_to(self, connection: sqlite3.Connection) -> None:
        before, self.connection = self.connection, connection
        before.close()
        self.times_opened += 1

    def refresh_copy(self) -> None:
        """Replace a stale read-only copy. Raises sqlite3.Error."""
        if self._copy_of is None:
            return
        assert self._location, "a copy without the location of its file"
        if self._location.fingerprint() == self._copy_of:
            return
        try:
            self.reopen_if_needed()
        except sqlite3.Error:
            fingerprint = self._location.fingerprint()
            self._switch_to(self._location.recovered_copy())
            self._copy_of = fingerprint

    def _confirm(self, row: RowQuery) -> bool:
        """Whether the row is there. The answer is made final by one more commit.

        While another program reads the ledger, its log may end with rows that are invisible now
        but that the next start would find. The commit overwrites them.
        """
        found = row.matches_in(self.connection)
        (version,) = self.connection.execute("PRAGMA user_version").fetchone()
        self.connection.execute(f"PRAGMA user_version = {version}")
        return found


def _survives_restart(location: LedgerLocation, row: RowQuery) -> bool:
    """Whether the next start would find a row; True if that cannot be determined."""
    try:
        with closing(location.recovered_copy()) as found:
            return row.matches_in(found)
    except sqlite3.Error:
        return True
