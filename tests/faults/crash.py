"""The power goes after each operation of a disk in turn; what survived is switched on again.

    python -m tests.faults.crash [--full] [--seed N] [STORY ...]

What may have become then of what was not synced, ``--help`` says.
"""

import argparse
import random
import sys
from collections.abc import Callable, Iterator
from typing import NamedTuple

from sim.disk.calls import Call
from sim.disk.recording import Moment
from sim.disk.surface import PAGE, SECTOR, Diced, Fate, Image, Kept, Lost, Spoilt, Torn
from tests.faults import aftermath
from tests.faults.aftermath import Aftermath, Bench
from tests.faults.chronicle import Chronicle
from tests.faults.progress import Progress
from tests.faults.stories import STORIES, starting_again

ABOUT = """\
Records what the disk does in a story, and cuts the power after each operation
in turn. After each cut the ledger opens, verifies, has every move that was
shown, and no half move.

Once nothing arrived of what was not synced; once all of it did; and once, by
turns, the last write tore at a boundary of 512 bytes, and either part of it
arrived; or the card spoilt the sector or the page that it was writing, with
all that lay in it; or the dice say what arrived. A long write, of a log that
was left, is spoilt at each of its pages. With --full each operation has all of
these, at each place where they can happen. After every 1000th cut, or 500th
with --full, the power goes again, after each operation of the box that starts.
"""


class Thoroughness(NamedTuple):
    """How many ways to die there are for each operation."""

    throws: int
    """Of the dice."""
    every_boundary: bool
    again_every: int | None
    """After every so many cuts the power goes once more while the box starts again."""


SPOILT = (SECTOR, PAGE)
"""What a card may spoil that was writing when the power went."""
LONG = 3 * PAGE // SECTOR
"""Sectors of a write that is longer than any of SQLite's own."""
QUICK = Thoroughness(throws=1, every_boundary=False, again_every=1000)
FULL = Thoroughness(throws=2, every_boundary=True, again_every=500)


class Wound(NamedTuple):
    """A cut that the bank did not survive as it must."""

    operation: int
    call: Call | None
    fate: Fate
    what: str

    def __str__(self) -> str:
        done = f"{self.call.kind.value} {self.call.name}" if self.call else "nothing"
        return f"cut after operation {self.operation} ({done}), {self.fate}: {self.what}"


class Figures(NamedTuple):
    """What was tried, and what came of it."""

    operations: int
    appends: int
    moves: int
    cuts: int
    images: int
    """How many of what survived differed from all others."""
    again: int
    """Cuts while a box started after a cut."""
    wounds: tuple[Wound, ...]

    def __str__(self) -> str:
        return (
            f"moves: {self.moves}, appends: {self.appends}, disk operations: {self.operations}; "
            f"power cuts: {self.cuts}, and while a box started after one: {self.again}; "
            f"different disks after them all: {self.images}; "
            f"not as they must be: {len(self.wounds)}"
        )


