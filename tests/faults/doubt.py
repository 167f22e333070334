"""A sync fails, and a little later the power goes: nothing that was shown may be lost by that.

    python -m tests.faults.doubt [--full] [--delete]

After a failed sync nobody knows what is on the disk; the bank asks it, and goes on. Whatever it
does for that, the power may go after each operation of it.
"""

import argparse
import random
import sys
from collections.abc import Callable, Iterator
from typing import NamedTuple

from hal.events import SECOND
from hal.view import Text, View
from sim.disk.calls import Kind
from sim.disk.recording import Recording
from sim.disk.surface import Diced, Fate, Image, Kept, Lost
from tests.faults import aftermath
from tests.faults.aftermath import Bench, lay_out
from tests.faults.evening import Evening
from tests.faults.progress import Progress
from tests.faults.scenes import SCENES
from tests.faults.striking_card import WAYS, StrikingCard, Way

OPERATIONS = 40
"""After the failure, each of which the power may go with."""


class Failure(NamedTuple):
    """Which call fails, a sync, and how."""

    call: int
    way: Way
    times: int

    def __str__(self) -> str:
        return f"call {self.call} (sync) fails {self.times} times with {self.way.words}"


class Course(NamedTuple):
    """What the disk did, and what the table was shown meanwhile."""

    recording: Recording
    failed_after: int
    """How many operations had been done when the sync failed."""
    shown: list[tuple[int, int]]
    """How many operations had been done, and the newest posting that a screen told of."""
    syncs: list[int]
    """The calls of the scene that were syncs."""

    def shown_by(self, operation: int) -> int:
        return max((newest for number, newest in self.shown if number <= operation), default=0)


class Figures(NamedTuple):
    """What was tried, and what came of it."""

    failures: int
    cuts: int
    wounds: list[str]

    def __str__(self) -> str:
        return (
            f"{self.failures} failed syncs, {self.cuts} power cuts after them, "
            f"{len(self.wounds)} not as they must be"
        )


SCENE = SCENES["moves"]
"""Each of its moves is one posting: at most one more than was shown can be there."""


def played(image: Image, failure: Failure | None, *, shares_memory: bool) -> Course:
    """The scene, with one failure; without one, to see which calls there are."""
    with aftermath.folder() as folder:
        lay_out(folder, image)
        with StrikingCard(folder, shares_memory=shares_memory) as card:
            recording = card.record()
            shown: list[tuple[int, int]] = []

            def look(view: View) -> None:
                doubtful = view.message and view.message.text is Text.LEDGER_ERROR
                if view.lit and not doubtful:
                    shown.append((len(recording.operations), table.ledger.last_posting))

            table = Evening(folder, shown=look)
            with table.box():
                began = len(card.calls)
                if failure:
                    card.strike(failure.call, failure.way, failure.times)
                SCENE.play(table)
                table.wait(11 * SECOND)
                table.press("20K")
            syncs = [n for n, kind in enumerate(card.calls) if n > began and kind is Kind.SYNC]
        return Course(recording, card.struck_after, shown, syncs)


def wounds(course: Course, failure: Failure, bench: Bench, dice: random.Random) -> Iterator[str]:
    """What was lost, or never was; an empty word for each cut that was survived."""
    last = course.failed_after + OPERATIONS
    for moment in course.recording.moments():
        if not course.failed_after <= moment.number <= last:
            continue
        for fate in (Lost(), Kept(), Diced(dice)):
            yield _wound(
                course, failure, moment.number, fate, moment.surface.surviving(fate), bench
            )


def _wound(
    course: Course, failure: Failure, operation: int, fate: Fate, image: Image, bench: Bench
) -> str:
    found = bench.looked_at(image)
    shown = course.shown_by(operation)
    what = next(iter(found.faults), "")
    if not what and not shown <= found.postings <= shown + 1:
        what = f"posting {shown} was shown, and there are {found.postings}"
    return f"{failure}; cut after operation {operation}, {fate}: {what}" if what else ""


def fail_and_cut(
    *,
    shares_memory: bool = True,
    full: bool = False,
    until_wounded: bool = False,
    seed: int = 1,
    tell: Callable[[str], None] = lambda _: None,
) -> Figures:
    """Let each sync of the scene fail in each way, and cut the power after it again and again."""
    image = SCENE.prepared(shares_memory=shares_memory)
    syncs = played(image, None, shares_memory=shares_memory).syncs
    dice = random.Random(seed)
    found: list[str] = []
    count = 0
    with aftermath.folder() as folder:
        bench = Bench(folder)
        for count, failure in enumerate(failures(syncs, full=full), start=1):
            course = played(image, failure, shares_memory=shares_memory)
            found += wounds(course, failure, bench, dice)
            if until_wounded and any(found):
                break
            tell(f"{count} failed syncs, {len(found)} cuts")
    return Figures(count, len(found), [wound for wound in found if wound])


def failures(syncs: list[int], *, full: bool) -> Iterator[Failure]:
    """Each sync in each way, once and several times in a row; else in the worst and in another."""
    *others, worst = WAYS[Kind.SYNC]
    for number, call in enumerate(syncs):
        if full:
            ways = (*others, worst)
            yield from (Failure(call, way, times) for way in ways for times in (1, 2, 3, 5))
        else:
            yield Failure(call, worst, number % 3 + 1)
            yield Failure(call, others[number % 2], number // 2 % 3 + 1)


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.faults.doubt",
        description="Lets each sync of some moves fail, and cuts the power after each of the "
        f"next {OPERATIONS} operations. A sync that fails has done its work all the same, or not "
        "yet, or the kernel will never do it. Without --full each sync fails in the last of "
        "these ways, and in one of the others, up to three times in a row.",
    )
    parser.add_argument(
        "--full", action="store_true", help="in all three ways, 1, 2, 3 and 5 times in a row"
    )
    parser.add_argument(
        "--delete",
        action="store_true",
        help="SQLite keeps a journal for each commit (DELETE), and not a log (WAL)",
    )
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="of the dice (default: 1)")
    args = parser.parse_args()
    figures = fail_and_cut(
        shares_memory=not args.delete, full=args.full, seed=args.seed, tell=Progress()
    )
    print(figures)
    for wound in figures.wounds[:10]:
        print(f"  {wound}")
    return 1 if figures.wounds else 0


if __name__ == "__main__":
    sys.exit(main())
