"""A checkpoint as JSON: a snapshot of the ledger's state, so that a start need not replay all rows.

A checkpoint does not repeat other rows: the edition is read from the row of its game, the moves
that can be undone from their own rows. ``tellerbox ledger verify`` recalculates every checkpoint.
"""

import sqlite3
from itertools import chain
from typing import Any, NamedTuple

from firmware.bank import edition as editions
from firmware.bank import records
from firmware.bank.edition import Edition
from firmware.bank.records import Checkpoint, GameStarted, GameState, Kind, Posting
from firmware.storage import rows

LARGEST_GAP = 16
"""Moves whose numbers differ by at most this are read in one query."""
COVERED = ("posting", "event", "card")
"""The tables whose rows a checkpoint covers."""


class CheckpointRow(NamedTuple):
    """A row of the table of checkpoints, and the last rows that it covers."""

    id: int
    game: int
    posting: int
    event: int
    card: int
    state: str


def written(checkpoint: Checkpoint) -> str:
    row = {
        **{_key(name): _encoded(name, value) for name, value in vars(checkpoint.game).items()},
        "newest game": checkpoint.newest_game,
        "played": checkpoint.played,
        "cards": [(card.number, card.uid.hex()) for card in checkpoint.cards],
        "names": checkpoint.names,
        "replacing": checkpoint.replacing,
        "next kind": [checkpoint.next.kind.value, checkpoint.next.minutes],
        "next edition": checkpoint.next.edition and checkpoint.next.edition.source,
    }
    import json  # A new box has no checkpoint, and starts without it.

    return json.dumps(row, separators=(",", ":"))


def _key(field: str) -> str:
    return field.replace("_", " ")


def _encoded(field: str, value: object) -> object:
    """A field of a game's state, as a JSON value."""
    match value:
        case GameStarted(first_posting=first, kind=kind, minutes=minutes, chosen=chosen):
            return [first, kind.value, minutes, chosen]
        case dict() if field == "recent":
            return [len(value), *_ranges(list(value))]
        case dict():
            return sorted(value.items())
        case set():
            return sorted(value)
        case _:
            return value


def _ranges(numbers: list[int]) -> list[list[int]]:
    """The first and last numbers of the ranges; another game's moves may lie between two."""
    ranges: list[list[int]] = []
    for number in numbers:
        if ranges and number - ranges[-1][1] <= LARGEST_GAP:
            ranges[-1][1] = number
        else:
            ranges.append([number, number])
    return ranges


def read(connection: sqlite3.Connection, row: CheckpointRow, edition: Edition) -> Checkpoint:
    """The checkpoint in a row. The edition is that of its game."""
    import json

    fields = json.loads(row.state)
    source = fields["next edition"]
    next_edition = editions.parse("the next edition", source) if source else None
    kind, minutes = fields["next kind"]
    return Checkpoint(
        game=_state(fields, row, edition, _moves(connection, row, *fields["recent"])),
        newest_game=fields["newest game"],
        played=tuple(fields["played"]),
        last_posting=row.posting,
        cards=tuple(records.CardKnown(n, bytes.fromhex(uid)) for n, uid in fields["cards"]),
        names=tuple(records.CardNamed(*named) for named in fields["names"]),
        replacing=fields["replacing"],
        next=records.NextGame(next_edition, Kind(kind), minutes),
    )


def has_moves(row: CheckpointRow) -> bool:
    """Whether money had moved in the game of a checkpoint."""
    import json

    return bool(row.id) and json.loads(row.state)["last"][1] > 0


def _moves(
    connection: sqlite3.Connection, row: CheckpointRow, count: int, *ranges: list[int]
) -> dict[int, Posting]:
    """The moves that can be undone, by number, oldest first."""
    where = "WHERE id BETWEEN ? AND ? AND game = ?"
    found = (rows.read(connection, "posting", where, *bounds, row.game) for bounds in ranges)
    postings = map(rows.posting_of, chain.from_iterable(found))
    moves = {posting.id: posting for posting in postings if posting.purpose.is_move}
    if len(moves) != count:
        raise rows.DamagedRow(f"a move is missing before checkpoint {row.id}")
    return moves


def _state(
    fields: dict[str, Any], row: CheckpointRow, edition: Edition, moves: dict[int, Posting]
) -> GameState:
    first, kind, minutes, chosen = fields["started"]
    state = GameState(GameStarted(row.game, edition, first, Kind(kind), minutes, chosen))
    for name, empty in vars(state).items():
        if name not in ("started", "recent", "last"):
            setattr(state, name, type(empty)(fields[_key(name)]))
    state.counted = {number: tuple(amounts) for number, amounts in fields["counted"]}
    state.recent, state.last = moves, records.Last(*fields["last"])
    return state
