"""The store: the ledger's journal in SQLite. A record is durable before anything shows it.

A write goes one way: ``Store.append`` opens a transaction, ``RecordWriter`` turns the records
into rows, and ``LedgerConnection`` inserts and commits them. Reading is in ``replay_reader``.

Numbers of rows have no gaps, so that a missing row is noticed and two programs that write at the
same time cannot both succeed.
"""

import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from firmware.bank import records
from firmware.bank.records import Checkpoint, JournalFailed, Overtaken, Posting, Record
from firmware.storage import checkpoint, rows, schema
from firmware.storage.connection import Fingerprint, LedgerConnection, LedgerLocation, RowQuery
from firmware.storage.replay_reader import ReplayReader

CARD_EVENTS: dict[type[Record], str] = {
    records.CardKnown: "known",
    records.CardForgotten: "forgotten",
    records.CardNamed: "named",
    records.ReplacementAsked: "replacement",
    records.ReplacementCancelled: "replacement cancelled",
}
OVERTAKEN = "another program has written in the meantime"
SETTINGS = (records.VolumeSet, records.TimePlayed)
"""Depend on nothing that another program writes."""


class Store:
    """A journal in an SQLite database that is open already and has our schema."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        wall_clock: Callable[[], float] = time.time,
        location: LedgerLocation | None = None,
        *,
        copy_of: Fingerprint | None = None,
    ) -> None:
        self._file = LedgerConnection(connection, location, copy_of=copy_of)
        self._wall_clock = wall_clock
        self._version_read = (0, 0)
        """The ledger's version when all of it was last read."""
        self._last_card_row = 0
        """The last row about a card that was read or written here."""

    @classmethod
    def in_memory(cls, wall_clock: Callable[[], float] = time.time) -> "Store":
        """A store that lasts as long as the object, for scripts and tests."""
        connection = sqlite3.connect(":memory:", isolation_level=None)
        schema.migrate(connection)
        return cls(connection, wall_clock)

    def close(self) -> None:
        self._connection.close()

    def has_game(self) -> bool:
        try:
            return bool(self._connection.execute("SELECT 1 FROM game LIMIT 1").fetchall())
        except sqlite3.Error as error:
            raise JournalFailed(str(error)) from error

    @property
    def _connection(self) -> sqlite3.Connection:
        return self._file.connection

    # Writing

    def append(self, *new: Record) -> None:
        writer = RecordWriter(self._file, int(self._wall_clock()))
        try:
            with self._file.transaction():
                if self._is_overtaken(new):
                    raise sqlite3.IntegrityError(OVERTAKEN)
                for record in new:
                    writer.write(record)
        except sqlite3.Error as error:
            if isinstance(error, sqlite3.IntegrityError) and self.changed_elsewhere():
                raise Overtaken(OVERTAKEN) from error
            raise JournalFailed(str(error)) from error
        self._last_card_row += sum(type(record) in CARD_EVENTS for record in new)

    def _is_overtaken(self, new: tuple[Record, ...]) -> bool:
        """Whether other rows were written that these records should have been based on."""
        if all(isinstance(record, SETTINGS) for record in new):
            return False
        if rows.last_id(self._connection, "card") != self._last_card_row:
            return True  # a number may be another card's by now
        # Only a checkpoint covers all rows; the query costs time.
        covers_all = any(isinstance(record, Checkpoint) for record in new)
        return covers_all and self._version() != self._version_read

    @contextmanager
    def without_other_writers(self) -> Iterator[None]:
        try:
            with self._file.locked():
                yield
        except sqlite3.Error as error:
            raise JournalFailed(str(error)) from error

    @property
    def in_doubt(self) -> bool:
        return self._file.in_doubt

    # Reading

    def replay(self, game: int | None = None) -> tuple[Record, ...]:
        try:
            if self.in_doubt:
                # Unlike a write, a read keeps using a read-only copy.
                self._file.reopen_if_needed()
            with self._snapshot():
                if game is None:
                    self._version_read = self._version()
                    self._last_card_row = rows.last_id(self._connection, "card")
                return ReplayReader(self._connection).replay(game)
        except (sqlite3.Error, rows.DamagedRow, *rows.ROW_ERRORS) as error:
            raise JournalFailed(str(error)) from error

    @contextmanager
    def _snapshot(self) -> Iterator[None]:
        """Reads one consistent snapshot."""
        if self._connection.in_transaction:
            yield
            return
        self._connection.execute("BEGIN")
        try:
            yield
        finally:
            self._connection.rollback()

    def changed_elsewhere(self) -> bool:
        """Whether there may be something to replay; the replay also resolves a doubt."""
        try:
            self._file.refresh_copy()
            return self.in_doubt or self._version() != self._version_read
        except sqlite3.Error:
            return False

    def _version(self) -> tuple[int, int]:
        """Which connection this is, and SQLite's count of commits by other connections."""
        (version,) = self._connection.execute("PRAGMA data_version").fetchone()
        return self._file.times_opened, version


