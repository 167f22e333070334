"""A checkpoint as JSON: a snapshot of the ledger's state, so that a start need not replay all rows.

A checkpoint does not repeat other rows: the edition is read from the row of its game, the moves
that can be undone from their own rows. ``tellerbox ledger verify`` recalculates every checkpoint.
"""

import sqlite3
from itertools import chain
from typing import Any, NamedTuple

from firmware.bank import edition as editions
from firmware.bank import records
from firmware.bank.edition import LARGEST_AMOUNT, MOST_CARDS, Edition
from firmware.bank.records import (
    BANK,
    POT,
    Checkpoint,
    GameStarted,
    GameState,
    Kind,
    Posting,
)
from firmware.storage import rows

LARGEST_GAP = 16
"""Moves whose numbers differ by at most this are read in one query."""
LARGEST_BALANCE = 2**63 - 1
"""Of the pot, which has no limit of its own."""
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
    cards = [records.CardKnown(_card(n), bytes.fromhex(uid)) for n, uid in fields["cards"]]
    replacing = None if fields["replacing"] is None else _card(fields["replacing"])
    if replacing not in (None, *(card.number for card in cards)):
        raise rows.DamagedRow(f"checkpoint {row.id} replaces an unknown card")
    return Checkpoint(
        game=_state(fields, row, edition, _moves(connection, row, *fields["recent"])),
        newest_game=_row(fields["newest game"]),
        played=tuple(map(_row, fields["played"])),
        last_posting=row.posting,
        cards=tuple(cards),
        names=tuple(records.CardNamed(_card(n), str(name)) for n, name in fields["names"]),
        replacing=replacing,
        next=records.NextGame(next_edition, Kind(kind), rows.minutes(minutes)),
    )


def _row(value: object) -> int:
    return rows.within(value, 0, rows.MOST_ROWS, "a row in a checkpoint")


def _card(value: object) -> int:
    return rows.within(value, 1, MOST_CARDS, "a card in a checkpoint")


def _account(value: object) -> int:
    return rows.within(value, BANK, POT, "an account in a checkpoint")


def _balance(value: object) -> int:
    """Also that of the bank; ``Game`` checks it."""
    return rows.within(value, -LARGEST_BALANCE, LARGEST_BALANCE, "a balance in a checkpoint")


def _amount(value: object) -> int:
    return rows.within(value, 0, LARGEST_AMOUNT, "an amount in a checkpoint")


def has_moves(row: CheckpointRow) -> bool:
    """Whether money had moved in the game of a checkpoint."""
    import json

    return bool(row.id) and _row(json.loads(row.state)["last"][1]) > 0


def _moves(
    connection: sqlite3.Connection, row: CheckpointRow, count: object, *ranges: list[object]
) -> dict[int, Posting]:
    """The moves that can be undone, by number, oldest first."""
    where = "WHERE id BETWEEN ? AND ? AND game = ?"
    found = (
        rows.read(connection, "posting", where, _row(first), _row(last), row.game)
        for first, last in ranges
    )
    postings = map(rows.posting_of, chain.from_iterable(found))
    moves = {posting.id: posting for posting in postings if posting.purpose.is_move}
    if len(moves) != _row(count):
        raise rows.DamagedRow(f"a move is missing before checkpoint {row.id}")
    return moves


def _state(
    fields: dict[str, Any], row: CheckpointRow, edition: Edition, moves: dict[int, Posting]
) -> GameState:
    def posting(value: object) -> int:
        return rows.within(value, 0, row.posting, f"a posting in checkpoint {row.id}")

    first, kind, minutes, chosen = fields["started"]
    started = GameStarted(
        row.game, edition, _row(first), Kind(kind), rows.minutes(minutes), bool(chosen)
    )
    state = GameState(started)
    # Most fields are about postings; those that are not follow.
    for name, empty in vars(state).items():
        value = fields[_key(name)]
        match empty:
            case dict() if name not in ("recent", "balances", "counted", "added"):
                setattr(state, name, {_account(number): posting(last) for number, last in value})
            case set():
                setattr(state, name, set(map(posting, value)))
            case bool():
                setattr(state, name, bool(value))
    state.recent, state.last = moves, records.Last(*map(posting, fields["last"]))
    state.balances = {_account(number): _balance(held) for number, held in fields["balances"]}
    state.counted = {_card(n): tuple(map(_amount, amounts)) for n, amounts in fields["counted"]}
    state.added = {_card(number): _amount(added) for number, added in fields["added"]}
    return state
