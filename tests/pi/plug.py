"""`make test-plug`: cuts the power of an emulated box again and again, and counts lost moves.

A machine boots from a memory card, the box starts, and random moves are sent over the UART
as fast as it answers. The emulator is killed at a random moment or at a random write, and the
card loses some unflushed blocks. Then the card is checked and the machine boots again. Every
answered move must be there, and the pending one completely or not at all.
"""

import argparse
import random
import secrets
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, Protocol

from firmware.user_error import UserError
from sim.console.wire import ConsoleClient
from tests.pi import disk_check, installed, table, tree
from tests.pi.card import LostWrites, MemoryCard
from tests.pi.line import LineClosed, box_at
from tests.pi.machine import BOOT_LIMIT, Machine
from tests.pi.rights import Failed, Unavailable, report
from tests.pi.table import Balances, Step

MAX_MOVES = 40
"""Answered moves before the cut is scheduled."""
MAX_SECONDS = 0.3
"""Delay of a timed cut. A move takes about 0.1 s."""
MAX_WRITES = 12
"""Delay of a cut at a write. A move takes about four writes."""
BACKGROUND_WRITER = """
echo 20 >/proc/sys/vm/dirty_expire_centisecs; echo 20 >/proc/sys/vm/dirty_writeback_centisecs
(while :; do for n in 0 1 2 3 4 5 6 7; do
    head -c 50000 /dev/zero >/var/tmp/other.$n; rm -f /var/tmp/other.$(((n + 4) % 8)); sleep 0.2
done; done) >/dev/null 2>&1 &
"""
"""Writes to the card without flushing; otherwise few blocks could be lost."""
LOSS_CHANCES = (0.0, 0.5, 0.5, 1.0)
"""The chance that an unflushed block is lost; one is chosen for each cut."""


class BalanceError(Exception):
    """The balances after a boot are not those of the answered moves."""


class Console(Protocol):
    """Answers a line with a line."""

    def ask(self, line: str) -> str: ...


class Play(NamedTuple):
    """The moves that were sent before a power cut."""

    answered: int
    """Number of answered moves."""
    balances: Balances
    """After the last answered move."""
    pending: Balances | None
    """After the move that was sent and not answered, if there was one."""


class Totals:
    """Counts over all power cuts."""

    def __init__(self) -> None:
        self.cuts = self.boots = self.answered = 0
        self.kept = self.dropped = 0
        self.wrong = self.repairs = self.refused = 0
        self.unflushed = self.lost_blocks = 0
        self.boot_seconds: list[float] = []

    def show(self) -> str:
        mean = sum(self.boot_seconds) / max(1, len(self.boot_seconds))
        return "\n".join(
            (
                f"power cuts                      {self.cuts}",
                f"boots                           {self.boots}, {mean:.0f} s each to an answer",
                f"moves answered                  {self.answered}",
                f"moves pending at the cut        {self.kept + self.dropped}"
                f" ({self.kept} kept, {self.dropped} dropped)",
                f"unflushed blocks at the cut     {self.unflushed} ({self.lost_blocks} lost)",
                f"cuts that lost a move           {self.wrong}",
                f"ledgers that do not verify      {self.refused}",
                f"repairs beyond the journal      {self.repairs}",
            )
        )

    @property
    def good(self) -> bool:
        return self.wrong == self.repairs == self.refused == 0


