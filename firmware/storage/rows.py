"""Converts records to SQLite rows and back. Each row has a seal: its checksum.

SQLite detects a torn page but not a flipped bit inside one. The seal does, when the row is read.
"""

import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from typing import Any, NamedTuple
from zlib import crc32

from firmware.bank import edition as editions
from firmware.bank import records
from firmware.bank.edition import LARGEST_AMOUNT, MOST_CARDS
from firmware.bank.purposes import Purpose
from firmware.bank.records import (
    BANK,
    LONGEST_GAME,
    POT,
    GameStarted,
    Kind,
    KindChosen,
    Posting,
    Record,
)
from firmware.user_error import UserError

Row = tuple[Any, ...]

VOLUME = "volume"
PLAYED = "milliseconds of game "
"""Names of settings. Unlike all other rows, settings are overwritten."""

STARTED = "started"
TURNS = (STARTED, "resumed")
"""The events that make another game the current one."""
FORGOTTEN, RESTORED = "forgotten", "restored"
"""The events of a card that gives up its number, and of one that has it back (F19)."""

COLUMNS = {
    "game": "id, edition, first_posting, at",
    "posting": "id, game, payer, payee, amount, purpose, reverses, at",
    "card": "id, what, number, text, at",
    "event": "id, what, game, number, amount, text, posting, at",
    "checkpoint": "id, game, posting, event, card, state, at",
}
INSERT = {
    table: f"INSERT INTO {table} ({columns}, seal) "
    f"VALUES ({', '.join('?' * (columns.count(',') + 2))})"
    for table, columns in COLUMNS.items()
}


MOST_ROWS = 10**12
"""Of a table: far more than a box ever writes, and far less than SQLite's 64 bits."""
_ROW = (1, MOST_ROWS)
LIMITS: dict[str, dict[str, tuple[int, int]]] = {
    "game": {"id": _ROW, "first_posting": _ROW},
    "posting": {
        "id": _ROW,
        "game": _ROW,
        "payer": (BANK, POT),
        "payee": (BANK, POT),
        "amount": (0, LARGEST_AMOUNT),
        "reverses": _ROW,
    },
    "card": {"id": _ROW, "number": (1, MOST_CARDS)},
    "event": {
        "id": _ROW,
        "game": _ROW,
        "number": (0, MOST_ROWS),
        "amount": (0, LARGEST_AMOUNT),
        "posting": (0, MOST_ROWS),
    },
    "checkpoint": {
        "id": _ROW,
        "game": _ROW,
        "posting": (0, MOST_ROWS),
        "event": (0, MOST_ROWS),
        "card": (0, MOST_ROWS),
    },
}
"""The smallest and the largest number of each column, so that the box can compute with it."""
_LIMITS = {
    table: [(COLUMNS[table].split(", ").index(name), name, *limits) for name, limits in row.items()]
    for table, row in LIMITS.items()
}
LONGEST_TIME = LONGEST_GAME * 60_000
"""Milliseconds."""
OF_A_CARD = (
    *("joined", "counted", "counted in", "amount counted", "amount uncounted"),
    *(FORGOTTEN, RESTORED),
)
"""The events whose number is that of a card."""


class DamagedRow(Exception):
    """A row is missing, or is not what was written."""


ROW_ERRORS = (
    *(ValueError, TypeError, KeyError, AssertionError, OverflowError, RecursionError),
    UserError,
)
"""Other errors that a row can cause if it has a valid seal but was not written by a box."""


def seal(table: str, row: Row) -> int:
    return crc32(repr((table, *row)).encode())


def read(
    connection: sqlite3.Connection, table: str, where: str = "", *values: int
) -> Iterator[Row]:
    """The rows of a table in order, each checked against its seal."""
    query = f"SELECT {COLUMNS[table]}, seal FROM {table} {where} ORDER BY id"
    found = connection.execute(query, values)
    try:
        for *row, sealed in found:
            if seal(table, tuple(row)) != sealed:
                raise DamagedRow(f"row {row[0]} of table {table} does not match its checksum")
            for column, name, least, most in _LIMITS[table]:
                if row[column] is not None and not least <= row[column] <= most:
                    within(row[column], least, most, f"the {name} in row {row[0]} of table {table}")
            yield tuple(row)
    except sqlite3.OperationalError as error:
        if "decode" not in str(error):
            raise
        # SQLite's message would quote the whole text.
        raise DamagedRow(f"a row of table {table} is not valid UTF-8") from None
    finally:
        # An open query would block other programs. The connection may be closed already.
        with suppress(sqlite3.ProgrammingError):
            found.close()


def within(value: object, least: int, most: int, name: str) -> int:
    """A whole number within these limits. Raises DamagedRow."""
    if type(value) is not int or not least <= value <= most:
        raise DamagedRow(f"{name} is {value!r}; it must be from {least} to {most}")
    return value


def read_after(connection: sqlite3.Connection, table: str, last: int) -> Iterator[Row]:
    """All rows after one; a missing row is an error."""
    for expected, row in enumerate(read(connection, table, "WHERE id > ?", last), start=last + 1):
        if row[0] != expected:
            raise DamagedRow(f"row {expected} of table {table} is missing")
        yield row


