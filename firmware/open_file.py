"""A ledger's database, open; asked anew when a write failed and nobody knows what came of it.

Some failures are certain: another program was in the way, or a rule of the tables was broken.
But a write or a sync that fails may leave the rows on disk all the same, and the connection's
own idea of it may not be what the next start would find. So what the next start would find is
looked up, in a copy. If the rows are not there the failure is certain, and nothing else changes.
If they are, the database is closed and opened as after a power cut, and what it then holds is
made to stay: the rows were written after all. Where the disk does not let any of that be done
the file is in doubt, and is asked again before anything else is done with it.

What is open may also be a copy to read from, because the disk takes no writes. It gives way to
the file itself before the next write, and as soon as somebody else has written to that.
"""

import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from typing import Any, NamedTuple, Protocol

Mark = tuple[object, ...]
"""What a file looks like from outside."""


class Place(Protocol):
    """Where a file lies that can be opened again and again."""

    def open(self) -> sqlite3.Connection:
        """For writing; what lies beside the file is on disk by then. Raises sqlite3.Error."""
        ...

    def as_at_the_next_start(self) -> sqlite3.Connection:
        """What somebody would find who started now, to read from; raises sqlite3.Error."""
        ...

    def mark(self) -> Mark:
        """Another one whenever somebody has written there; cheap."""
        ...


class Trace(NamedTuple):
    """How to look for a row: a query that finds it, or nothing."""

    query: str
    values: tuple[Any, ...]

    def is_in(self, connection: sqlite3.Connection) -> bool:
        return bool(connection.execute(*self).fetchall())


class OpenFile:
    """One connection at a time, to one and the same file."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        place: Place | None = None,
        *,
        copy_of: Mark | None = None,
    ) -> None:
        """Without a place, in memory, every failure is taken for certain.

        A copy to read from comes with what the file looked like before it was made.
        """
        self.connection = connection
        self._place = place
        self._copy_of = copy_of
        self._must_reopen = copy_of is not None
        self._newest: Trace | None = None
        """The last row that the transaction has written, or tried to."""
        self._sought: Trace | None = None
        """The last row of a transaction that may be on disk or not."""
        self.times_opened = 1

    @property
    def in_doubt(self) -> bool:
        """Whether the newest rows may be on disk or not."""
        return self._sought is not None

    def insert(self, statement: str, values: tuple[Any, ...], trace: Trace) -> None:
        """Write one row of a transaction, and remember how to look for it."""
        self._newest = trace
        self.connection.execute(statement, values)

    def transact(self, write: Callable[[], None]) -> None:
        """Let something be written: on return it is on disk, after an sqlite3.Error it is not.

        Unless the file is in doubt then.
        """
        self.settle()
        self._newest = None
        try:
            write()
        except sqlite3.Error as error:
            with suppress(sqlite3.Error):
                self.connection.rollback()
            if self._place is None:
                raise
            # SQLite would go on reading only, also when the disk takes writes again.
            self._must_reopen = _kind(error) == sqlite3.SQLITE_READONLY
            if _is_certain(error) or not self._would_be_found(self._place):
                raise
            self._must_reopen, self._sought = True, self._newest
            if not self.settle():
                raise

    def _would_be_found(self, place: Place) -> bool:
        """Whether the next start would find what has failed; if that cannot be told, it might."""
        if self._newest is None:
            return False
        try:
            with closing(place.as_at_the_next_start()) as found:
                return self._newest.is_in(found)
        except sqlite3.Error:
            return True

    def settle_doubt(self) -> None:
        """Before reading: what can be read may still be read where nothing can be written."""
        if self.in_doubt:
            self.settle()

    def settle(self) -> bool:
        """Open the file anew if need be; True when what was in doubt turns out to be there.

        Raises sqlite3.Error when it cannot be found out yet.
        """
        if not self._must_reopen:
            return False
        assert self._place, "this file cannot be opened anew"
        if self.in_doubt:
            # As after a power cut: nobody may go on with what the old connection knows.
            self.connection.close()
        self._take(self._place.open())
        found = self._sought is not None and self._make_sure_of(self._sought)
        self._copy_of, self._sought, self._must_reopen = None, None, False
        return found

    def _take(self, connection: sqlite3.Connection) -> None:
        before, self.connection = self.connection, connection
        before.close()
        self.times_opened += 1

    def look_again(self) -> None:
        """Let no copy be read that is of before somebody else's write; raises sqlite3.Error."""
        if self._copy_of is None:
            return
        assert self._place, "nothing says what this is a copy of"
        if self._place.mark() == self._copy_of:
            return
        try:
            self.settle()
        except sqlite3.Error:
            mark = self._place.mark()
            self._take(self._place.as_at_the_next_start())
            self._copy_of = mark

    def _make_sure_of(self, sought: Trace) -> bool:
        """Whether a row is there, and see to it that this stays so.

        As long as somebody else looks into the ledger, its log may hold rows which nobody sees,
        and which the next start would find: one more commit is written over them.
        """
        found = sought.is_in(self.connection)
        (version,) = self.connection.execute("PRAGMA user_version").fetchone()
        self.connection.execute(f"PRAGMA user_version = {version}")
        return found


def _kind(error: sqlite3.Error) -> int:
    """The error's code without its details; 0 for those that are Python's own, or ours."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF


def _is_certain(error: sqlite3.Error) -> bool:
    """Whether what failed was certainly not written."""
    in_the_way = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
    return isinstance(error, sqlite3.IntegrityError) or _kind(error) in in_the_way
