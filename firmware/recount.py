"""Adds up all that ever happened, from the first row on, and compares it with each checkpoint.

A start believes the newest checkpoint; that is only sound because this never does.
"""

import sqlite3
from collections.abc import Iterator
from typing import NamedTuple

from firmware import checkpoint
from firmware import edition as editions
from firmware.books import Books
from firmware.game import Game
from firmware.records import AccountClosed, GameResumed, GameStarted
from firmware.rows import (
    NONSENSE,
    Row,
    card_record,
    choice,
    game_record,
    of_before_events,
    posting_of,
    rows,
    started,
    starts,
)

EVER = 2**63
"""Beyond the last number that a row can have."""
OUT_OF_PLACE = "does not say which rows come before it"


class Covered(NamedTuple):
    """The last rows that have been added up, or that a checkpoint says it covers."""

    posting: int
    event: int
    card: int


def wrong_checkpoints(connection: sqlite3.Connection) -> Iterator[str]:
    """What is wrong with the checkpoints of a ledger whose other rows are in order."""
    recount = Recount(connection)
    for number, game, *last, state, _at in rows(connection, "checkpoint"):
        covered = Covered(*last)
        try:
            recount.go_on_to(covered)
            wrong = _difference(recount, game, covered, state)
        except NONSENSE:
            # If it is the rows that make no sense they say so without a checkpoint, too.
            Recount(connection).go_on_to_the_end()
            yield f"checkpoint {number} {OUT_OF_PLACE}"
            return
        if wrong:
            yield f"checkpoint {number} {wrong}"
    recount.go_on_to_the_end()


def _difference(recount: "Recount", game: int, covered: Covered, state: str) -> str | None:
    """Between a checkpoint and what it should say."""
    books = recount.books
    if (books.current.number, books.last_posting) != (game, covered.posting):
        return f"says game {game} after posting {covered.posting}"
    if recount.covered != covered:
        return OUT_OF_PLACE
    if checkpoint.written(books.checkpoint) != state:
        return "does not say what the rows before it come to"
    return None


class Recount:
    """The books as they were after certain rows, which are named in turn."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.books = Books()
        self._games: dict[int, Game] = {}
        self._postings = Reel(rows(connection, "posting"))
        self._events = Reel(rows(connection, "event"))
        self._cards = Reel(rows(connection, "card"))
        self._waiting: list[Row] = []
        """Events of the game that is played; as in a replay, its postings come first."""
        events = starts(connection)
        self._starts: dict[int, GameStarted] = {}
        for number, text, first, _at in rows(connection, "game"):
            edition = editions.parse(f"game {number}", text)
            self._starts[number] = started(number, edition, first, events)
        for number in of_before_events(self._starts, events):
            self._begin(number, self._starts[number].first_posting - 1)

    @property
    def covered(self) -> Covered:
        return Covered(self._postings.last, self._events.last, self._cards.last)

    def go_on_to(self, last: Covered) -> None:
        for row in self._events.up_to(last.event):
            _, what, game, _, _, _, after, _ = row
            match what:
                case "started":
                    self._begin(game, after)
                case "resumed":
                    self._add_up(after)
                    self.books.resume(self._games[game])
                    self.books.believe(GameResumed(game, after))
                case _:
                    self._waiting.append(row)
        self._add_up(last.posting)
        for row in self._cards.up_to(last.card):
            self.books.believe(card_record(row))

    def go_on_to_the_end(self) -> None:
        """Raises what rows raise that make no sense, however well they are sealed."""
        self.go_on_to(Covered(EVER, EVER, EVER))

    def _begin(self, game: int, after: int) -> None:
        self._add_up(after)
        self.books.believe(self._starts[game])
        self._games[game] = self.books.current

    def _add_up(self, posting: int) -> None:
        """What was posted in the game that is played, and then what else happened in it."""
        for row in self._postings.up_to(posting):
            self.books.believe(posting_of(row))
        for row in self._waiting:
            for record in (*choice(row), *game_record(row)):
                if isinstance(record, AccountClosed):
                    # A card that was forgotten in one game has no account in any other, either.
                    for game in self._games.values():
                        game.believe(record)
                else:
                    self.books.believe(record)
        self._waiting.clear()


class Reel:
    """Rows in order, of which one takes as many as one needs."""

    def __init__(self, found: Iterator[Row]) -> None:
        self._found = found
        self._next = next(found, None)
        self.last = 0
        """The number of the last one taken."""

    def up_to(self, number: int) -> Iterator[Row]:
        """Those that have not been taken yet, up to the one with this number."""
        while self._next is not None and self._next[0] <= number:
            row, self._next = self._next, next(self._found, None)
            self.last = row[0]
            yield row
