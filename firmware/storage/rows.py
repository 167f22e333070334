"""Records as rows of SQLite, each with a seal that says whether it is what was once written.

SQLite notices a torn page but not a flipped bit inside one; an SD card that lies about a
balance is found out here, when the row is read.
"""

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Any, NamedTuple
from zlib import crc32

from firmware import edition as editions
from firmware.edition import MOST_CARDS, Edition
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
    Kind,
    KindChosen,
    PlayerJoined,
    Posting,
    Purpose,
    Record,
    ReplacementAsked,
)

Row = tuple[Any, ...]

VOLUME = "volume"
PLAYED = "milliseconds of game "
"""The settings: what is written over, unlike everything else."""

STARTED = "started"
TURNS = (STARTED, "resumed")
"""The events after which another game is played."""

COLUMNS = {
    "game": "id, edition, first_posting, at",
    "posting": "id, game, payer, payee, amount, purpose, reverses, at",
    "card": "id, what, number, uid, at",
    "event": "id, what, game, number, amount, text, posting, at",
    "checkpoint": "id, game, posting, event, card, state, at",
}
INSERT = {
    table: f"INSERT INTO {table} ({columns}, seal) "
    f"VALUES ({', '.join('?' * (columns.count(',') + 2))})"
    for table, columns in COLUMNS.items()
}


class Damaged(Exception):
    """A row does not say what was once written into it."""


NONSENSE = (
    *(ValueError, TypeError, KeyError, AssertionError, OverflowError, RecursionError),
    Mistake,
)
"""What else a row can raise when it was sealed, but not by us."""


def seal(table: str, row: Row) -> int:
    """The checksum of a row."""
    return crc32(repr((table, *row)).encode())


def rows(
    connection: sqlite3.Connection, table: str, where: str = "", *values: int
) -> Iterator[Row]:
    """The rows of a table in order, each checked against its seal."""
    query = f"SELECT {COLUMNS[table]}, seal FROM {table} {where} ORDER BY id"
    found = connection.execute(query, values)
    try:
        for *row, sealed in found:
            if seal(table, tuple(row)) != sealed:
                raise Damaged(f"row {row[0]} of table {table} is not what was written")
            yield tuple(row)
    except sqlite3.OperationalError as error:
        if "decode" not in str(error):
            raise
        # SQLite would quote all of it.
        raise Damaged(f"a row of table {table} holds a text that is none") from None
    finally:
        # Whoever wants no more of them leaves no query open, which would keep others waiting;
        # or has closed everything already.
        with suppress(sqlite3.ProgrammingError):
            found.close()


def posting_of(row: Row) -> Posting:
    number, game, payer, payee, amount, purpose, reverses, _at = row
    return Posting(number, game, payer, payee, amount, Purpose(purpose), reverses)


def starts(connection: sqlite3.Connection) -> list[Row]:
    """The events that say how games were started."""
    return list(rows(connection, "event", f"WHERE what = '{STARTED}'"))


def of_before_events(games: Iterable[int], events: Iterable[Row]) -> list[int]:
    """Those of a ledger's first format, which has no row that says when a game was started."""
    told = {row[2] for row in events if row[1] == STARTED}
    return [number for number in games if number not in told]


def started(game: int, edition: Edition, first: int, events: list[Row]) -> GameStarted:
    """How a game was started; nothing says it in ledgers of before there were kinds of games."""
    for _, what, number, chosen, minutes, kind, _, _ in events:
        if what == STARTED and number == game:
            return GameStarted(game, edition, first, Kind(kind), minutes, bool(chosen))
    return GameStarted(game, edition, first)


def card_record(row: Row) -> Record:
    """What a row of the table of cards says."""
    _, what, number, uid, _at = row
    if not 1 <= number <= MOST_CARDS:
        raise Damaged(f"row {row[0]} of table card names the number {number}")
    match what:
        case "known":
            return CardKnown(number, bytes.fromhex(uid))
        case "forgotten":
            return CardForgotten(number)
        case "replacement":
            return ReplacementAsked(number)
    raise Damaged(f"nothing is known of a card that is {what!r}")


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
            return Event(STARTED, game, int(chosen), minutes, kind.value, first - 1)
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
