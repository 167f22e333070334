"""Cuts the power after each disk operation in turn, and restarts the box on what survived.

    python -m tests.campaign.ledger_faults.crash [--full] [--seed N] [WORKLOAD ...]

``--help`` lists what may happen to data that was not synced.
"""

import argparse
import random
import sys
from collections.abc import Callable, Iterator
from typing import NamedTuple

from tests.campaign.disk.calls import Call
from tests.campaign.disk.recording import Snapshot
from tests.campaign.disk.surface import (
    PAGE,
    SECTOR,
    Fate,
    Image,
    Kept,
    Lost,
    RandomFate,
    Spoilt,
    Torn,
)
from tests.campaign.ledger_faults import recovery
from tests.campaign.ledger_faults.recorded_run import RecordedRun
from tests.campaign.ledger_faults.recovery import RecoveryCheck, RecoveryResult
from tests.campaign.ledger_faults.workloads import WORKLOADS, starting_again
from tests.campaign.progress import Progress

DESCRIPTION = """\
Records the disk operations of a workload, and cuts the power after each of
them in turn. After each cut the ledger must open and verify, have every move
that was shown, and have no half move.

After each operation, unsynced data is once lost and once kept. A third cut
tears the last write at a boundary of 512 bytes, or spoils the sector or page
being written, or keeps changes at random, in rotation. A long write, of a log
that was left behind, is spoilt at each of its pages. With --full every
operation gets all of these, at every possible place. After every 1000th cut,
or 500th with --full, the power is cut again after each operation of the box
that restarts.
"""


class Coverage(NamedTuple):
    """How many power cuts are tried for each operation."""

    random_fates: int
    """Cuts with a random fate."""
    every_boundary: bool
    again_every: int | None
    """After every so many cuts the power is cut again while the box restarts."""


SPOILT = (SECTOR, PAGE)
"""The sizes of the area that a card may spoil."""
LONG_WRITE = 3 * PAGE // SECTOR
"""Sectors of a write that is longer than any of SQLite's own."""
QUICK = Coverage(random_fates=1, every_boundary=False, again_every=1000)
FULL = Coverage(random_fates=2, every_boundary=True, again_every=500)


class Problem(NamedTuple):
    """A power cut that the bank did not survive correctly."""

    operation: int
    call: Call | None
    fate: Fate
    what: str

    def __str__(self) -> str:
        done = f"{self.call.kind.value} {self.call.name}" if self.call else "nothing"
        return f"cut after operation {self.operation} ({done}), {self.fate}: {self.what}"


class CrashResult(NamedTuple):
    """What was tried, and the problems found."""

    operations: int
    appends: int
    moves: int
    cuts: int
    images: int
    """The number of distinct disks that survived."""
    again: int
    """Cuts while a box restarted after a cut."""
    problems: tuple[Problem, ...]

    def __str__(self) -> str:
        return (
            f"moves: {self.moves}, appends: {self.appends}, disk operations: {self.operations}; "
            f"power cuts: {self.cuts}, during a restart after one: {self.again}; "
            f"distinct surviving disks: {self.images}; "
            f"problems: {len(self.problems)}"
        )


