"""Recalculates the ledger's state from the first row on, and compares it with each checkpoint.

A start trusts the newest checkpoint; the audit trusts none.

Tests: tests/unit/firmware/storage/test_audit.py.
"""

import sqlite3
from collections.abc import Iterator

from firmware.bank.game import Game
from firmware.bank.ledger_state import LedgerState
from firmware.bank.records import GameResumed
from firmware.storage import checkpoint, rows
from firmware.storage.checkpoint import COVERED, CheckpointRow
from firmware.storage.rows import ROW_ERRORS, Event, Row

NO_LIMIT = 2**63
"""Beyond the last number that a row can have."""
WRONG_ROWS = "does not cover exactly the rows before it"


def wrong_checkpoints(connection: sqlite3.Connection) -> Iterator[str]:
    """The faults in the checkpoints of a ledger whose other rows passed the audit."""
    audit = CheckpointAudit(connection)
    for row in rows.read(connection, "checkpoint"):
        found = CheckpointRow(*row[:-1])
        try:
            audit.apply_up_to(found.posting, found.event, found.card)
            wrong = audit.difference(found)
        except ROW_ERRORS:
            # If the rows themselves are invalid, replaying them to the end raises the same error.
            CheckpointAudit(connection).apply_all()
            yield f"checkpoint {found.id} {WRONG_ROWS}"
            return
        if wrong:
            yield f"checkpoint {found.id} {wrong}"
    audit.apply_all()


class CheckpointAudit:
    """Replays the rows step by step and keeps the resulting state."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._state = LedgerState()
        self._games: dict[int, Game] = {}
        self._rows = {table: list(rows.read(connection, table)) for table in COVERED}
        self._applied = dict.fromkeys(COVERED, 0)
        """The number of the last row of each table that was applied."""
        self._waiting: list[Event] = []
        """Events of the current game; as in a replay, its postings are applied first."""
        events = rows.starts(connection)
        games = rows.read(connection, "game")
        self._starts = {row[0]: rows.game_start(row, events) for row in games}
        for number in rows.games_without_start(self._starts, events):
            self._begin(number, self._starts[number].first_posting - 1)

    def difference(self, found: CheckpointRow) -> str | None:
        """How a checkpoint differs from the recalculated state."""
        game, posting = self._state.current.number, self._state.last_posting
        if (game, posting) != (found.game, found.posting):
            return f"names game {found.game} and posting {found.posting}, not {game} and {posting}"
        if any(getattr(found, table) != last for table, last in self._applied.items()):
            return WRONG_ROWS
        if checkpoint.written(self._state.checkpoint) != found.state:
            return "does not match the rows before it"
        return None

    def apply_up_to(self, posting: int, event_row: int, card: int) -> None:
        """Apply the rows up to these numbers."""
        for row in self._next("event", event_row):
            event = Event(*row)
            match event.what, event.game:
                case "started", int(game):
                    self._begin(game, event.posting)
                case "resumed", int(game):
                    self._apply_postings(event.posting)
                    self._state.resume(self._games[game])
                    self._state.apply(GameResumed(game, event.posting))
                case _:
                    self._waiting.append(event)
        self._apply_postings(posting)
        for row in self._next("card", card):
            self._state.apply(rows.card_record(row))

    def apply_all(self) -> None:
        """Raises ROW_ERRORS for invalid rows, even if their seals are right."""
        self.apply_up_to(NO_LIMIT, NO_LIMIT, NO_LIMIT)

    def _next(self, table: str, last: int) -> Iterator[Row]:
        """The next rows of a table, up to the one with this number; no number is missing."""
        for row in self._rows[table][self._applied[table] : max(last, 0)]:
            self._applied[table] = row[0]
            yield row

    def _begin(self, game: int, after: int) -> None:
        self._apply_postings(after)
        self._state.apply(self._starts[game])
        self._games[game] = self._state.current

    def _apply_postings(self, posting: int) -> None:
        """Apply the current game's postings up to this one, then its other events."""
        for row in self._next("posting", posting):
            self._state.apply(rows.posting_of(row))
        for event in self._waiting:
            for record in rows.event_record(event):
                self._state.apply(record)
        self._waiting.clear()
