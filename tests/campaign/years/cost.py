"""What a start of the box costs, counted and not timed: nobody else on the machine disturbs it.

A start is what ``tellerbox run`` does from the opening of the ledger to the first screen.
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

from sim.clocks import VirtualClock
from sim.software_stand import SoftwareStand
from tests.long.box import on_stand, opened
from tests.long.hands import Hands


class Cost(NamedTuple):
    """What one start took."""

    steps: int
    """Instructions of SQLite's virtual machine."""
    rows: int
    """Rows that SQLite handed over."""
    calls: int
    """Function calls, Python's and C's."""
    read: int
    """Bytes read from files."""

    def __str__(self) -> str:
        return ", ".join(f"{value} {name}" for name, value in zip(self._fields, self, strict=True))


def start(ledger: Path) -> None:
    """Plug the box in, look at the first screen, and pull the plug."""
    with opened(ledger) as found, on_stand(SoftwareStand(VirtualClock()), found):
        pass


def start_and_take_back(ledger: Path) -> None:
    """The keys that look into the past: C, the list, HISTORY, AGAIN; and a game is gone back to."""
    stand = SoftwareStand(VirtualClock())
    with opened(ledger) as found, on_stand(stand, found):
        hands = Hands(stand, found.ledger.cards)
        hands.salary(1)
        hands.take_back()
        hands.pay_again()
        hands.turn_over()
        hands.take_back_older(0)
        hands.new_game()
        hands.go_back()


def copied(ledger: Path, folder: Path) -> Path:
    """The ledger as it is on the disk now, with its log if a box has it open.

    So does a plug that is pulled leave it; and a start that is only counted leaves the
    ledger itself alone.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for ending in ("", "-wal"):
        if ledger.with_name(ledger.name + ending).exists():
            shutil.copyfile(f"{ledger}{ending}", folder / f"{ledger.name}{ending}")
    return folder / ledger.name


def cost_of_start(ledger: Path) -> Cost:
    """Of a start on a ledger that lies as a stopped box or a pulled plug has left it."""
    return cost_of(start, ledger)


def cost_of(act: Callable[[Path], None], ledger: Path) -> Cost:
    with spared(ledger) as copy:
        act(copy)  # what is loaded once is not counted
    with spared(ledger) as copy:
        read = _bytes_read(lambda: act(copy))
    with spared(ledger) as copy, counted_calls() as calls:
        act(copy)
    with spared(ledger) as copy, counted_steps() as queries:
        act(copy)
    return Cost(queries.steps, queries.rows, calls.total(), read)


@contextmanager
def spared(ledger: Path) -> Iterator[Path]:
    """A copy for each: what a start does to the log must not make the next one cheaper."""
    with tempfile.TemporaryDirectory(dir=ledger.parent) as folder:
        yield copied(ledger, Path(folder))


def _bytes_read(act: Callable[[], None]) -> int:
    before = _read_so_far()
    own = _read_so_far() - before
    before = _read_so_far()
    act()
    return _read_so_far() - before - own


def _read_so_far() -> int:
    """What this process has read with system calls, from whatever file."""
    words = Path("/proc/self/io").read_text().split()
    return int(words[words.index("rchar:") + 1])


@contextmanager
def counted_calls() -> Iterator[Counter[str]]:
    """Every call, by the name of what is called."""
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
    """What the SQL of a start came to, query by query."""

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
    """Every connection that is opened meanwhile counts what it does."""
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
