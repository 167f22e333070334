"""A year of evenings on one ledger: starts stay cheap, and the file grows steadily.

Everything is counted, not timed. The moves are written straight to the ledger; a test checks that
this writes the same as a box.
"""

import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from firmware.storage.audit import audit
from firmware.storage.ledger_file import reading
from tests.campaign.years.cost import (
    Cost,
    copied,
    cost_of,
    cost_of_start,
    start,
    start_and_take_back,
)
from tests.campaign.years.players import MOVES
from tests.campaign.years.year import EVENINGS, Games, Way, Year, in_memory, size_of

# The tests share ledgers that take longer to write than to check.
pytestmark = [pytest.mark.xdist_group("year"), pytest.mark.timeout(300)]

MONTH = 30
PARTS = 6
"""Parts of an evening; starts after a power cut are counted after each."""
SOME_WEEKS = 40
LENGTHS = [
    pytest.param((Games.ONE, SOME_WEEKS), id="one game, some weeks"),
    pytest.param((Games.ONE, EVENINGS), id="one game, a year", marks=pytest.mark.long),
    pytest.param((Games.MANY, 180), id="many games, half a year", marks=pytest.mark.long),
]
"""One game is the worst case. (``make bench`` starts a box after a whole year of both.)"""
MEASURED = {1, 2, 3, 5, 10, 20, 30, 60, 90, 120, 180, 270, EVENINGS}
"""The evenings after which starts are counted."""


class Played(NamedTuple):
    """A year, and its measurements."""

    year: Year
    after_an_evening: Path
    """A copy of the ledger."""
    starts: dict[int, Cost]
    """After some evenings, with the box stopped."""
    first: list[Cost]
    """During the first evening, after a power cut."""
    last: list[Cost]
    sizes: list[int]
    """After each evening."""
    moves: list[int]
    leftovers: set[str]
    """The names of all files ever found in the ledger's folder."""


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    """On a file system with cheap syncs, if there is one."""
    with tempfile.TemporaryDirectory(dir=in_memory()) as made:
        yield Path(made)


@pytest.fixture(scope="module", params=LENGTHS)
def played(request: pytest.FixtureRequest, folder: Path) -> Played:
    games, last = request.param
    ledger = folder / f"{games.value}-{last}" / "box.db"
    ledger.parent.mkdir()
    kept = ledger.parent / "kept"
    played = Played(Year(ledger, games, Way.LEDGER), kept / ledger.name, {}, [], [], [], [], set())
    for evening in range(1, last + 1):
        if evening in (1, last):
            pulled = played.first if evening == 1 else played.last
            pulled += _evening_with_pulled_plugs(played.year, kept / "pulled")
        else:
            played.year.evening()
        if evening == 1:
            copied(ledger, kept)
        if evening in MEASURED:
            played.starts[evening] = cost_of_start(ledger)
        played.sizes.append(size_of(ledger))
        played.moves.append(played.year.players.moves)
        played.leftovers.update(file.name for file in ledger.parent.glob("*box*"))
    return played


def _evening_with_pulled_plugs(year: Year, folder: Path) -> list[Cost]:
    costs = []
    with year.started() as bank:
        year.begin(bank)
        for part in range(PARTS):
            year.players.play(bank, MOVES // PARTS)
            costs.append(cost_of_start(copied(year.ledger, folder / str(part))))
    return costs


def at_most_twice(after: Cost, before: Cost) -> None:
    most = Cost(*(2 * figure for figure in before))
    assert all(a <= m for a, m in zip(after, most, strict=True)), f"{after}; at most {most}"


def test_start_after_a_year_costs_at_most_twice_as_much(played: Played) -> None:
    for cost in played.starts.values():
        at_most_twice(cost, played.starts[1])


def test_start_after_power_cut_costs_at_most_twice_as_much(played: Played) -> None:
    worst = Cost(*map(max, zip(*played.first, strict=True)))
    for cost in played.last:
        at_most_twice(cost, worst)


def test_undo_keys_cost_at_most_twice_as_much(played: Played) -> None:
    before = cost_of(start_and_take_back, played.after_an_evening)
    at_most_twice(cost_of(start_and_take_back, played.year.ledger), before)


def test_file_growth_is_constant(played: Played) -> None:
    def per_move(first: int, last: int) -> float:
        grown = played.sizes[last] - played.sizes[first]
        return grown / (played.moves[last] - played.moves[first])

    early, late = per_move(0, MONTH), per_move(-1 - MONTH, -1)
    # The numbers of postings and games grow by a byte or two.
    assert late == pytest.approx(early, rel=0.15)
    assert late < 64


def test_no_files_are_left_beside_the_ledger(played: Played) -> None:
    assert played.leftovers == {played.year.ledger.name}


def test_start_without_play_does_not_change_the_file(played: Played) -> None:
    before = played.year.ledger.read_bytes()
    for _ in range(10):
        start(played.year.ledger)
    assert played.year.ledger.read_bytes() == before


def test_ledger_passes_audit(played: Played) -> None:
    with reading(played.year.ledger) as connection:
        faults = [fault for finding in audit(connection) for fault in finding.faults]
    assert faults == []


@pytest.mark.long
def test_interrupted_game_costs_no_more_to_start(folder: Path) -> None:
    """The moves that C can undo are then far apart in the ledger."""
    year = Year(folder / "aside.db", Games.ONE, Way.LEDGER)
    year.evening()
    before = cost_of_start(year.ledger)
    with year.set_aside() as bank:
        for _ in range(MONTH):
            year.players.play(bank)
    at_most_twice(cost_of_start(year.ledger), before)
    for _ in range(PARTS):
        with year.started() as bank:
            year.players.play(bank, MOVES // PARTS)
        at_most_twice(cost_of_start(year.ledger), before)


@pytest.mark.long
@pytest.mark.parametrize("games", Games, ids=lambda games: games.value)
def test_ledger_and_box_write_the_same(folder: Path, games: Games) -> None:
    written = []
    for way in Way:
        year = Year(folder / f"{games.value} by {way.value}.db", games, way)
        # Includes the first clock game, lost card and mistaken game.
        for _ in range(20):
            year.evening(MOVES // 20)
        written.append(rows_of(year.ledger))
    assert written[0] == written[1]


def rows_of(ledger: Path) -> dict[str, list[Any]]:
    """All rows, without dates and the checksums that depend on them."""
    with closing(sqlite3.connect(ledger)) as connection:
        return {
            "game": connection.execute("SELECT id, edition, first_posting FROM game").fetchall(),
            "posting": connection.execute(
                "SELECT id, game, payer, payee, amount, purpose, reverses FROM posting"
            ).fetchall(),
            "card": connection.execute("SELECT id, what, number, text FROM card").fetchall(),
            "event": connection.execute(
                "SELECT id, what, game, number, amount, text, posting FROM event"
            ).fetchall(),
        }
