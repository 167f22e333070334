"""The cost of a start, counted instead of timed, so that other load does not matter.

A start is what ``tellerbox run`` does from opening the ledger to the first screen.
"""

import shutil
import sqlite3
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple
from unittest.mock import patch

from sim.board.clocks import VirtualClock
from sim.board.software_harness import SoftwareHarness
from tests.campaign.years.box import opened, running_on
from tests.campaign.years.box_interface import BoxInterface


class Cost(NamedTuple):
    """The cost of one start."""

    steps: int
    """Instructions of SQLite's virtual machine."""
    rows: int
    """Rows returned by SQLite."""
    calls: int
    """Calls of Python and C functions."""
    read: int
    """Bytes read from files."""

    def __str__(self) -> str:
        return ", ".join(f"{value} {name}" for name, value in zip(self._fields, self, strict=True))


def start(ledger: Path) -> None:
    """Start the box, show the first screen, and stop."""
    with opened(ledger) as found, running_on(SoftwareHarness(VirtualClock()), found):
        pass


def start_and_take_back(ledger: Path) -> None:
    """Start and use the keys that need old moves: C, the menu, HISTORY, AGAIN and BACK."""
    harness = SoftwareHarness(VirtualClock())
    with opened(ledger) as found, running_on(harness, found):
        box = BoxInterface(harness, found.ledger.cards)
        box.salary(1)
        box.take_back()
        box.pay_again()
        box.end_turn()
        box.take_back_older(0)
        box.new_game()
        box.go_back()


def copied(ledger: Path, folder: Path) -> Path:
    """Copy the ledger as it is on disk, with its log if a box has it open.

    This is the state after a power cut. Measuring a copy leaves the ledger itself alone.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for ending in ("", "-wal"):
        if ledger.with_name(ledger.name + ending).exists():
            shutil.copyfile(f"{ledger}{ending}", folder / f"{ledger.name}{ending}")
    return folder / ledger.name


def cost_of_start(ledger: Path) -> Cost:
    """The cost of a start on a ledger left by a stopped box or a power cut."""
    return cost_of(start, ledger)


def cost_of(action: Callable[[Path], None], ledger: Path) -> Cost:
    with copy_of(ledger) as copy:
        action(copy)  # warms up: imports are not counted
    with copy_of(ledger) as copy:
        read = _bytes_read(lambda: action(copy))
    with copy_of(ledger) as copy, counted_calls() as calls:
        action(copy)
    with copy_of(ledger) as copy, counted_steps() as queries:
        action(copy)
    return Cost(queries.steps, queries.rows, calls.total(), read)


@contextmanager
def copy_of(ledger: Path) -> Iterator[Path]:
    """A fresh copy: a start may change the log and make the next one cheaper."""
    with tempfile.TemporaryDirectory(dir=ledger.parent) as folder:
        yield copied(ledger, Path(folder))


def _bytes_read(action: Callable[[], None]) -> int:
    before = _read_so_far()
    own = _read_so_far() - before
    before = _read_so_far()
    action()
    return _read_so_far() - before - own


def _read_so_far() -> int:
    """Bytes that this process has read so far, from any file."""
    words = Path("/proc/self/io").read_text().split()
    return int(words[words.index("rchar:") + 1])


@contextmanager
def counted_calls() -> Iterator[Counter[str]]:
    """Count every function call by name."""
    found: Counter[str] = Counter()

    def note(frame: FrameType, what: str, called: Any) -> None:
        if what == "call":
            found[f"{frame.f_code.co_filename}:{frame.f_code.co_qualname}"] += 1
        elif what == "c_call":
            found[called.__qualname__] += 1

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        yield found
    finally:
        sys.setprofile(before)


class Queries:
    """Steps and rows of each query."""

    def __init__(self) -> None:
        self.steps_of: Counter[str] = Counter()
        self.rows_of: Counter[str] = Counter()
        self.running = ""

    @property
    def steps(self) -> int:
        return self.steps_of.total()

    @property
    def rows(self) -> int:
        return self.rows_of.total()

    def step(self) -> int:
        self.steps_of[self.running] += 1
        return 0


@contextmanager
def counted_steps() -> Iterator[Queries]:
    """Count the work of every connection opened meanwhile."""
    queries = Queries()
    real = sqlite3.connect

    class CountedCursor(sqlite3.Cursor):
        asked = ""

        def execute(self, sql: str, *values: Any) -> "CountedCursor":
            self.asked = queries.running = sql
            super().execute(sql, *values)
            return self

        def __next__(self) -> Any:
            queries.running = self.asked
            row = super().__next__()
            queries.rows_of[self.asked] += 1
            return row

        def fetchone(self) -> Any:
            return next(self, None)

        def fetchall(self) -> list[Any]:
            return list(self)

    class CountedConnection(sqlite3.Connection):
        def cursor(self, factory: Any = CountedCursor) -> Any:
            return super().cursor(factory)

        def execute(self, sql: str, *values: Any) -> CountedCursor:
            found: CountedCursor = self.cursor().execute(sql, *values)
            return found

    def connect(*words: Any, **options: Any) -> sqlite3.Connection:
        connection = real(*words, factory=CountedConnection, **options)
        connection.set_progress_handler(queries.step, 1)
        return connection

    with patch("sqlite3.connect", connect):
        yield queries
