"""A year of evenings on one ledger: starts stay cheap, and the file grows by what is played.

Everything is counted, nothing timed. The year is written with the bank's own pen, which is
proven first to write what hands at a box do.
"""

import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from firmware.audit import audit
from firmware.ledger_file import reading
from tests.long.cost import Cost, copied, cost_of, cost_of_start, start, start_and_take_back
from tests.long.people import MOVES
from tests.long.year import EVENINGS, Games, Way, Year, in_memory, size_of

MONTH = 30
PARTS = 6
"""A plug may be pulled at any point of an evening: starts are counted after each of these."""
LENGTHS = {Games.ONE: EVENINGS, Games.MANY: 180}
"""One game is the worst case. (``make bench`` starts a box after a whole year of both.)"""
LOOKS = {1, 2, 3, 5, 10, 20, 30, 60, 90, 120, 180, 270, EVENINGS}
"""The evenings after which starts are counted: nothing may swell up on the way either."""


class Played(NamedTuple):
    """A year, and what was counted in it."""

    year: Year
    after_an_evening: Path
    """A copy of the ledger."""
    starts: dict[int, Cost]
    """After some evenings, the box having been stopped."""
    first: list[Cost]
    """In the course of the first evening, the plug having been pulled."""
    last: list[Cost]
    sizes: list[int]
    """After each evening."""
    moves: list[int]
    beside: set[str]
    """What ever stayed in the folder beside the ledger."""


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    """On a file system on which a sync costs nothing, where there is one."""
    with tempfile.TemporaryDirectory(dir=in_memory()) as made:
        yield Path(made)


@pytest.fixture(scope="module", params=Games, ids=lambda games: games.value)
def played(request: pytest.FixtureRequest, folder: Path) -> Played:
    games: Games = request.param
    ledger = folder / games.value / "box.db"
    ledger.parent.mkdir()
    kept = folder / games.value / "kept"
    played = Played(Year(ledger, games, Way.PEN), kept / ledger.name, {}, [], [], [], [], set())
    last = LENGTHS[games]
    for evening in range(1, last + 1):
        if evening in (1, last):
            pulled = played.first if evening == 1 else played.last
            pulled += _evening_with_pulled_plugs(played.year, kept / "pulled")
        else:
            played.year.evening()
        if evening == 1:
            copied(ledger, kept)
        if evening in LOOKS:
            played.starts[evening] = cost_of_start(ledger)
        played.sizes.append(size_of(ledger))
        played.moves.append(played.year.people.moves)
        played.beside.update(file.name for file in ledger.parent.glob("*box*"))
    return played


def _evening_with_pulled_plugs(year: Year, folder: Path) -> list[Cost]:
    costs = []
    with year.started() as counter:
        year.begin(counter)
        for part in range(PARTS):
            year.people.play(counter, MOVES // PARTS)
            costs.append(cost_of_start(copied(year.ledger, folder / str(part))))
    return costs


def at_most_twice(after: Cost, before: Cost) -> None:
    most = Cost(*(2 * figure for figure in before))
    assert all(a <= m for a, m in zip(after, most, strict=True)), f"{after}; at most {most}"


def test_a_start_after_a_year_costs_at_most_twice_that_after_an_evening(played: Played) -> None:
    for cost in played.starts.values():
        at_most_twice(cost, played.starts[1])


def test_wherever_in_the_last_evening_the_plug_is_pulled(played: Played) -> None:
    worst = Cost(*map(max, zip(*played.first, strict=True)))
    for cost in played.last:
        at_most_twice(cost, worst)


def test_keys_that_look_into_the_past_take_no_longer(played: Played) -> None:
    before = cost_of(start_and_take_back, played.after_an_evening)
    at_most_twice(cost_of(start_and_take_back, played.year.ledger), before)


def test_the_file_grows_by_what_is_played_and_no_faster_in_the_last_month(played: Played) -> None:
    def per_move(first: int, last: int) -> float:
        grown = played.sizes[last] - played.sizes[first]
        return grown / (played.moves[last] - played.moves[first])

    early, late = per_move(0, MONTH), per_move(-1 - MONTH, -1)
    # The numbers of postings and games get longer by a byte or two.
    assert late == pytest.approx(early, rel=0.15)
    assert late < 64


def test_nothing_stays_beside_the_ledger(played: Played) -> None:
    assert played.beside == {played.year.ledger.name}


def test_a_start_after_which_nobody_plays_leaves_the_file_as_it_was(played: Played) -> None:
    before = played.year.ledger.read_bytes()
    for _ in range(10):
        start(played.year.ledger)
    assert played.year.ledger.read_bytes() == before


def test_the_year_is_sound(played: Played) -> None:
    with reading(played.year.ledger) as connection:
        faults = [fault for finding in audit(connection) for fault in finding.faults]
    assert faults == []


def test_a_game_that_was_set_aside_for_a_month_costs_no_more_to_start(folder: Path) -> None:
    """The moves that are within reach of C then lie far apart in the ledger."""
    year = Year(folder / "aside.db", Games.ONE, Way.PEN)
    year.evening()
    before = cost_of_start(year.ledger)
    with year.set_aside() as counter:
        for _ in range(MONTH):
            year.people.play(counter)
    at_most_twice(cost_of_start(year.ledger), before)
    for _ in range(PARTS):
        with year.started() as counter:
            year.people.play(counter, MOVES // PARTS)
        at_most_twice(cost_of_start(year.ledger), before)


@pytest.mark.parametrize("games", Games, ids=lambda games: games.value)
def test_the_pen_writes_what_hands_at_a_box_do(folder: Path, games: Games) -> None:
    written = []
    for way in Way:
        year = Year(folder / f"{games.value} by {way.value}.db", games, way)
        # The first evenings of a year, with its first clock game, lost card and mistaken game.
        for _ in range(20):
            year.evening(MOVES // 20)
        written.append(rows_of(year.ledger))
    assert written[0] == written[1]


def rows_of(ledger: Path) -> dict[str, list[Any]]:
    """All that was written, but for dates and the seals that depend on them."""
    with closing(sqlite3.connect(ledger)) as connection:
        return {
            "game": connection.execute("SELECT id, edition, first_posting FROM game").fetchall(),
            "posting": connection.execute(
                "SELECT id, game, payer, payee, amount, purpose, reverses FROM posting"
            ).fetchall(),
            "card": connection.execute("SELECT id, what, number, uid FROM card").fetchall(),
            "event": connection.execute(
                "SELECT id, what, game, number, amount, text, posting FROM event"
            ).fetchall(),
        }