class Trial:
    """Power cuts of one memory card, each followed by a boot."""

    def __init__(
        self, disk: Path, folder: Path, rng: random.Random, progress: Callable[[str], None]
    ) -> None:
        self._progress = progress
        self._disk = disk
        self._folder = folder
        self._rng = rng
        self.totals = Totals()
        self._possible: list[Balances] = []
        """The valid balances at the next boot: without and with the pending move."""
        self._balances = table.OPENING

    def cut(self) -> None:
        """Boot, check the balances, play, cut the power, and check the disk."""
        with MemoryCard(self._disk, self._folder / "card") as card:
            with Machine(card, self._folder) as box:
                console = self._boot(box)
                box.shell(BACKGROUND_WRITER)
                play = self._play_until_the_cut(box, card, console)
            writes = card.lose_power(self._rng, self._rng.choice(LOSS_CHANCES))
        self.count(play, writes)
        pending = ", one pending" if play.pending else ""
        self._progress(f"; {play.answered} moves answered{pending}")
        self._progress(f"; {writes.lost} of {writes.unflushed} unflushed blocks lost")
        found = disk_check.check(self._disk, self._folder)
        self.totals.repairs += bool(found.repairs)
        self.totals.refused += bool(found.ledger)
        self._progress(f"; file system: {found.repairs or 'journal only'}")
        self._progress(f"; ledger: {found.ledger or 'verifies'}")

    def check(self) -> None:
        """Boot once more after the last cut, and check the balances."""
        with (
            MemoryCard(self._disk, self._folder / "card") as card,
            Machine(card, self._folder) as box,
        ):
            self._boot(box)

    def _boot(self, box: Machine) -> ConsoleClient:
        start = time.monotonic()
        console = box_at(box.uart())
        try:
            console.greet(BOOT_LIMIT)
        except (UserError, LineClosed) as failure:
            raise box.stuck(str(failure) or "the machine went off") from failure
        seconds = time.monotonic() - start
        self.totals.boots += 1
        self.totals.boot_seconds.append(seconds)
        self._progress(f"booted in {seconds:.0f} s, ")
        self._progress(self.compare(console))
        return console

    def compare(self, console: Console) -> str:
        """Compare the balances of the box with the model; raise BalanceError if they differ."""
        if not self._possible:
            answer = console.ask("new")
            if answer != "ok":
                raise Failed(f"new: {answer}")
            return "a new game"
        got: list[str] = []
        for nth, balances in enumerate(self._possible):
            got = [_expect_balance(console, card, have) for card, have in enumerate(balances, 1)]
            if all(answer == "ok" for answer in got):
                self._balances = balances
                return self._count_found(nth)
        self.totals.wrong += 1
        raise BalanceError(f"expected one of {self._possible}, got {got}")

    def _count_found(self, nth: int) -> str:
        if len(self._possible) == 1:
            return "all moves kept"
        self.totals.dropped += nth == 0
        self.totals.kept += nth == 1
        return f"all moves kept, the pending one {'kept' if nth else 'dropped'}"

    def _play_until_the_cut(self, box: Machine, card: MemoryCard, console: ConsoleClient) -> Play:
        moves = self._rng.randint(0, MAX_MOVES)
        cut = self._cut_timer(box, card)
        answered, step, balances = 0, Step(""), self._balances
        try:
            while True:
                for step in table.turn(balances, self._rng):
                    if answered >= moves and step.after is not None:
                        moves = sys.maxsize
                        cut.start()
                    answer = console.ask(step.line)
                    if step.after is not None:
                        _check(step, answer)
                        balances, answered = step.after, answered + 1
                    elif not answer.startswith("ok"):
                        raise Failed(f"{step.line}: {answer}")
                    step = Step("")
        except LineClosed:
            return Play(answered, balances, step.after)
        finally:
            cut.cancel()

    def _cut_timer(self, box: Machine, card: MemoryCard) -> threading.Timer:
        """Return a timer that cuts the power after a delay, or at a write of the card."""
        if self._rng.random() < 0.4:
            seconds = self._rng.uniform(0, MAX_SECONDS)
            return threading.Timer(seconds, box.pull_the_plug)
        writes = self._rng.randint(1, MAX_WRITES)
        return threading.Timer(0, card.cut_at_write, (writes, box.pull_the_plug))

    def count(self, play: Play, writes: LostWrites) -> None:
        self.totals.cuts += 1
        self.totals.answered += play.answered
        self.totals.unflushed += writes.unflushed
        self.totals.lost_blocks += writes.lost
        self._possible = [play.balances]
        if play.pending is not None:
            self._possible.append(play.pending)


def _expect_balance(console: Console, card: int, thousands: int) -> str:
    return console.ask(f"expect balance {card} {table.format_amount(thousands)}")


def _check(step: Step, answer: str) -> None:
    shown = answer.removeprefix("ok screen ").split(" | ")
    if not answer.startswith("ok screen ") or shown[0].split()[0] != step.shows:
        raise Failed(f"{step.line}: expected 'ok screen {step.shows}', got {answer!r}")


def main() -> int:
    parser = argparse.ArgumentParser(prog="make test-plug", description=__doc__)
    parser.add_argument("cuts", nargs="?", type=_at_least_one, default=30)
    parser.add_argument("--seed", type=int, default=secrets.randbelow(10**6))
    options = parser.parse_args()
    try:
        return _run(options.cuts, options.seed)
    except Unavailable as reason:
        report(f"test-plug cannot run: {reason}")
        return 1


def _at_least_one(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"N={text}: the number of cuts must be 1 or more")
    return int(text)


def _progress(text: str) -> None:
    print(text, end="", file=sys.stderr, flush=True)


def _run(cuts: int, seed: int) -> int:
    report(f"cutting the power {cuts} times, SEED={seed}")
    image = installed.disk()
    with tree.temporary_folder() as folder:
        disk = installed.copy_of(image, folder / "disk")
        trial = Trial(disk, folder, random.Random(seed), _progress)
        failure = ""
        try:
            for number in range(1, cuts + 1):
                _progress(f"{number:3} of {cuts}: ")
                trial.cut()
                _progress("\n")
            _progress("the last boot: ")
            trial.check()
        except (BalanceError, Failed, UserError, KeyboardInterrupt) as reason:
            failure = str(reason) or "interrupted"
    _progress("\n")
    print(trial.totals.show())
    if failure:
        print(f"stopped: {failure} (SEED={seed})", file=sys.stderr)
    return 0 if trial.totals.good and not failure else 1


if __name__ == "__main__":
    sys.exit(main())
