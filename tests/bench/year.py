"""A start after a year of evenings compared with a start after one, and the size of the ledgers.

Each ledger ends with a power cut, as an evening does, so it still has SQLite's log.
"""

import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from tests.bench.starting import started_box
from tests.campaign.years.cost import copied
from tests.campaign.years.year import EVENINGS, Games, Way, Year, in_memory, size_of

STARTS = 15
MONTH = 30
MOST = 2


class Ledger(NamedTuple):
    """A ledger after a power cut."""

    path: Path
    moves: int
    early: float
    """Bytes per move in the first month."""
    late: float
    """Bytes per move in the last month."""


def play(folder: Path, games: Games, evenings: int) -> Ledger:
    """Write the moves straight through the bank's ledger, because a year at a box takes minutes."""
    year = Year(folder / f"{games.value}-{evenings}.db", games, Way.LEDGER)
    sizes, moves = [0], [0]
    for evening in range(1, evenings):
        year.evening()
        sizes.append(size_of(year.ledger))
        moves.append(year.players.moves)
        _progress(f"{games.value} games, evening {evening} of {evenings}")
    with year.started() as bank:
        year.begin(bank)
        year.players.play(bank)
        path = copied(year.ledger, folder / "pulled")
    _progress("")
    early, late = (
        (sizes[b] - sizes[a]) / max(moves[b] - moves[a], 1)
        for a, b in ((0, min(MONTH, evenings - 1)), (max(0, evenings - 1 - MONTH), -1))
    )
    return Ledger(path, year.players.moves, early, late)


def start(ledger: Ledger) -> float:
    """Seconds from the start of the process to the first screen."""
    with tempfile.TemporaryDirectory(dir=in_memory()) as folder:
        path = copied(ledger.path, Path(folder))
        with started_box(path) as box:
            return box.first_screen


def verify(ledger: Ledger) -> float:
    command = Path(sys.executable).with_name("tellerbox")
    began = time.perf_counter()
    subprocess.run(
        [command, "ledger", "verify", "--ledger", ledger.path],
        stdout=subprocess.DEVNULL,
        check=True,
    )
    return time.perf_counter() - began


def bench_year(report: Callable[[str, float, float, str], None]) -> None:
    with tempfile.TemporaryDirectory(dir=in_memory()) as name:
        folder = Path(name)
        evening = play(folder, Games.MANY, 1)
        years = {games: play(folder, games, EVENINGS) for games in Games}
        rounds = []
        for turn in range(STARTS):
            _progress(f"start {turn + 1} of {STARTS}")
            rounds.append([start(ledger) for ledger in (evening, *years.values())])
        _progress("")
        before, *after = (statistics.median(side) for side in zip(*rounds, strict=True))
        for (games, year), seconds in zip(years.items(), after, strict=True):
            what = "a new game every evening" if games is Games.MANY else "all of them one game"
            report(
                f"process start to first screen after {EVENINGS} evenings, {what}, beside that "
                "after one",
                seconds / before,
                MOST,
                f"{seconds * 1e3:.0f} ms beside {before * 1e3:.0f} ms, median of {STARTS}",
            )
            size = year.path.stat().st_size
            print(
                f"the ledger of that year\n    {size / 1e6:.1f} MB, {year.moves} moves and "
                f"reversals; {year.early:.1f} bytes a move in the first month, {year.late:.1f} in "
                f"the last; `ledger verify` takes {verify(year):.1f} s\n"
            )


def _progress(text: str) -> None:
    """Show progress at a terminal."""
    if sys.stderr.isatty():
        print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)