class PowerCutter:
    """Cuts the power everywhere in a recorded run."""

    def __init__(
        self,
        run: RecordedRun,
        checker: RecoveryCheck,
        coverage: Coverage = QUICK,
        seed: int = 1,
        report: Callable[[str], None] = lambda _: None,
    ) -> None:
        self._run = run
        self._checker = checker
        self._coverage = coverage
        self._seed = seed
        self._rng = random.Random(seed)
        self._report = report
        self._cuts = 0
        self._again = 0
        self._problems: list[Problem] = []
        self._states: list[str] = []

    def cut_everywhere(self, *, stop_at_first: bool = False) -> CrashResult:
        """Cut the power after each operation, in each way."""
        before = self._checker.distinct
        self._states = list(self._all_states())
        for snapshot in self._run.recording.snapshots():
            for fate in self._fates(snapshot):
                self._cut(snapshot, fate)
            if stop_at_first and self._problems:
                break
        return CrashResult(
            len(self._run.recording.operations),
            len(self._run.appended),
            self._run.moves,
            self._cuts,
            self._checker.distinct - before,
            self._again,
            tuple(self._problems),
        )

    def _all_states(self) -> Iterator[str]:
        """The ledger's state before the first append and after each, without power cuts."""
        due = iter([0, *self._run.appended])
        wanted = next(due)
        for snapshot in self._run.recording.snapshots():
            self._report(f"expected states: operation {snapshot.number}")
            while snapshot.number == wanted:
                yield self._checker.check(snapshot.surface.surviving(Kept())).state
                wanted = next(due, -1)

    def _fates(self, snapshot: Snapshot) -> Iterator[Fate]:
        yield Lost()
        yield Kept()
        written = snapshot.surface.last_write
        boundaries = len(list(written.sectors())) - 1 if written else 0
        if self._coverage.every_boundary:
            yield from (RandomFate(self._rng) for _ in range(self._coverage.random_fates))
            for at in range(1, boundaries + 1):
                for before in (Kept(), Lost()):
                    yield from (Torn(at, first, before) for first in (True, False))
            if written:
                yield from (Spoilt(at, size) for at in range(boundaries + 1) for size in SPOILT)
        elif written:
            if boundaries >= LONG_WRITE:
                yield from (Spoilt(at, PAGE) for at in range(0, boundaries + 1, PAGE // SECTOR))
            # Page writes alternate with others; a rotation of five reaches all of them.
            turn, which = divmod(snapshot.number, 5)
            if which < 3 and boundaries:
                yield Torn(turn // 2 % boundaries + 1, bool(turn % 2))
            elif which == 3:
                yield Spoilt(turn % (boundaries + 1), SPOILT[turn % 2])
            else:
                yield RandomFate(self._rng)
        elif snapshot.number % 2:
            yield RandomFate(self._rng)

    def _cut(self, snapshot: Snapshot, fate: Fate) -> None:
        self._cuts += 1
        survived = snapshot.surface.surviving(fate)
        found = self._checker.check(survived)
        what = self._problem_with(snapshot.number, found)
        every = self._coverage.again_every
        if what is None and every and self._cuts % every == 0:
            what = self._cut_again(survived)
        if what:
            self._problems.append(Problem(snapshot.number, snapshot.call, fate, what))
        operations = len(self._run.recording.operations)
        self._report(f"operation {snapshot.number} of {operations}, {self._cuts} cuts")

    def _cut_again(self, survived: Image) -> str | None:
        """Cut the power while the box restarts on what survived and makes a change."""
        run = starting_again(survived, shares_memory=self._run.shares_memory)
        once = QUICK._replace(again_every=None)
        result = PowerCutter(run, self._checker, once, self._seed).cut_everywhere()
        self._again += result.cuts
        return f"then {result.problems[0]}" if result.problems else None

    def _problem_with(self, operation: int, found: RecoveryResult) -> str | None:
        """Everything shown must be there, and at most one append in progress."""
        if found.faults:
            return found.faults[0]
        appends = self._run.appends_by(operation)
        if found.state not in self._states[appends : appends + 2]:
            if found.state in self._states:
                return f"{self._states.index(found.state)} of {appends} appends are there"
            return f"the ledger has an impossible state after {appends} appends"
        shown = self._run.postings_shown_by(operation)
        if found.postings < shown:
            return f"posting {shown} was shown, but there are only {found.postings}"
        return None


def cut_through(name: str, coverage: Coverage, seed: int = 1) -> CrashResult:
    """Cut the power everywhere in a workload, and print progress."""
    workload, progress = WORKLOADS[name], Progress()

    def report(message: str) -> None:
        progress(f"{name}: {message}")

    with recovery.folder() as folder:
        checker = RecoveryCheck(folder, workload.backup)
        return PowerCutter(workload.record(), checker, coverage, seed, report).cut_everywhere()


def main() -> int:
    width = max(map(len, WORKLOADS))
    parser = argparse.ArgumentParser(
        prog="python -m tests.campaign.ledger_faults.crash",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        description=DESCRIPTION,
        epilog="workloads:\n"
        + "\n".join(
            f"  {name:{width}}  {workload.description}" for name, workload in WORKLOADS.items()
        ),
    )
    parser.add_argument("workloads", nargs="*", metavar="WORKLOAD", help="default: all")
    parser.add_argument(
        "--full",
        action="store_true",
        help="several random fates, and every boundary, sector and page of a write",
    )
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="random seed (default: 1)")
    args = parser.parse_args()
    unknown = [name for name in args.workloads if name not in WORKLOADS]
    if unknown:
        parser.error(f"unknown workload {unknown[0]!r}; choose from {', '.join(WORKLOADS)}")
    problems = 0
    for name in args.workloads or WORKLOADS:
        result = cut_through(name, FULL if args.full else QUICK, args.seed)
        print(f"{name} ({WORKLOADS[name].description}): {result}", flush=True)
        for problem in result.problems[:10]:
            print(f"  {problem}")
        problems += len(result.problems)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
