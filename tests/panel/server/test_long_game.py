"""A game of any length: what a page gets, and what a move and a page that joins cost.

The costs are counted, not timed. ``make bench`` has the times.
"""

import json
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from firmware.bank import edition as editions
from firmware.bank.ledger import Ledger
from firmware.bank.purposes import Purpose
from firmware.bank.records import BANK
from firmware.storage.ledger_file import opened_by_box
from sim.panel.ledger.accounts import AccountsReader
from sim.panel.ledger.chart_reader import SLICE
from sim.panel.ledger.postings import LARGEST_ID, PART
from tests.campaign.years.cost import counted_calls, counted_steps
from tests.campaign.years.year import EVENINGS, Games, Way, Year, in_memory
from tests.panel.conftest import StartPanel
from tests.panel.server.page_connection import PageConnection, connect, run

MOST_BYTES = 100_000
"""Of all messages to a page that joins."""
SHORT = 1_000
"""Moves; the chart of more has no more points."""
LENGTHS = [
    pytest.param(5 * SHORT, id="a few evenings"),
    pytest.param(EVENINGS * 600, id="a year", marks=[pytest.mark.long, pytest.mark.timeout(300)]),
]


def write_game(path: Path, moves: int) -> Path:
    year = Year(path, Games.ONE, Way.LEDGER)
    year.evening(moves)
    return path


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    """On a file system with cheap syncs, if there is one."""
    with tempfile.TemporaryDirectory(dir=in_memory()) as made:
        yield Path(made)


@pytest.fixture(scope="module")
def short_game(folder: Path) -> Path:
    return write_game(folder / "short.db", SHORT)


@pytest.fixture(scope="module", params=LENGTHS)
def long_game(request: pytest.FixtureRequest, folder: Path) -> Path:
    return write_game(folder / f"{request.param}.db", request.param)


def move(path: Path, count: int = 1) -> None:
    with opened_by_box(path) as store:
        ledger = Ledger(store, editions.load("banking"))
        for _ in range(count):
            ledger.move(BANK, 1, 10_000, Purpose.ENTRY)
            ledger.move(1, BANK, 10_000, Purpose.ENTRY)


def caught_up(path: Path) -> AccountsReader:
    """A reader that has read all of the game."""
    reader = AccountsReader(path)
    reader.changes()
    while reader.behind:
        reader.read_on()
    assert reader.changes()
    return reader


class Cost(NamedTuple):
    """The cost of a move, and of a page that joins."""

    steps: int
    """Instructions of SQLite's virtual machine."""
    rows: int
    calls: int
    """Calls of functions."""


def costs(path: Path) -> dict[str, Cost]:
    found = {}
    for what in ("changes", "whole"):
        with counted_steps() as queries:
            reader = caught_up(path)
            move(path)
            before = queries.steps, queries.rows
            assert getattr(reader, what)()
            steps, rows = queries.steps - before[0], queries.rows - before[1]
            move(path)
            with counted_calls() as calls:
                assert getattr(reader, what)()
            reader.close()
        found[what] = Cost(steps, rows, calls.total())
    return found


def test_a_move_and_a_page_that_joins_cost_no_more_in_a_long_game(
    short_game: Path, long_game: Path
) -> None:
    short, long = costs(short_game), costs(long_game)
    for what, cost in long.items():
        most = Cost(*(2 * figure for figure in short[what]))
        assert all(a <= m for a, m in zip(cost, most, strict=True)), f"{what}: {cost}; {most}"


def test_the_chart_is_read_in_slices(long_game: Path) -> None:
    with counted_steps() as queries:
        reader = AccountsReader(long_game)
        first = reader.changes()
        assert first
        assert (first["moves"], first["chart"]) == (0, "")
        while reader.behind:
            before = queries.rows
            reader.read_on()
            assert queries.rows - before <= SLICE + 1
    last = reader.changes()
    assert last
    assert last["moves"] > 4 * SHORT
    assert last["chart"].count('class="line"') == 6
    reader.close()


def test_the_history_has_no_holes(long_game: Path) -> None:
    reader = caught_up(long_game)
    part = reader.older(LARGEST_ID)
    found: list[int] = []
    for _ in range(2 * SHORT // PART):
        assert part
        ids = [posting["id"] for posting in part["postings"]]
        assert len(ids) == PART
        assert [part["after"], *ids[:-1]] == [number - 1 for number in ids], "one sequence of ids"
        assert not found or found[0] == ids[-1] + 1
        found = [*ids, *found]
        part = reader.older(ids[0])
    oldest = reader.older(PART)
    assert oldest
    assert oldest["after"] == 0
    assert [posting["id"] for posting in oldest["postings"]] == list(range(1, PART))
    reader.close()


@pytest.mark.parametrize("before", [1, 0, -1, -(10**30)])
def test_there_is_nothing_before_the_first_posting(short_game: Path, before: int) -> None:
    reader = caught_up(short_game)
    assert reader.older(before) == {"game": 1, "after": 0, "postings": []}
    newest = reader.older(10**30)
    assert newest
    assert len(newest["postings"]) == PART
    reader.close()


def test_many_moves_at_once_leave_a_hole_that_shows(short_game: Path) -> None:
    """A page then starts anew from these, and asks for the others."""
    reader = caught_up(short_game)
    known = reader.older(LARGEST_ID)
    assert known
    move(short_game, count=PART)
    changes = reader.changes()
    assert changes
    assert len(changes["postings"]) == PART
    assert changes["after"] == known["postings"][-1]["id"] + PART
    reader.close()


def test_a_page_gets_at_most_100_kb_and_the_rest_on_demand(
    start_panel: StartPanel, long_game: Path, tmp_path: Path
) -> None:
    shutil.copyfile(long_game, tmp_path / "ledger.db")
    panel = start_panel()

    async def work() -> None:
        async with connect(panel.url) as first:
            await first.until(lambda: (first.last("ledger") or {}).get("moves", 0) > 4 * SHORT)
            async with connect(panel.url) as page:
                await page.until(lambda: page.last("lesson") is None and page.has("lesson"))
                assert size_of(page) < MOST_BYTES
                known = page.last("ledger")
                assert len(known["postings"]) == PART
                await page.send({"do": "older", "before": known["postings"][0]["id"]})
                await page.until(lambda: page.has("older"))
                older = page.last("older")
                assert older["postings"][-1]["id"] == known["after"]
                await page.send({"do": "older", "before": -(10**30)})
                await page.until(lambda: len(page.all("older")) == 2)
                assert page.last("older")["postings"] == []
            assert not first.has("older")

    run(work())


def size_of(page: PageConnection) -> int:
    texts: list[Any] = [json.dumps(message, ensure_ascii=False) for message in page.received]
    return sum(len(text.encode()) for text in texts) + sum(map(len, page.frames))
