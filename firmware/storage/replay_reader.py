"""Reads a ledger's rows back into records.

A start reads the newest checkpoint and the rows after it, however long the ledger has become.

Tests: tests/unit/firmware/bank/test_ledger.py.
"""

import sqlite3
from collections import defaultdict
from collections.abc import Iterator
from itertools import pairwise

from firmware.bank import records
from firmware.bank.ledger_state import LedgerState, games_to_resume
from firmware.bank.names import CardNames
from firmware.bank.purposes import Purpose
from firmware.bank.records import Checkpoint, GameState, Kind, KindChosen, Record
from firmware.storage import checkpoint, rows
from firmware.storage.checkpoint import CheckpointRow
from firmware.storage.rows import STARTED, TURNS, DamagedRow, Event, Row

NO_CHECKPOINT = CheckpointRow(0, 0, 0, 0, 0, "")
NOT_MOVED = tuple(purpose.value for purpose in Purpose if not purpose.moves_money)


class ReplayReader:
    """Reads from one connection, within one snapshot. Raises sqlite3.Error and DamagedRow."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def replay(self, game: int | None) -> tuple[Record, ...]:
        """The records of the current game, or of another one, and of the cards.

        The first one is a checkpoint, whose numbers include what happened in other games since.
        """
        newest = self._newest_checkpoint()
        self._refuse_missing_rows(newest)
        events = self._events_after(newest.event)
        course = self._course_since(newest, events)
        if not course:
            return tuple(self._cards_and_volume(0))
        current = course[-1] if game is None else game
        base, since = self._game_since(current, newest, events)
        new_games = (row[0] for row in rows.read_after(self._connection, "game", base.newest_game))
        base = base._replace(
            newest_game=max(new_games, default=base.newest_game),
            played=self._played(newest, base.played, course),
            last_posting=rows.last_id(self._connection, "posting"),
        )
        return (base, *since, *_choices(events), *self._cards_and_volume(newest.card))

    def course(self) -> list[int]:
        """The games in the order in which they were played; a resumed one comes again."""
        return self._course_since(NO_CHECKPOINT, self._events_after(0))

    def records_of(self, game: int) -> list[Record]:
        """Everything that happened in a game, from its first row on."""
        row = self._game_row(game)
        events = self._events_after(0)
        start = rows.game_start(row, events)
        return [start, *self._since(game, start.first_posting - 1, events)]

    def names(self) -> CardNames:
        """The names of the known cards; a number that was forgotten meant another card before."""
        state = LedgerState()
        state.apply(*map(rows.card_record, rows.read_after(self._connection, "card", 0)))
        forgotten = ForgottenNumbers()
        forgotten.read_on(self._connection)
        return CardNames(state.names, forgotten.ends)

    def _newest_checkpoint(self, game: int | None = None) -> CheckpointRow:
        """The newest checkpoint, of this game if one is named."""
        of_game = "" if game is None else f"WHERE game = {game}"
        where = f"WHERE id = (SELECT id FROM checkpoint {of_game} ORDER BY id DESC LIMIT 1)"
        for row in rows.read(self._connection, "checkpoint", where):
            return CheckpointRow(*row[:-1])
        return NO_CHECKPOINT

    def _refuse_missing_rows(self, covered: CheckpointRow) -> None:
        """New rows would get the numbers of the missing ones, and never be read."""
        for table in checkpoint.COVERED:
            last = getattr(covered, table)
            if rows.last_id(self._connection, table) < last:
                raise DamagedRow(f"row {last} of table {table} is missing")

    def _events_after(self, last: int) -> list[Event]:
        return [Event(*row) for row in rows.read_after(self._connection, "event", last)]

    def _course_since(self, covered: CheckpointRow, events: list[Event]) -> list[int]:
        """The course of games, starting with the current game of a checkpoint."""
        turns = [event.game for event in events if event.what in TURNS and event.game is not None]
        if covered.id:
            return [covered.game, *turns]
        games = [row[0] for row in rows.read_after(self._connection, "game", 0)]
        old = rows.games_without_start(games, events)
        if old != games[: len(old)]:
            raise DamagedRow(f"the start of game {old[-1]} is not recorded")
        return old + turns

    def _played(
        self, newest: CheckpointRow, played: tuple[int, ...], course: list[int]
    ) -> tuple[int, ...]:
        """The games that BACK can resume, at the end of this course of games (F20)."""
        if len(course) == 1:
            return played
        query = f"SELECT DISTINCT game FROM posting WHERE id > ? AND purpose NOT IN {NOT_MOVED}"
        found = self._connection.execute(query, (newest.posting,)).fetchall()
        moved = {*played, *(game for (game,) in found)}
        if checkpoint.has_moves(newest):
            moved.add(newest.game)
        for left, entered in pairwise(course):
            played = games_to_resume(played, left if left in moved else None, entered)
        return played

    def _game_since(
        self, game: int, newest: CheckpointRow, events: list[Event]
    ) -> tuple[Checkpoint, list[Record]]:
        """A game's newest checkpoint, and what happened in it since."""
        row = self._game_row(game)
        own = newest if newest.game == game else self._newest_checkpoint(game)
        begun = any(event.what == STARTED and event.game == game for event in events)
        if not begun and own is not newest:
            events = self._events_after(own.event)
        start = rows.game_start(row, events)
        if own.id:
            base, after = checkpoint.read(self._connection, own, start.edition), own.posting
        else:
            base, after = Checkpoint(GameState(start)), start.first_posting - 1
        if own is not newest:
            whole = checkpoint.read(self._connection, newest, start.edition)
            base = whole._replace(game=base.game)
        return base, list(self._since(game, after, events))

    def _game_row(self, game: int) -> Row:
        for row in rows.read(self._connection, "game", "WHERE id = ?", game):
            return row
        raise DamagedRow(f"row {game} of table game is missing")

    def _since(self, game: int, after: int, events: list[Event]) -> Iterator[Record]:
        """A game's postings, then its other events."""
        for row in rows.read_after(self._connection, "posting", after):
            if row[1] == game:
                yield rows.posting_of(row)
        for event in events:
            if event.game == game:
                yield from rows.event_record(event)
        for played in self._setting(f"{rows.PLAYED}{game}"):
            name = f"the time played in game {game}"
            yield records.TimePlayed(game, rows.within(played, 0, rows.LONGEST_TIME, name))

    def _cards_and_volume(self, covered: int) -> Iterator[Record]:
        yield from map(rows.card_record, rows.read_after(self._connection, "card", covered))
        yield from map(records.VolumeSet, self._setting(rows.VOLUME))

    def _setting(self, name: str) -> list[int]:
        """The value of a setting, if it was ever set."""
        query = "SELECT value FROM setting WHERE name = ?"
        return [value for (value,) in self._connection.execute(query, (name,)).fetchall()]


class ForgottenNumbers:
    """Where the postings of forgotten cards end, by number; reads what has been added since."""

    def __init__(self) -> None:
        self._ends: defaultdict[int, list[int]] = defaultdict(list)
        self._read_to = 0
        """The last event that was read."""

    def read_on(self, connection: sqlite3.Connection) -> None:
        last = rows.last_id(connection, "event")
        found = rows.forgettings(connection, self._read_to)
        for event in found:
            if event.what == rows.FORGOTTEN:
                self._ends[event.number].append(event.posting)
            elif self._ends[event.number]:
                self._ends[event.number].pop()
        self._read_to = max([last, *(event.id for event in found)])

    @property
    def ends(self) -> dict[int, int]:
        """The last posting before each number became free."""
        return {number: max(ends) for number, ends in self._ends.items() if ends}


def _choices(events: list[Event]) -> Iterator[Record]:
    """The choices for the next game: the kind is for one game, the edition stays (F18)."""
    for event in events:
        if event.what == STARTED:
            yield KindChosen(Kind.NORMAL)
        if event.game is None:
            yield from rows.event_record(event)
