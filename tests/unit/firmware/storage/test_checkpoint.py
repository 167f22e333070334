"""A checkpoint is written as JSON and read without loss."""

import json
from collections.abc import Iterable, Iterator
from typing import Any

import pytest

from firmware.bank import edition as editions
from firmware.bank.purposes import Purpose
from firmware.bank.records import (
    BANK,
    CardKnown,
    CardNamed,
    Checkpoint,
    GameStarted,
    GameState,
    Kind,
    Last,
    NextGame,
    Posting,
)
from firmware.storage import rows
from firmware.storage.checkpoint import LARGEST_GAP, CheckpointRow, has_moves, read, written
from firmware.storage.store import Store

BANKING = editions.load("banking")


def move(number: int) -> Posting:
    return Posting(number, 3, 1, BANK, 1_000, Purpose.FINE)


def checkpoint(*moves: Posting) -> Checkpoint:
    state = GameState(GameStarted(3, BANKING, 11, Kind.CLOCK, 90, chosen=True))
    state.balances = {BANK: -5_000, 1: 4_000, 2: 1_000}
    state.recent = {posting.id: posting for posting in moves}
    state.taken_back, state.made_again, state.bankruptcies = {13, 12}, {12}, {17}
    state.last = Last(19, 18)
    state.bankrupt, state.used, state.moved, state.closed = {2: 17}, {1: 12}, {1: 13}, {4: 10}
    state.counted = {2: (), 1: (300, 200)}
    state.added = {2: 500, 1: 300}
    state.counting = True
    cards = CardKnown(2, b"\x02" * 7), CardKnown(1, b"\x01" * 4)
    names = (CardNamed(1, "Ana"), CardNamed(2, "Zoé"))
    chosen = NextGame(editions.load("europe"), Kind.CLOCK, 45)
    return Checkpoint(state, 4, (1, 4, 2), 19, cards, names, 2, chosen)


def read_beside(moves: Iterable[Posting], text: str) -> Checkpoint:
    """The checkpoint that a ledger with these moves has."""
    connection = Store.in_memory(lambda: 0)._connection
    for posting in moves:
        row = (*posting._replace(purpose=posting.purpose.value), 0)
        connection.execute(rows.INSERT["posting"], (*row, rows.seal("posting", row)))
    return read(connection, CheckpointRow(1, 3, 19, 0, 0, text), BANKING)


def test_nothing_is_lost() -> None:
    moves = move(12), move(13)
    before = checkpoint(*moves)
    after = read_beside(moves, written(before))
    assert after == before
    assert all(type(amounts) is tuple for amounts in after.game.counted.values())


def test_every_field_of_a_game_is_written() -> None:
    row = json.loads(written(checkpoint()))
    assert {name.replace("_", " ") for name in vars(checkpoint().game)} <= set(row)


@pytest.mark.parametrize(
    ("numbers", "ranges"),
    [
        ([], []),
        ([5], [[5, 5]]),
        ([5, 6, 6 + LARGEST_GAP], [[5, 6 + LARGEST_GAP]]),
        ([5, 6, 7 + LARGEST_GAP], [[5, 6], [7 + LARGEST_GAP, 7 + LARGEST_GAP]]),
    ],
)
def test_moves_are_named_by_ranges_of_rows(numbers: list[int], ranges: list[list[int]]) -> None:
    row = json.loads(written(checkpoint(*map(move, numbers))))
    assert row["recent"] == [len(numbers), *ranges]


def test_a_move_that_is_missing_is_noticed() -> None:
    text = written(checkpoint(move(12), move(13)))
    with pytest.raises(rows.DamagedRow, match="a move is missing before checkpoint 1"):
        read_beside([move(12)], text)


def numbers_in(row: object) -> Iterator[tuple[list[Any] | dict[str, Any], Any]]:
    """Where there is a number: the list or object, and the place in it."""
    if isinstance(row, list | dict):
        for place, value in row.items() if isinstance(row, dict) else enumerate(row):
            if type(value) is int:
                yield row, place
            yield from numbers_in(value)


@pytest.mark.parametrize(
    "wrong", [-(2**63), 2**63, 10**30, 1.5, 1e300, "1", "x", None, True, [], [1], {}]
)
def test_every_number_is_checked(wrong: object) -> None:
    """A box could not go on with it: SQLite's numbers have 64 bits."""
    moves = move(12), move(13)
    row = json.loads(written(checkpoint(*moves)))
    found = list(numbers_in(row))
    assert len(found) > 40
    for inside, place in found:
        before, inside[place] = inside[place], wrong
        if not (inside is row and place == "replacing" and wrong is None):
            with pytest.raises((rows.DamagedRow, *rows.ROW_ERRORS)):
                read_beside(moves, json.dumps(row))
        inside[place] = before
    assert read_beside(moves, json.dumps(row)) == checkpoint(*moves)


def test_a_replacement_of_an_unknown_card() -> None:
    row = json.loads(written(checkpoint()))
    row["replacing"] = 3
    with pytest.raises(rows.DamagedRow, match="checkpoint 1 replaces an unknown card"):
        read_beside((), json.dumps(row))


@pytest.mark.parametrize(("last", "moved"), [(Last(), False), (Last(4), False), (Last(9, 8), True)])
def test_whether_money_has_moved_in_its_game(last: Last, moved: bool) -> None:
    """What BACK finds (F20) depends on it."""
    before = checkpoint()
    before.game.last = last
    assert has_moves(CheckpointRow(1, 3, 19, 0, 0, written(before))) == moved


def test_without_a_checkpoint_no_money_has_moved() -> None:
    assert not has_moves(CheckpointRow(0, 0, 0, 0, 0, ""))
