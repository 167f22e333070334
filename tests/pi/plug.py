"""`make test-plug`: pulls the plug of a banking box again and again, and counts what is lost.

A machine boots from a card, the box starts by itself, and over the UART a table plays on
it as fast as it answers. At a random moment, by the clock or at one of the card's own
writes, the emulator is killed; and the card forgets some of what it was not told to
flush. Then the card is looked at, the machine boots from it again, and every move whose
new balance was answered must be there, the one that was under way wholly or not at all.
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

from firmware.mistake import Mistake
from sim.wire import Wire
from tests.pi import aftermath, installed, table, tree
from tests.pi.card import Card, Forgotten
from tests.pi.line import Cut, box_at
from tests.pi.machine import BOOT_LIMIT, Machine
from tests.pi.rights import Failed, Unavailable, say
from tests.pi.table import Balances, Step

MOST_MOVES = 40
"""That are answered before the plug is about to be pulled:"""
MOST_SECONDS = 0.3
"""so long after the last of them,"""
MOST_WRITES = 12
"""or at so many writes of the card's. A move takes a tenth of a second and about four."""
NEIGHBOUR = """
echo 20 >/proc/sys/vm/dirty_expire_centisecs; echo 20 >/proc/sys/vm/dirty_writeback_centisecs
(while :; do for n in 0 1 2 3 4 5 6 7; do
    head -c 50000 /dev/zero >/var/tmp/other.$n; rm -f /var/tmp/other.$(((n + 4) % 8)); sleep 0.2
done; done) >/dev/null 2>&1 &
"""
"""Somebody else writes to the card, too, and flushes nothing: else little could be forgotten."""
FORGETS = (0.0, 0.5, 0.5, 1.0)
"""Of what was not flushed: nothing, as when only the emulator ends; some; all."""


class Lost(Exception):
    """A move that was answered is not there, or one is there that nobody made."""


class Asked(Protocol):
    """Whoever answers a line with a line."""

    def ask(self, line: str) -> str: ...


class Play(NamedTuple):
    """What the host wrote down until the line went dead."""

    answered: int
    """Moves, with their new balance."""
    balances: Balances
    """After the last of them."""
    under_way: Balances | None
    """After the move that was sent and not answered, if there was one."""


class Figures:
    """What all the pulls came to."""

    def __init__(self) -> None:
        self.pulls = self.boots = self.answered = 0
        self.kept = self.not_there = 0
        self.lost = self.repairs = self.refused = 0
        self.unflushed = self.forgotten = 0
        self.boot_seconds: list[float] = []

    def show(self) -> str:
        mean = sum(self.boot_seconds) / max(1, len(self.boot_seconds))
        return "\n".join(
            (
                f"pulls of the plug               {self.pulls}",
                f"boots                           {self.boots}, {mean:.0f} s each to an answer",
                f"moves answered                  {self.answered}",
                f"under way at the cut            {self.kept + self.not_there}"
                f" ({self.kept} kept, {self.not_there} not there)",
                f"blocks not flushed at the cut   {self.unflushed} ({self.forgotten} forgotten)",
                f"pulls that lost a move          {self.lost}",
                f"ledgers that do not verify      {self.refused}",
                f"repairs beyond the journal      {self.repairs}",
            )
        )

    @property
    def good(self) -> bool:
        return self.lost == self.repairs == self.refused == 0


