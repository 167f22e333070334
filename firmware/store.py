"""The store: the ledger's records as rows of SQLite, durable before anybody sees them.

Each row carries a seal, a checksum over what it says. SQLite notices a torn page
but not a flipped bit inside one; an SD card that lies about a balance is found
out here, when the row is read. Identity numbers have no gaps, so a row that went
missing is found out too, and two programs that append at once cannot both win.
"""

import sqlite3
import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple
from zlib import crc32

from firmware import edition as editions
from firmware import schema
from firmware.mistake import Mistake
from firmware.records import (
    AccountClosed,
    CardForgotten,
    CardKnown,
    Counted,
    CountLeft,
    CountOpened,
    EditionChosen,
    GameResumed,
    GameStarted,
    JournalFailed,
    Kind,
    KindChosen,
    PlayerJoined,
    Posting,
    Purpose,
    Record,
    ReplacementAsked,
    Replay,
    TimePlayed,
    VolumeSet,
)

Row = tuple[Any, ...]

VOLUME = "volume"
PLAYED = "milliseconds of game "
"""The settings: what is written over, unlike everything else."""

_COLUMNS = {
    "game": "id, edition, first_posting, at",
    "posting": "id, game, payer, payee, amount, purpose, reverses, at",
    "card": "id, what, number, uid, at",
    "event": "id, what, game, number, amount, text, posting, at",
}
_INSERT = {
    table: f"INSERT INTO {table} ({columns}, seal) "
    f"VALUES ({', '.join('?' * (columns.count(',') + 2))})"
    for table, columns in _COLUMNS.items()
}
_TURNS = "WHERE what IN ('started', 'resumed')"


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


class Event(NamedTuple):
    """A row of the table of events, but for its number and its date."""

    what: str
    game: int | None
    number: int = 0
    amount: int = 0
    text: str = ""
    posting: int = 0


def event_of(record: Record) -> Event:
    """What is written of a record that is neither money nor a card."""
    match record:
        case GameStarted(game, _, first, kind, minutes, chosen):
            return Event("started", game, int(chosen), minutes, kind.value, first - 1)
        case GameResumed(game, after):
            return Event("resumed", game, posting=after)
        case PlayerJoined(game, number):
            return Event("joined", game, number)
        case CountOpened(game, after):
            return Event("count opened", game, posting=after)
        case CountLeft(game):
            return Event("count left", game)
        case Counted(game, number, added, after):
            return Event("counted", game, number, added, posting=after)
        case AccountClosed(game, number, after):
            return Event("forgotten", game, number, posting=after)
        case KindChosen(kind, minutes):
            return Event("next kind", None, 0, minutes, kind.value)
        case EditionChosen(edition):
            return Event("next edition", None, text=edition.source)
    raise AssertionError(f"{record} is no event")


def game_record(row: Row) -> Iterator[Record]:
    """What a row of the table of events says of a game, but for how it was started."""
    _, what, game, number, amount, _, posting, _ = row
    match what:
        case "resumed":
            yield GameResumed(game, posting)
        case "joined":
            yield PlayerJoined(game, number)
        case "count opened":
            yield CountOpened(game, posting)
        case "count left":
            yield CountLeft(game)
        case "counted":
            yield Counted(game, number, amount, posting)
        case "forgotten":
            yield AccountClosed(game, number, posting)