class Cutter:
    """Cuts the power all through a chronicle."""

    def __init__(
        self,
        chronicle: Chronicle,
        bench: Bench,
        thoroughness: Thoroughness = QUICK,
        seed: int = 1,
        tell: Callable[[str], None] = lambda _: None,
    ) -> None:
        self._chronicle = chronicle
        self._bench = bench
        self._thoroughness = thoroughness
        self._seed = seed
        self._dice = random.Random(seed)
        self._tell = tell
        self._cuts = 0
        self._again = 0
        self._wounds: list[Wound] = []
        self._states: list[str] = []

    def cut_everywhere(self, *, until_wounded: bool = False) -> Figures:
        """Cut the power after each operation, in each way."""
        before = self._bench.different
        self._states = list(self._all_states())
        for moment in self._chronicle.recording.moments():
            for fate in self._fates(moment):
                self._cut(moment, fate)
            if until_wounded and self._wounds:
                break
        return Figures(
            len(self._chronicle.recording.operations),
            len(self._chronicle.appended),
            self._chronicle.moves,
            self._cuts,
            self._bench.different - before,
            self._again,
            tuple(self._wounds),
        )

    def _all_states(self) -> Iterator[str]:
        """The ledger before the first append and after each, in a world without power cuts."""
        due = iter([0, *self._chronicle.appended])
        wanted = next(due)
        for moment in self._chronicle.recording.moments():
            self._tell(f"what it should be: operation {moment.number}")
            while moment.number == wanted:
                yield self._bench.looked_at(moment.surface.surviving(Kept())).state
                wanted = next(due, -1)

    def _fates(self, moment: Moment) -> Iterator[Fate]:
        yield Lost()
        yield Kept()
        written = moment.surface.last_write
        boundaries = len(list(written.sectors())) - 1 if written else 0
        if self._thoroughness.every_boundary:
            yield from (Diced(self._dice) for _ in range(self._thoroughness.throws))
            for at in range(1, boundaries + 1):
                for before in (Kept(), Lost()):
                    yield from (Torn(at, first, before) for first in (True, False))
            if written:
                yield from (Spoilt(at, size) for at in range(boundaries + 1) for size in SPOILT)
        elif written:
            if boundaries >= LONG:
                yield from (Spoilt(at, PAGE) for at in range(0, boundaries + 1, PAGE // SECTOR))
            # Writes of pages come with others, in twos: a turn of five goes round them all.
            turn, which = divmod(moment.number, 5)
            if which < 3 and boundaries:
                yield Torn(turn // 2 % boundaries + 1, bool(turn % 2))
            elif which == 3:
                yield Spoilt(turn % (boundaries + 1), SPOILT[turn % 2])
            else:
                yield Diced(self._dice)
        elif moment.number % 2:
            yield Diced(self._dice)

    def _cut(self, moment: Moment, fate: Fate) -> None:
        self._cuts += 1
        survived = moment.surface.surviving(fate)
        found = self._bench.looked_at(survived)
        what = self._wrong(moment.number, found)
        every = self._thoroughness.again_every
        if what is None and every and self._cuts % every == 0:
            what = self._cut_again(survived)
        if what:
            self._wounds.append(Wound(moment.number, moment.call, fate, what))
        operations = len(self._chronicle.recording.operations)
        self._tell(f"operation {moment.number} of {operations}, {self._cuts} cuts")

    def _cut_again(self, survived: Image) -> str | None:
        """The power goes while the box starts on what survived, and makes one more move."""
        chronicle = starting_again(survived, shares_memory=self._chronicle.shares_memory)
        once = QUICK._replace(again_every=None)
        figures = Cutter(chronicle, self._bench, once, self._seed).cut_everywhere()
        self._again += figures.cuts
        return f"then {figures.wounds[0]}" if figures.wounds else None

    def _wrong(self, operation: int, found: Aftermath) -> str | None:
        """All that was shown, and at most the one move more that was under way."""
        if found.faults:
            return found.faults[0]
        appends = self._chronicle.appends_by(operation)
        if found.state not in self._states[appends : appends + 2]:
            if found.state in self._states:
                return f"{self._states.index(found.state)} appends are there, of {appends}"
            return f"it holds what never was, after {appends} appends"
        shown = self._chronicle.postings_shown_by(operation)
        if found.postings < shown:
            return f"posting {shown} was shown, and there are {found.postings}"
        return None


def cut_through(name: str, thoroughness: Thoroughness, seed: int = 1) -> Figures:
    """Cut the power all through a story, showing how far it is."""
    story, progress = STORIES[name], Progress()

    def tell(how_far: str) -> None:
        progress(f"{name}: {how_far}")

    with aftermath.folder() as folder:
        bench = Bench(folder, story.kept)
        return Cutter(story.told(), bench, thoroughness, seed, tell).cut_everywhere()


def main() -> int:
    width = max(map(len, STORIES))
    parser = argparse.ArgumentParser(
        prog="python -m tests.faults.crash",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        description=ABOUT,
        epilog="the stories:\n"
        + "\n".join(f"  {name:{width}}  {story.words}" for name, story in STORIES.items()),
    )
    parser.add_argument("stories", nargs="*", metavar="STORY", help="default: all of them")
    parser.add_argument(
        "--full",
        action="store_true",
        help="two throws of the dice, every boundary, every sector and every page",
    )
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="of the dice (default: 1)")
    args = parser.parse_args()
    unknown = [name for name in args.stories if name not in STORIES]
    if unknown:
        parser.error(f"there is no story {unknown[0]!r}, but {', '.join(STORIES)}")
    wounds = 0
    for name in args.stories or STORIES:
        figures = cut_through(name, FULL if args.full else QUICK, args.seed)
        print(f"{name} ({STORIES[name].words}): {figures}", flush=True)
        for wound in figures.wounds[:10]:
            print(f"  {wound}")
        wounds += len(figures.wounds)
    return 1 if wounds else 0


if __name__ == "__main__":
    sys.exit(main())
