"""The store: the ledger's records as rows of SQLite, durable before anybody sees them.

Each row carries a seal, a checksum over what it says. SQLite notices a torn page
but not a flipped bit inside one; an SD card that lies about a balance is found
out here, when the row is read. Identity numbers have no gaps, so a row that went
missing is found out too, and two programs that append at once cannot both win.
"""

import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any
from zlib import crc32

from firmware import edition as editions
from firmware import schema
from firmware.ledger import (
    CardForgotten,
    CardKnown,
    GameStarted,
    JournalFailed,
    Posting,
    Purpose,
    Record,
    ReplacementAsked,
    VolumeSet,
)
from firmware.mistake import Mistake

Row = tuple[Any, ...]

_COLUMNS = {
    "game": "id, edition, first_posting, at",
    "posting": "id, game, payer, payee, amount, purpose, reverses, at",
    "card": "id, what, number, uid, at",
}
_INSERT = {
    table: f"INSERT INTO {table} ({columns}, seal) "
    f"VALUES ({', '.join('?' * (columns.count(',') + 2))})"
    for table, columns in _COLUMNS.items()
}


class Damaged(Exception):
    """A row does not say what was once written into it."""


NONSENSE = (ValueError, TypeError, KeyError, AssertionError, Mistake)
"""What else a row can raise when it was sealed, but not by us."""


def seal(table: str, row: Row) -> int:
    """The checksum of a row."""
    return crc32(repr((table, *row)).encode())


def rows(
    connection: sqlite3.Connection, table: str, where: str = "", *values: int
) -> Iterator[Row]:
    """The rows of a table in order, each checked against its seal."""
    query = f"SELECT {_COLUMNS[table]}, seal FROM {table} {where} ORDER BY id"
    for *row, sealed in connection.execute(query, values):
        if seal(table, tuple(row)) != sealed:
            raise Damaged(f"row {row[0]} of table {table} is not what was written")
        yield tuple(row)


def posting_of(row: Row) -> Posting:
    number, game, payer, payee, amount, purpose, reverses, _at = row
    return Posting(number, game, payer, payee, amount, Purpose(purpose), reverses)


class Store:
    """A journal in an SQLite database that is already open and of our version."""

    def __init__(
        self, connection: sqlite3.Connection, wall_clock: Callable[[], float] = time.time
    ) -> None:
        self._connection = connection
        # Written beside each row for people to read; nothing depends on it being right.
        self._wall_clock = wall_clock
        self._version_seen = self._data_version()

    @classmethod
    def in_memory(cls, wall_clock: Callable[[], float] = time.time) -> "Store":
        """A store that lasts as long as the object, for scripts and tests."""
        connection = sqlite3.connect(":memory:", isolation_level=None)
        schema.migrate(connection)
        return cls(connection, wall_clock)

    def has_game(self) -> bool:
        return bool(self._connection.execute("SELECT 1 FROM game LIMIT 1").fetchall())

    def append(self, *records: Record) -> None:
        at = int(self._wall_clock())
        try:
            if len(records) == 1:
                self._insert(records[0], at)
                return
            self._connection.execute("BEGIN IMMEDIATE")
            for record in records:
                self._insert(record, at)
            self._connection.execute("COMMIT")
        except sqlite3.Error as error:
            self._roll_back()
            raise JournalFailed(str(error)) from error

    def _roll_back(self) -> None:
        """Leave no transaction open, on a disk that may refuse even that."""
        try:
            self._connection.rollback()
        except sqlite3.Error:
            return

    def _insert(self, record: Record, at: int) -> None:
        match record:
            case Posting():
                row: Row = (
                    record.id,
                    record.game,
                    record.payer,
                    record.payee,
                    record.amount,
                    record.purpose.value,
                    record.reverses,
                    at,
                )
                self._insert_row("posting", row)
            case GameStarted():
                source = record.edition.source
                self._insert_row("game", (record.game, source, record.first_posting, at))
            case CardKnown():
                self._insert_card("known", record.number, record.uid.hex(), at)
            case CardForgotten():
                self._insert_card("forgotten", record.number, None, at)
            case ReplacementAsked():
                self._insert_card("replacement", record.number, None, at)
            case VolumeSet():
                self._connection.execute(
                    "INSERT OR REPLACE INTO setting VALUES ('volume', ?)", (record.level,)
                )

    def _insert_card(self, what: str, number: int, uid: str | None, at: int) -> None:
        newest = "SELECT coalesce(max(id), 0) FROM card"
        last = self._connection.execute(newest).fetchone()[0]
        self._insert_row("card", (last + 1, what, number, uid, at))

    def _insert_row(self, table: str, row: Row) -> None:
        self._connection.execute(_INSERT[table], (*row, seal(table, row)))

    def replay(self) -> Iterable[Record]:
        try:
            return list(self._records())
        except (sqlite3.Error, Damaged, *NONSENSE) as error:
            raise JournalFailed(str(error)) from error

    def _records(self) -> Iterator[Record]:
        """The newest game, its postings, the cards and the settings."""
        newest = "WHERE id = (SELECT max(id) FROM game)"
        for number, text, first, _at in rows(self._connection, "game", newest):
            yield GameStarted(number, editions.parse(f"game {number}", text), first)
            yield from map(posting_of, rows(self._connection, "posting", "WHERE id >= ?", first))
        for expected, row in enumerate(rows(self._connection, "card"), start=1):
            found, what, number, uid, _at = row
            if found != expected:
                raise Damaged(f"row {expected} of table card is missing")
            match what:
                case "known":
                    yield CardKnown(number, bytes.fromhex(uid))
                case "forgotten":
                    yield CardForgotten(number)
                case "replacement":
                    yield ReplacementAsked(number)
        for name, value in self._connection.execute("SELECT name, value FROM setting"):
            if name != "volume":
                raise Damaged(f"there is no setting {name!r}")
            yield VolumeSet(value)

    def changed_elsewhere(self) -> bool:
        try:
            version = self._data_version()
        except sqlite3.Error:
            return False
        changed, self._version_seen = version != self._version_seen, version
        return changed

    def _data_version(self) -> int:
        """SQLite's own count of what other connections have committed."""
        return int(self._connection.execute("PRAGMA data_version").fetchone()[0])