class Trial:
    """One card, through all its power cuts."""

    def __init__(
        self, disk: Path, folder: Path, dice: random.Random, tell: Callable[[str], None]
    ) -> None:
        self._tell = tell
        """How it goes, bit by bit."""
        self._disk = disk
        self._folder = folder
        self._dice = dice
        self.figures = Figures()
        self._possible: list[Balances] = []
        """What the cards may have at the next boot: without the move under way, and with it."""
        self._balances = table.OPENING

    def pull(self) -> None:
        """Boot, look whether all is there, play, pull, and look at what is left."""
        with Card(self._disk, self._folder / "card") as card:
            with Machine(card, self._folder) as box:
                line = self._boot(box)
                box.shell(NEIGHBOUR)
                play = self._play_until_the_cut(box, card, line)
            forgotten = card.lose_power(self._dice, self._dice.choice(FORGETS))
        self.count(play, forgotten)
        under_way = ", one under way" if play.under_way else ""
        self._tell(f"; {play.answered} moves answered{under_way}")
        self._tell(f"; {forgotten.lost} of {forgotten.unflushed} unflushed blocks forgotten")
        verdict = aftermath.look_at(self._disk, self._folder)
        self.figures.repairs += bool(verdict.repairs)
        self.figures.refused += bool(verdict.ledger)
        self._tell(f"; file system: {verdict.repairs or 'journal only'}")
        self._tell(f"; ledger: {verdict.ledger or 'verifies'}")

    def look(self) -> None:
        """Boot once more: after the last pull all must be there, too."""
        with Card(self._disk, self._folder / "card") as card, Machine(card, self._folder) as box:
            self._boot(box)

    def _boot(self, box: Machine) -> Wire:
        start = time.monotonic()
        line = box_at(box.uart())
        try:
            line.greet(BOOT_LIMIT)
        except (Mistake, Cut) as failure:
            raise box.stuck(str(failure) or "the machine went off") from failure
        seconds = time.monotonic() - start
        self.figures.boots += 1
        self.figures.boot_seconds.append(seconds)
        self._tell(f"booted in {seconds:.0f} s, ")
        self._tell(self.compare(line))
        return line

    def compare(self, line: Asked) -> str:
        """Hold the box against what was written down; raises Lost."""
        if not self._possible:
            answer = line.ask("new")
            if answer != "ok":
                raise Failed(f"new: {answer}")
            return "a new game"
        got: list[str] = []
        for nth, balances in enumerate(self._possible):
            got = [_asked_balance(line, card, have) for card, have in enumerate(balances, 1)]
            if all(answer == "ok" for answer in got):
                self._balances = balances
                return self._count_found(nth)
        self.figures.lost += 1
        raise Lost(f"expected one of {self._possible}, got {got}")

    def _count_found(self, nth: int) -> str:
        if len(self._possible) == 1:
            return "all there"
        self.figures.not_there += nth == 0
        self.figures.kept += nth == 1
        return f"all there, and the one under way {'kept' if nth else 'not there'}"

    # The game

    def _play_until_the_cut(self, box: Machine, card: Card, line: Wire) -> Play:
        moves = self._dice.randint(0, MOST_MOVES)
        cut = self._cut(box, card)
        answered, step, balances = 0, Step(""), self._balances
        try:
            while True:
                for step in table.turn(balances, self._dice):
                    if answered >= moves and step.after is not None:
                        moves = sys.maxsize
                        cut.start()
                    answer = line.ask(step.line)
                    if step.after is not None:
                        _check(step, answer)
                        balances, answered = step.after, answered + 1
                    elif not answer.startswith("ok"):
                        raise Failed(f"{step.line}: {answer}")
                    step = Step("")
        except Cut:
            return Play(answered, balances, step.after)
        finally:
            cut.cancel()

    def _cut(self, box: Machine, card: Card) -> threading.Timer:
        """What pulls the plug, once it is started: the clock, or the card at one of its writes."""
        if self._dice.random() < 0.4:
            seconds = self._dice.uniform(0, MOST_SECONDS)
            return threading.Timer(seconds, box.pull_the_plug)
        writes = self._dice.randint(1, MOST_WRITES)
        return threading.Timer(0, card.cut_at_write, (writes, box.pull_the_plug))

    def count(self, play: Play, forgotten: Forgotten) -> None:
        self.figures.pulls += 1
        self.figures.answered += play.answered
        self.figures.unflushed += forgotten.unflushed
        self.figures.forgotten += forgotten.lost
        self._possible = [play.balances]
        if play.under_way is not None:
            self._possible.append(play.under_way)


def _asked_balance(line: Asked, card: int, thousands: int) -> str:
    return line.ask(f"expect balance {card} {table.written(thousands)}")


def _check(step: Step, answer: str) -> None:
    shown = answer.removeprefix("ok screen ").split(" | ")
    if not answer.startswith("ok screen ") or shown[0].split()[0] != step.shows:
        raise Failed(f"{step.line}: expected 'ok screen {step.shows}', got {answer!r}")


def main() -> int:
    parser = argparse.ArgumentParser(prog="make test-plug", description=__doc__)
    parser.add_argument("pulls", nargs="?", type=_at_least_one, default=30)
    parser.add_argument("--seed", type=int, default=secrets.randbelow(10**6))
    options = parser.parse_args()
    try:
        return _run(options.pulls, options.seed)
    except Unavailable as reason:
        say(f"the plug was not pulled: {reason}")
        return 1


def _at_least_one(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"N={text}: how often to pull, 1 or more")
    return int(text)


def _tell(text: str) -> None:
    print(text, end="", file=sys.stderr, flush=True)


def _run(pulls: int, seed: int) -> int:
    say(f"pulling the plug {pulls} times, SEED={seed}")
    image = installed.disk()
    with tree.throw_away_folder() as folder:
        disk = installed.copy_of(image, folder / "disk")
        trial = Trial(disk, folder, random.Random(seed), _tell)
        failure = ""
        try:
            for number in range(1, pulls + 1):
                _tell(f"{number:3} of {pulls}: ")
                trial.pull()
                _tell("\n")
            _tell("the last boot: ")
            trial.look()
        except (Lost, Failed, Mistake, KeyboardInterrupt) as reason:
            failure = str(reason) or "interrupted"
    _tell("\n")
    print(trial.figures.show())
    if failure:
        print(f"stopped: {failure} (SEED={seed})", file=sys.stderr)
    return 0 if trial.figures.good and not failure else 1


if __name__ == "__main__":
    sys.exit(main())
