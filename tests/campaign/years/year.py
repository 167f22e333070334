"""A year of evenings on one ledger, the box started and stopped for each.

``python -m tests.long.year`` plays one and says what it comes to, and what a start costs then.
"""

import argparse
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from enum import Enum
from pathlib import Path

from firmware.bank import Bank
from firmware.mistake import Mistake
from sim.clocks import VirtualClock
from sim.software_stand import SoftwareStand
from tests.faults.progress import Progress
from tests.long.box import on_stand, opened
from tests.long.cost import Cost, cost_of_start
from tests.long.hands import Hands
from tests.long.pen import Pen
from tests.long.people import MOVES, OPENING, Counter, People

EVENINGS = 365
SEED = 2026


class Games(Enum):
    """What they play."""

    MANY = "many"
    """A new game every evening."""
    ONE = "one"
    """The same game for the whole year: the most that a box ever has to remember."""


class Way(Enum):
    """How their moves get into the ledger."""

    HANDS = "hands"
    """Cards and keys, at a box on the software board."""
    PEN = "pen"
    """Straight through the bank's ledger."""


class Year:
    """The people, their box, and the ledger in it."""

    def __init__(self, ledger: Path, games: Games, way: Way, seed: int = SEED) -> None:
        self.ledger = ledger
        self.people = People(seed)
        self._games = games
        self._way = way
        self._stand = SoftwareStand(VirtualClock())
        self._hands = Hands(self._stand)

    def evening(self, moves: int = MOVES) -> None:
        """Plug the box in, play, and stop it."""
        with self.started() as counter:
            self.begin(counter)
            self.people.play(counter, moves)

    @contextmanager
    def started(self) -> Iterator[Counter]:
        """The box, and the bank's word at its start and its end compared with theirs."""
        with opened(self.ledger) as found:
            self._compare(found)
            if self._way is Way.PEN:
                yield Pen(found.ledger)
            else:
                with on_stand(self._stand, found):
                    yield self._hands
            self._compare(found)

    @contextmanager
    def set_aside(self) -> Iterator[Counter]:
        """Another game is played meanwhile; then they go back to theirs."""
        with self.started() as counter:
            theirs = dict(self.people.held)
            counter.new_game()
            self.people.go_on_with(dict.fromkeys(theirs, OPENING))
            yield counter
            counter.go_back()
            self.people.go_on_with(theirs)

    def begin(self, counter: Counter) -> None:
        """The beginning of an evening."""
        if not self.people.held:
            self.people.sit_down(counter)
        elif self._games is Games.MANY:
            self.people.begin_again(counter)
        self.people.arrive(counter)

    def _compare(self, found: Bank) -> None:
        """What the bank says that they have, and what they say."""
        theirs = self.people.held
        ours = {card: found.ledger.balance(card) for card in found.ledger.cards}
        assert ours == theirs, f"evening {self.people.evenings}: the bank says {ours}, not {theirs}"


def size_of(ledger: Path) -> int:
    """Bytes, with whatever lies beside it."""
    return sum(file.stat().st_size for file in ledger.parent.glob(f"{ledger.name}*"))


def play(year: Year, evenings: int) -> Iterator[int]:
    """The box is started and stopped for each evening."""
    for evening in range(1, evenings + 1):
        year.evening()
        yield evening


def play_on(year: Year, evenings: int) -> Iterator[int]:
    """The box is started once, and is on for all of the year."""
    with year.started() as counter:
        for evening in range(1, evenings + 1):
            year.begin(counter)
            year.people.play(counter)
            yield evening


def resident() -> float:
    """Megabytes of this process."""
    status = Path("/proc/self/status").read_text()
    return int(status.split("VmRSS:")[1].split()[0]) / 1_000


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m tests.long.year",
        description=f"Plays evenings of {MOVES} moves on one ledger, and says what it comes to, "
        "and what a start of the box costs then beside one after the first evening. Whenever the "
        "box is started or stopped the bank's balances are compared with those that the people "
        "have kept for themselves.",
    )
    parser.add_argument(
        "--games",
        choices=[g.value for g in Games],
        default=Games.MANY.value,
        help="a new game every evening, or one for all of them (default: many)",
    )
    parser.add_argument(
        "--way",
        choices=[w.value for w in Way],
        default=Way.HANDS.value,
        help="cards and keys at a box, two to four minutes for a year; or straight through the "
        "bank's ledger, some seconds (default: hands)",
    )
    parser.add_argument("--always-on", action="store_true", help="start the box only once")
    parser.add_argument(
        "--evenings", type=int, default=EVENINGS, metavar="N", help=f"(default: {EVENINGS})"
    )
    parser.add_argument("--seed", type=int, default=SEED, metavar="N", help=f"(default: {SEED})")
    parser.add_argument(
        "--ledger", type=Path, metavar="FILE", help="a new file (default: one in memory, not kept)"
    )
    args = parser.parse_args()
    if args.ledger and args.ledger.exists():
        parser.error(f"{args.ledger} is there already; a year begins with a new ledger")
    if args.evenings < 1:
        parser.error("a year has at least one evening")
    with tempfile.TemporaryDirectory(dir=in_memory()) as folder:
        ledger = args.ledger or Path(folder) / "year.db"
        year = Year(ledger, Games(args.games), Way(args.way), args.seed)
        evenings = (play_on if args.always_on else play)(year, args.evenings)
        try:
            _play_aloud(year, evenings, args.evenings)
        except Mistake as mistake:
            parser.exit(1, f"{mistake}\n")


def in_memory() -> Path | None:
    """A file system on which a sync costs nothing, where there is one."""
    memory = Path("/dev/shm")
    return memory if memory.is_dir() else None


def _play_aloud(year: Year, played: Iterator[int], evenings: int) -> None:
    began, progress = time.perf_counter(), Progress()
    memory: list[float] = []
    starts: list[Cost] = []
    for evening in played:
        memory.append(resident())
        if evening in (1, evenings):
            starts.append(cost_of_start(year.ledger))
        progress(
            f"evening {evening} of {evenings}, {year.people.moves} moves, "
            f"{size_of(year.ledger) / 1e6:.1f} MB"
        )
    size = size_of(year.ledger)
    print(
        f"{evenings} evenings, {year.people.moves} moves and reversals, "
        f"{time.perf_counter() - began:.0f} s\n"
        f"the file has {size} bytes, {size / year.people.moves:.1f} a move\n"
        f"the process had {memory[:2][-1]:.1f} MB after the second evening, "
        f"{memory[len(memory) // 2]:.1f} MB halfway, {memory[-1]:.1f} MB after the last"
    )
    print(*_compared(starts[0], starts[-1]), sep="\n")


def _compared(first: Cost, last: Cost) -> list[str]:
    """What a start took, in what can be counted."""
    lines = [
        f"{'a start, counted':<22} {'after one evening':>18} {'after the last':>15} {'ratio':>6}"
    ]
    counted = ("steps of SQLite", "rows of SQLite", "function calls", "bytes read")
    for name, before, after in zip(counted, first, last, strict=True):
        lines.append(f"{name:<22} {before:>18} {after:>15} {after / before:>6.2f}")
    return lines


if __name__ == "__main__":
    main()
