"""Plays a year of evenings on one ledger, and starts and stops the box for each.

``python -m tests.campaign.years.year`` prints what a start costs afterwards.
"""

import argparse
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from enum import Enum
from pathlib import Path

from firmware.commands.startup import Bank
from firmware.user_error import UserError
from sim.board.clocks import VirtualClock
from sim.board.software_harness import SoftwareHarness
from tests.campaign.progress import Progress
from tests.campaign.years.box import opened, running_on
from tests.campaign.years.box_interface import BoxInterface
from tests.campaign.years.cost import Cost, cost_of_start
from tests.campaign.years.ledger_interface import LedgerInterface
from tests.campaign.years.players import MOVES, OPENING, BankInterface, Players

EVENINGS = 365
SEED = 2026


class Games(Enum):
    """What the players play."""

    MANY = "many"
    """A new game every evening."""
    ONE = "one"
    """The same game all year: the most that a box ever has to remember."""


class Way(Enum):
    """How moves are entered."""

    BOX = "box"
    """By cards and keys, at a box on the software board."""
    LEDGER = "ledger"
    """Straight through the bank's ledger."""


class Year:
    """The players, their box, and its ledger."""

    def __init__(self, ledger: Path, games: Games, way: Way, seed: int = SEED) -> None:
        self.ledger = ledger
        self.players = Players(seed)
        self._games = games
        self._way = way
        self._harness = SoftwareHarness(VirtualClock())
        self._box = BoxInterface(self._harness)

    def evening(self, moves: int = MOVES) -> None:
        """Start the box, play, and stop it."""
        with self.started() as bank:
            self.begin(bank)
            self.players.play(bank, moves)

    @contextmanager
    def started(self) -> Iterator[BankInterface]:
        """Start the box; compare all balances at its start and its end."""
        with opened(self.ledger) as found:
            self._compare(found)
            if self._way is Way.LEDGER:
                yield LedgerInterface(found.ledger)
            else:
                with running_on(self._harness, found):
                    yield self._box
            self._compare(found)

    @contextmanager
    def set_aside(self) -> Iterator[BankInterface]:
        """Play another game meanwhile, then go back."""
        with self.started() as bank:
            expected = dict(self.players.balances)
            bank.new_game()
            self.players.set_balances(dict.fromkeys(expected, OPENING))
            yield bank
            bank.go_back()
            self.players.set_balances(expected)

    def begin(self, bank: BankInterface) -> None:
        """Begin an evening."""
        is_new = not self.players.balances
        if is_new:
            self.players.join(bank)
        self.players.begin_evening(bank)
        if self._games is Games.MANY and not is_new:
            self.players.start_game(bank)

    def _compare(self, found: Bank) -> None:
        """Compare the bank's balances with the players'."""
        expected = self.players.balances
        actual = {card: found.ledger.balance(card) for card in found.ledger.cards}
        evening = self.players.evenings
        assert actual == expected, f"evening {evening}: the bank has {actual}, not {expected}"


def size_of(ledger: Path) -> int:
    """The size of all files of a ledger, in bytes."""
    return sum(file.stat().st_size for file in ledger.parent.glob(f"{ledger.name}*"))


def play(year: Year, evenings: int) -> Iterator[int]:
    """Play with a start and a stop for each evening."""
    for evening in range(1, evenings + 1):
        year.evening()
        yield evening


def play_always_on(year: Year, evenings: int) -> Iterator[int]:
    """Play all evenings with one start."""
    with year.started() as bank:
        for evening in range(1, evenings + 1):
            year.begin(bank)
            year.players.play(bank)
            yield evening


def resident() -> float:
    """The resident memory of this process, in megabytes."""
    status = Path("/proc/self/status").read_text()
    return int(status.split("VmRSS:")[1].split()[0]) / 1_000


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m tests.campaign.years.year",
        description=f"Plays evenings of {MOVES} moves on one ledger, and prints its size, the "
        "memory used, and the cost of a start compared with one after the first evening. At each "
        "start and stop the bank's balances are compared with those that the players kept.",
    )
    parser.add_argument(
        "--games",
        choices=[g.value for g in Games],
        default=Games.MANY.value,
        help="a new game every evening, or one for all (default: many)",
    )
    parser.add_argument(
        "--way",
        choices=[w.value for w in Way],
        default=Way.BOX.value,
        help="cards and keys at a box, two to four minutes for a year; or straight through the "
        "ledger, a few seconds (default: box)",
    )
    parser.add_argument("--always-on", action="store_true", help="start the box only once")
    parser.add_argument(
        "--evenings",
        type=int,
        default=EVENINGS,
        metavar="N",
        help=f"how many (default: {EVENINGS})",
    )
    parser.add_argument(
        "--seed", type=int, default=SEED, metavar="N", help=f"random seed (default: {SEED})"
    )
    parser.add_argument(
        "--ledger", type=Path, metavar="FILE", help="keep the ledger in this new file"
    )
    args = parser.parse_args()
    if args.ledger and args.ledger.exists():
        parser.error(f"{args.ledger} exists; name a new file")
    if args.evenings < 1:
        parser.error("--evenings must be at least 1")
    with tempfile.TemporaryDirectory(dir=in_memory()) as folder:
        ledger = args.ledger or Path(folder) / "year.db"
        year = Year(ledger, Games(args.games), Way(args.way), args.seed)
        evenings = (play_always_on if args.always_on else play)(year, args.evenings)
        try:
            _play_and_report(year, evenings, args.evenings)
        except UserError as error:
            parser.exit(1, f"{error}\n")


def in_memory() -> Path | None:
    """A file system with cheap syncs, if there is one."""
    memory = Path("/dev/shm")
    return memory if memory.is_dir() else None


def _play_and_report(year: Year, played: Iterator[int], evenings: int) -> None:
    began, progress = time.perf_counter(), Progress()
    memory: list[float] = []
    starts: list[Cost] = []
    for evening in played:
        memory.append(resident())
        if evening in (1, evenings):
            starts.append(cost_of_start(year.ledger))
        progress(
            f"evening {evening} of {evenings}, {year.players.moves} moves, "
            f"{size_of(year.ledger) / 1e6:.1f} MB"
        )
    size = size_of(year.ledger)
    print(
        f"{evenings} evenings, {year.players.moves} moves and reversals, "
        f"{time.perf_counter() - began:.0f} s\n"
        f"the file has {size} bytes, {size / year.players.moves:.1f} a move\n"
        f"the process had {memory[:2][-1]:.1f} MB after the second evening, "
        f"{memory[len(memory) // 2]:.1f} MB halfway, {memory[-1]:.1f} MB after the last"
    )
    print(*_comparison(starts[0], starts[-1]), sep="\n")


def _comparison(first: Cost, last: Cost) -> list[str]:
    """The counted cost of two starts, as a table."""
    lines = [
        f"{'a start, counted':<22} {'after one evening':>18} {'after the last':>15} {'ratio':>6}"
    ]
    names = ("steps of SQLite", "rows of SQLite", "function calls", "bytes read")
    for name, before, after in zip(names, first, last, strict=True):
        lines.append(f"{name:<22} {before:>18} {after:>15} {after / before:>6.2f}")
    return lines


if __name__ == "__main__":
    main()