class RecordWriter:
    """Writes records as rows. Raises sqlite3.Error, and then nothing is committed."""

    def __init__(self, file: LedgerConnection, at: int) -> None:
        self._file = file
        self._at = at
        """Seconds since 1970, for people to read; nothing depends on it being right."""

    def write(self, record: Record) -> None:
        match record:
            case Posting(number, game, payer, payee, amount, purpose, reverses):
                row = (number, game, payer, payee, amount, purpose.value, reverses, self._at)
                self._insert("posting", row)
            case records.GameStarted(game, edition, first_posting):
                self._must_be_last(first_posting - 1)
                self._insert("game", (game, edition.source, first_posting, self._at))
                self._insert_event(record)
            case records.CardKnown(card, uid):
                self._insert_card_event(record, card, uid.hex())
            case records.CardNamed(card, name):
                self._insert_card_event(record, card, name)
            case (
                records.CardForgotten(card)
                | records.ReplacementAsked(card)
                | records.ReplacementCancelled(card)
            ):
                self._insert_card_event(record, card)
            case records.VolumeSet(level):
                self._set(rows.VOLUME, level)
            case records.TimePlayed(game, milliseconds):
                self._set(f"{rows.PLAYED}{game}", milliseconds)
            case Checkpoint(last_posting=last):
                self._must_be_last(last)
                covered = [self._last_id(table) for table in checkpoint.COVERED]
                number, game = self._last_id("checkpoint") + 1, record.game.started.game
                state = checkpoint.written(record)
                self._insert("checkpoint", (number, game, *covered, state, self._at))
            case _:
                if isinstance(record, records.GameResumed | records.AccountClosed):
                    # The return before a closed account must still be all that the card had.
                    self._must_be_last(record.after)
                self._insert_event(record)

    def _insert_card_event(self, record: Record, card: int, text: str | None = None) -> None:
        what = CARD_EVENTS[type(record)]
        self._insert("card", (self._last_id("card") + 1, what, card, text, self._at))

    def _insert_event(self, record: Record) -> None:
        event = rows.event_of(record, self._last_id("event") + 1, self._at)
        if event.what not in rows.TURNS:
            self._must_be_played(event.game)
        self._insert("event", event)

    def _insert(self, table: str, row: rows.Row) -> None:
        seal = rows.seal(table, row)
        query = RowQuery(f"SELECT 1 FROM {table} WHERE id = ? AND seal = ?", (row[0], seal))
        self._file.insert(rows.INSERT[table], (*row, seal), query)

    def _set(self, name: str, value: int) -> None:
        """Settings have no history: they are overwritten."""
        query = RowQuery("SELECT 1 FROM setting WHERE name = ? AND value = ?", (name, value))
        statement = "INSERT OR REPLACE INTO setting VALUES (?, ?)"
        self._file.insert(statement, query.values, query)

    # Preconditions

    def _must_be_last(self, posting: int) -> None:
        """Another program's posting must not end up in a game that it did not know of."""
        if self._last_id("posting") != posting:
            raise sqlite3.IntegrityError(OVERTAKEN)

    def _must_be_played(self, game: int | None) -> None:
        """Nothing is written into a game that was left."""
        turns = f"SELECT game FROM event WHERE what IN {rows.TURNS} ORDER BY id DESC LIMIT 1"
        played = f"SELECT coalesce(({turns}), (SELECT max(id) FROM game))"
        if game is not None and (game,) != self._file.connection.execute(played).fetchone():
            raise sqlite3.IntegrityError(f"game {game} is not being played")

    def _last_id(self, table: str) -> int:
        return rows.last_id(self._file.connection, table)
