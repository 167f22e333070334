"""``make bench``: how fast the bank is, compared with a baseline in the same run.

Times on a shared machine are noisy. So the bank and its baseline take turns, and the result is the
ratio of their medians.
"""

import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from firmware.bank import edition as editions
from firmware.bank.ledger import Ledger
from firmware.storage.ledger_file import opened_by_box
from firmware.storage.rows import INSERT, seal
from firmware.table.box import Box
from hal.events import CardIn, Instant, Key, KeyDown, KeyUp, Slot
from sim.board.stock import STOCK, players
from tests.bench import drivers, legibility, panel, starting, year
from tests.bench.evening import HOURS, MOVES, SLEEPS, play_evening

BANKING = editions.load("banking")
ROOT = Path(__file__).parent.parent.parent
TRANSFERS = 300
STARTS = 21


def timed(act: Callable[[], object]) -> float:
    start = time.perf_counter()
    act()
    return time.perf_counter() - start


def report(what: str, ratio: float, most: float, detail: str) -> None:
    verdict = "reached" if ratio <= most else "MISSED"
    print(f"{what}\n    {ratio:.2f} × (to reach: at most {most:g} ×, {verdict}); {detail}\n")


class Banker:
    """A box with a card in each slot, on a real file."""

    def __init__(self, ledger: Ledger) -> None:
        self._now = Instant(0)
        self._box = Box(ledger, self._now)
        self._box.handle(CardIn(self._now, Slot.LEFT, STOCK[0]))
        self._box.handle(CardIn(self._now, Slot.RIGHT, STOCK[1]))

    def type(self, keys: str) -> None:
        for letter in keys:
            self._box.handle(KeyDown(self._now, Key(letter)))
            self._box.handle(KeyUp(self._now, Key(letter)))

    def transfer(self) -> None:
        """From the unit key to the durable commit."""
        self._box.handle(KeyDown(self._now, Key.THOUSANDS))
        self._box.handle(KeyUp(self._now, Key.THOUSANDS))


class Baseline:
    """Writes the same rows with the same durability by ``sqlite3`` alone."""

    def __init__(self, path: Path) -> None:
        with opened_by_box(path) as store:
            Ledger(store, BANKING).know(players(BANKING))
        self._connection = sqlite3.connect(path, isolation_level=None)
        self._connection.execute("PRAGMA journal_mode = WAL")
        self._connection.execute("PRAGMA synchronous = EXTRA")
        self._last = 6

    def transfer(self) -> None:
        self._last += 1
        row = (self._last, 1, 2, 1, 10_000, "entry", None, 1_000_000_000)
        self._connection.execute(INSERT["posting"], (*row, seal("posting", row)))


def bench_transfer(folder: Path) -> tuple[float, float]:
    """Median seconds of a transfer: the bank's, and the baseline's."""
    ours, theirs = [], []
    baseline = Baseline(folder / "baseline.db")
    with opened_by_box(folder / "ours.db") as store:
        ledger = Ledger(store, BANKING)
        ledger.know(players(BANKING))
        banker = Banker(ledger)
        for _ in range(TRANSFERS):
            banker.type("10")
            ours.append(timed(banker.transfer))
            theirs.append(timed(baseline.transfer))
    return statistics.median(ours), statistics.median(theirs)


def bench_transfers() -> None:
    memory = Path("/dev/shm")
    for name, parent, most in (("on disk", ROOT / "build", 1.5), ("in memory", memory, None)):
        if not parent.is_dir():
            parent.mkdir()
        folder = Path(tempfile.mkdtemp(prefix="tellerbox-bench-", dir=parent))
        try:
            ours, theirs = bench_transfer(folder)
        finally:
            shutil.rmtree(folder)
        detail = f"{ours * 1e6:.0f} µs beside {theirs * 1e6:.0f} µs, median of {TRANSFERS}"
        if most:
            report(
                f"a transfer {name}, beside the same row through sqlite3",
                ours / theirs,
                most,
                detail,
            )
        else:
            share = (ours - theirs) * 1e6
            print(
                f"the bank's own share of a transfer, on a memory file system\n"
                f"    {share:.0f} µs a transfer, {ours / theirs:.2f} ×; {detail}\n"
            )


def bench_evening() -> None:
    seconds = timed(play_evening)
    verdict = "reached" if seconds <= 2 else "MISSED"
    print(
        f"an evening: 6 players, 3 hours, {MOVES} moves, {SLEEPS} sleeps, a store in memory\n"
        f"    {seconds:.2f} s (to reach: at most 2 s, {verdict}); "
        f"{HOURS * 3600 / seconds:,.0f} simulated seconds a second\n"
    )


def bench_start() -> None:
    script = ROOT / "build" / "one-line.box"
    script.write_text("expect screen -----\n")
    command = Path(sys.executable).with_name("tellerbox")

    def run(*words: str | Path) -> float:
        return timed(lambda: subprocess.run(words, stdout=subprocess.DEVNULL, check=True))

    pairs = [
        (run(command, "play", script), run(sys.executable, "-c", "import sqlite3"))
        for _ in range(STARTS)
    ]
    ours, theirs = (statistics.median(side) for side in zip(*pairs, strict=True))
    detail = f"{ours * 1e3:.0f} ms beside {theirs * 1e3:.0f} ms, median of {STARTS}"
    report("`tellerbox play` of one line, beside `import sqlite3`", ours / theirs, 3.5, detail)


if __name__ == "__main__":
    bench_transfers()
    bench_evening()
    bench_start()
    starting.bench_first_screen(report)
    starting.bench_memory()
    year.bench_year(report)
    drivers.main()
    legibility.main()
    panel.main()
