"""A checkpoint as text: what a ledger had come to, in JSON, so that a start need not add it up.

What other rows say already is not said again: the edition of its game is read from the row of
that game, and the moves within reach are read from theirs, stretch by stretch.
``tellerbox ledger verify`` adds everything up and compares.
"""

import json
from typing import Any, NamedTuple

from firmware import edition as editions
from firmware.edition import Edition
from firmware.records import (
    CardKnown,
    Checkpoint,
    Figures,
    GameStarted,
    GameState,
    Kind,
    KindChosen,
    Posting,
)

CLOSE = 16
"""Moves with fewer numbers between them are read in one go."""


class Elsewhere(NamedTuple):
    """What a checkpoint leaves to other rows."""

    edition: Edition
    moves: tuple[Posting, ...]
    """Those of its game, from the oldest within reach to the newest."""


def written(checkpoint: Checkpoint) -> str:
    """What becomes of it in its row."""
    game = checkpoint.game
    _, _, first, kind, minutes, chosen = game.started
    said = {
        "started": [first, kind.value, minutes, chosen],
        "balances": game.balances,
        "recent": [len(game.recent), *_stretches([move.id for move in game.recent])],
        "taken back": game.taken_back,
        "last": [game.last_posting, game.last_move],
        "joined": game.joined,
        "bankrupt": game.bankrupt,
        "used": game.used,
        "moved": game.moved,
        "closed": game.closed,
        "bankruptcies": game.bankruptcies,
        "added": game.added,
        "counting": game.counting,
        "newest game": checkpoint.newest_game,
        "game before": checkpoint.game_before,
        "cards": [(card.number, card.uid.hex()) for card in checkpoint.cards],
        "replacing": checkpoint.replacing,
        "next kind": [checkpoint.next_kind.kind.value, checkpoint.next_kind.minutes],
        "next edition": checkpoint.next_edition and checkpoint.next_edition.source,
    }
    return json.dumps(said, separators=(",", ":"))


def _stretches(numbers: list[int]) -> list[list[int]]:
    """From where to where the moves lie; where a game was set aside, others' lie in between."""
    stretches: list[list[int]] = []
    for number in numbers:
        if stretches and number - stretches[-1][1] <= CLOSE:
            stretches[-1][1] = number
        else:
            stretches.append([number, number])
    return stretches


class Said(NamedTuple):
    """What stands in the row."""

    all: dict[str, Any]
    moves: int
    """How many there are within reach."""
    stretches: list[list[int]]
    """Where their rows are, by the first and the last number of each."""


def parsed(text: str) -> Said:
    everything = json.loads(text)
    moves, *stretches = everything["recent"]
    return Said(everything, moves, stretches)


def read(row: Said, number: int, last_posting: int, elsewhere: Elsewhere) -> Checkpoint:
    """What a row says of a ledger that played the game of this number."""
    said = row.all
    first, kind, minutes, chosen = said["started"]
    last, last_move = said["last"]
    source = said["next edition"]
    state = GameState(
        started=GameStarted(number, elsewhere.edition, first, Kind(kind), minutes, chosen),
        balances=_figures(said["balances"]),
        recent=elsewhere.moves,
        taken_back=tuple(said["taken back"]),
        last_posting=last,
        last_move=last_move,
        joined=tuple(said["joined"]),
        bankrupt=_figures(said["bankrupt"]),
        used=_figures(said["used"]),
        moved=_figures(said["moved"]),
        closed=_figures(said["closed"]),
        bankruptcies=tuple(said["bankruptcies"]),
        added=_figures(said["added"]),
        counting=said["counting"],
    )
    next_kind, next_minutes = said["next kind"]
    return Checkpoint(
        game=state,
        newest_game=said["newest game"],
        game_before=said["game before"],
        last_posting=last_posting,
        cards=tuple(CardKnown(n, bytes.fromhex(uid)) for n, uid in said["cards"]),
        replacing=said["replacing"],
        next_edition=editions.parse("the next edition", source) if source else None,
        next_kind=KindChosen(Kind(next_kind), next_minutes),
    )


def _figures(pairs: list[list[int]]) -> Figures:
    return tuple((number, figure) for number, figure in pairs)