def last_id(connection: sqlite3.Connection, table: str) -> int:
    (newest,) = connection.execute(f"SELECT coalesce(max(id), 0) FROM {table}").fetchone()
    return int(newest)


def posting_of(row: Row) -> Posting:
    number, game, payer, payee, amount, purpose, reverses, _at = row
    return Posting(number, game, payer, payee, amount, Purpose(purpose), reverses)


def card_record(row: Row) -> Record:
    _, what, number, text, _at = row
    match what:
        case "known":
            return records.CardKnown(number, bytes.fromhex(text))
        case "forgotten":
            return records.CardForgotten(number)
        case "named":
            return records.CardNamed(number, str(text))
        case "replacement":
            return records.ReplacementAsked(number)
        case "replacement cancelled":
            return records.ReplacementCancelled(number)
    raise DamagedRow(f"row {row[0]} of table card has the unknown event {what!r}")


class Event(NamedTuple):
    """A row of the table of events."""

    id: int
    what: str
    game: int | None = None
    number: int = 0
    amount: int = 0
    text: str = ""
    posting: int = 0
    at: int = 0


GAME_EVENTS: dict[str, tuple[Callable[..., Record], tuple[str, ...]]] = {
    "resumed": (records.GameResumed, ("game", "posting")),
    "made again": (records.MadeAgain, ("game", "number", "posting")),
    "count opened": (records.CountOpened, ("game", "posting")),
    "count left": (records.CountLeft, ("game",)),
    "counted": (records.Counted, ("game", "number", "amount", "posting")),
    "counted in": (records.CountedIn, ("game", "number")),
    "amount counted": (records.AmountCounted, ("game", "number", "amount")),
    "amount uncounted": (records.AmountUncounted, ("game", "number")),
    FORGOTTEN: (records.AccountClosed, ("game", "number", "posting")),
    RESTORED: (records.AccountRestored, ("game", "number", "posting", "amount")),
}
"""The events in a game: the record of each, and the columns of its fields.

Formats 2 and 3 also have ``joined``, for a card that was put in. It says nothing about who plays.
"""


def event_of(record: Record, number: int, at: int) -> Event:
    """The row of a record that is neither a posting nor about a card."""
    match record:
        case GameStarted(game, _, first, kind, minutes, chosen):
            return Event(number, STARTED, game, int(chosen), minutes, kind.value, first - 1, at)
        case KindChosen(kind, minutes):
            return Event(number, "next kind", amount=minutes, text=kind.value, at=at)
        case records.EditionChosen(edition):
            return Event(number, "next edition", text=edition.source, at=at)
    for what, (kind_of_record, columns) in GAME_EVENTS.items():
        if type(record) is kind_of_record:
            fields: dict[str, Any] = dict(zip(columns, record, strict=True))
            return Event(number, what, at=at, **fields)
    raise AssertionError(f"{record} is not an event")


def event_record(event: Event) -> Iterator[Record]:
    """The record of an event; none for a start, which also needs the row of its game."""
    if event.what in OF_A_CARD and not 1 <= event.number <= MOST_CARDS:
        raise DamagedRow(f"event {event.id} names card {event.number}, which does not exist")
    if event.what == "next kind":
        yield KindChosen(Kind(event.text), minutes(event.amount))
    elif event.what == "next edition":
        yield records.EditionChosen(editions.parse("the next edition", event.text))
    elif event.what in GAME_EVENTS:
        kind_of_record, columns = GAME_EVENTS[event.what]
        yield kind_of_record(*(getattr(event, column) for column in columns))


def starts(connection: sqlite3.Connection) -> list[Event]:
    """The start events of all games."""
    return [Event(*row) for row in read(connection, "event", f"WHERE what = '{STARTED}'")]


def forgettings(connection: sqlite3.Connection, after: int) -> list[Event]:
    """The events after one of cards that were forgotten, or known again, in their order."""
    where = f"WHERE id > ? AND what IN ('{FORGOTTEN}', '{RESTORED}')"
    return [Event(*row) for row in read(connection, "event", where, after)]


def games_without_start(games: Iterable[int], events: Iterable[Event]) -> list[int]:
    """Games of a ledger's first format, which has no start events."""
    recorded = {event.game for event in events if event.what == STARTED}
    return [number for number in games if number not in recorded]


def game_start(row: Row, events: Iterable[Event] = ()) -> GameStarted:
    """The start of a game, from its row and its start event; without one it is a normal game."""
    game, text, first, _at = row
    start = GameStarted(game, editions.parse(f"game {game}", text), first)
    for event in events:
        if event.what == STARTED and event.game == game:
            kind, chosen = Kind(event.text), bool(event.number)
            return start._replace(kind=kind, minutes=minutes(event.amount), chosen=chosen)
    return start


def minutes(value: object) -> int:
    """The length of a game; 0 for a game without a clock."""
    return within(value, 0, LONGEST_GAME, "the length of a game")