def choice(row: Row) -> Iterator[Record]:
    """What a row of the table of events says of the next game."""
    _, what, _, _, amount, text, _, _ = row
    match what:
        case "next kind":
            yield KindChosen(Kind(text), amount)
        case "next edition":
            yield EditionChosen(editions.parse("the next edition", text))


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
            if len(records) == 1 and isinstance(records[0], Posting):
                # One row is its own transaction: a move is spared two statements.
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
                self._insert_game(record, at)
            case CardKnown():
                self._insert_card("known", record.number, record.uid.hex(), at)
            case CardForgotten():
                self._insert_card("forgotten", record.number, None, at)
            case ReplacementAsked():
                self._insert_card("replacement", record.number, None, at)
            case VolumeSet():
                self._set(VOLUME, record.level)
            case TimePlayed():
                self._set(f"{PLAYED}{record.game}", record.milliseconds)
            case GameResumed():
                self._must_be_last(record.after)
                self._insert_event(event_of(record), at)
            case _:
                event = event_of(record)
                self._must_be_played(event.game)
                self._insert_event(event, at)

    def _insert_game(self, record: GameStarted, at: int) -> None:
        self._must_be_last(record.first_posting - 1)
        row = (record.game, record.edition.source, record.first_posting, at)
        self._insert_row("game", row)
        self._insert_event(event_of(record), at)

    def _must_be_last(self, posting: int) -> None:
        """Another program's posting must not come to lie in a game that it knew nothing of."""
        if self._next_id("posting") != posting + 1:
            raise sqlite3.IntegrityError("another program has written in the meantime")

    def _must_be_played(self, game: int | None) -> None:
        """Nothing happens in a game that has been left, whoever did not notice."""
        turns = f"SELECT game FROM event {_TURNS} ORDER BY id DESC LIMIT 1"
        played = f"SELECT coalesce(({turns}), (SELECT max(id) FROM game))"
        if game is not None and game != self._connection.execute(played).fetchone()[0]:
            raise sqlite3.IntegrityError(f"game {game} is not being played")

    def _insert_event(self, event: Event, at: int) -> None:
        self._insert_row("event", (self._next_id("event"), *event, at))

    def _set(self, name: str, value: int) -> None:
        """A setting has no history: it is written over."""
        self._connection.execute("INSERT OR REPLACE INTO setting VALUES (?, ?)", (name, value))

    def _insert_card(self, what: str, number: int, uid: str | None, at: int) -> None:
        self._insert_row("card", (self._next_id("card"), what, number, uid, at))

    def _next_id(self, table: str) -> int:
        newest = f"SELECT coalesce(max(id), 0) FROM {table}"
        return int(self._connection.execute(newest).fetchone()[0]) + 1

    def _insert_row(self, table: str, row: Row) -> None:
        self._connection.execute(_INSERT[table], (*row, seal(table, row)))

    def replay(self, game: int | None = None) -> Replay:
        try:
            self._refuse_gaps("game", "event")
            course = self.course()
            if not course:
                return Replay(tuple(self._standing_records()))
            game = course[-1] if game is None else game
            records = (*self._game_records(game), *self._standing_records())
            before = course[-2] if len(course) > 1 else None
            return Replay(records, max(course), before, self._next_id("posting") - 1)
        except (sqlite3.Error, Damaged, *NONSENSE) as error:
            raise JournalFailed(str(error)) from error

    def _refuse_gaps(self, *tables: str) -> None:
        """Of these tables only some rows are read; one that is missing must not go unseen."""
        for table in tables:
            (count,) = self._connection.execute(f"SELECT count(*) FROM {table}").fetchone()
            if count != self._next_id(table) - 1:
                raise Damaged(f"a row of table {table} is missing")

    def course(self) -> list[int]:
        """The games in the order in which they were played: one that was resumed comes again.

        Ledgers of before games could be resumed have no event of a game's start.
        """
        games = [row[0] for row in rows(self._connection, "game")]
        turns = [(row[1], row[2]) for row in rows(self._connection, "event", _TURNS)]
        told = {number for what, number in turns if what == "started"}
        old = [number for number in games if number not in told]
        if old and told and max(old) > min(told):
            raise Damaged(f"nothing says when game {max(old)} was started")
        return old + [number for _, number in turns]

    def _game_records(self, game: int) -> Iterator[Record]:
        """A game's start, its postings, and then what else happened in it."""
        [(_, text, first, _at)] = rows(self._connection, "game", "WHERE id = ?", game)
        # A card that was forgotten in one game has no account in any other, either.
        its_own = "WHERE game = ? OR what = 'forgotten'"
        events = list(rows(self._connection, "event", its_own, game))
        kind, minutes, chosen = Kind.NORMAL, 0, False
        for _, what, _, number, amount, word, _, _ in events:
            if what == "started":
                kind, minutes, chosen = Kind(word), amount, bool(number)
        edition = editions.parse(f"game {game}", text)
        yield GameStarted(game, edition, first, kind, minutes, chosen)
        yield from self._postings(game, first)
        for row in events:
            yield from game_record(row)
        for name, value in self._settings():
            if name == f"{PLAYED}{game}":
                yield TimePlayed(game, value)

    def _postings(self, game: int, first: int) -> Iterator[Posting]:
        """Those of a game; other games' may lie in between when it was resumed."""
        for expected, row in enumerate(
            rows(self._connection, "posting", "WHERE id >= ?", first), start=first
        ):
            posting = posting_of(row)
            if posting.id != expected:
                raise Damaged(f"row {expected} of table posting is missing")
            if posting.game == game:
                yield posting

    def _standing_records(self) -> Iterator[Record]:
        """What does not belong to a game: the cards, choices for the next game, the volume."""
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
        yield from self._choices()
        for name, value in self._settings():
            if name == VOLUME:
                yield VolumeSet(value)

    def _choices(self) -> Iterator[Record]:
        """The kind is for one game; the edition stays until another is chosen (F18)."""
        newest = "(SELECT coalesce(max(id), 0) FROM event WHERE what = 'started')"
        edition = "(SELECT max(id) FROM event WHERE what = 'next edition')"
        where = f"WHERE game IS NULL AND (id > {newest} OR id = {edition})"
        for row in rows(self._connection, "event", where):
            yield from choice(row)

    def _settings(self) -> Iterator[tuple[str, int]]:
        for name, value in self._connection.execute("SELECT name, value FROM setting"):
            if name != VOLUME and not name.startswith(PLAYED):
                raise Damaged(f"there is no setting {name!r}")
            yield name, value

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
