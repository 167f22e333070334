"""Lets a sync fail and cuts the power soon after. No move that was shown may be lost.

    python -m tests.campaign.ledger_faults.doubt [--full] [--delete]

After a failed sync the bank is in doubt about what is on disk, finds out, and goes on. The power is
cut after each operation that this takes.
"""

import argparse
import random
import sys
from collections.abc import Callable, Iterator
from typing import NamedTuple

from hal.display.messages import Text
from hal.display.view import View
from hal.events import SECOND
from tests.campaign.disk.calls import Kind
from tests.campaign.disk.recording import Recording
from tests.campaign.disk.surface import Fate, Image, Kept, Lost, RandomFate
from tests.campaign.ledger_faults import recovery
from tests.campaign.ledger_faults.evening import Evening
from tests.campaign.ledger_faults.failing_card import ERRORS, CallError, FailingCard
from tests.campaign.ledger_faults.recovery import RecoveryCheck, write_image
from tests.campaign.ledger_faults.scenes import SCENES
from tests.campaign.progress import Progress

OPERATIONS = 40
"""Operations after the failure; the power is cut at each of them."""


class SyncFailure(NamedTuple):
    """Which sync fails, and how."""

    call: int
    call_error: CallError
    times: int

    def __str__(self) -> str:
        return f"call {self.call} (sync) fails {self.times} times with {self.call_error.label}"


class RecordedScene(NamedTuple):
    """What the disk did, and what was shown."""

    recording: Recording
    failed_after: int
    """The operation count when the sync failed."""
    shown: list[tuple[int, int]]
    """The operation count and the newest posting at each view."""
    syncs: list[int]
    """The calls of the scene that were syncs."""

    def shown_by(self, operation: int) -> int:
        return max((newest for number, newest in self.shown if number <= operation), default=0)


class DoubtResult(NamedTuple):
    """What was tried, and the problems found."""

    sync_failures: int
    cuts: int
    problems: list[str]

    def __str__(self) -> str:
        return (
            f"{self.sync_failures} failed syncs, {self.cuts} power cuts after them, "
            f"{len(self.problems)} problems"
        )


SCENE = SCENES["moves"]
"""Each of its moves is one posting, so at most one more than shown can be there."""


def play_scene(image: Image, failure: SyncFailure | None, *, shares_memory: bool) -> RecordedScene:
    """Play the scene, with a failure or without one."""
    with recovery.folder() as folder:
        write_image(folder, image)
        with FailingCard(folder, shares_memory=shares_memory) as card:
            recording = card.record()
            shown: list[tuple[int, int]] = []

            def on_view(view: View) -> None:
                in_doubt = view.message and view.message.text is Text.LEDGER_ERROR
                if view.lit and not in_doubt:
                    shown.append((len(recording.operations), table.ledger.state.last_posting))

            table = Evening(folder, shown=on_view)
            with table.box():
                calls_before = len(card.calls)
                if failure:
                    card.fail_call(failure.call, failure.call_error, failure.times)
                SCENE.play(table)
                table.wait(11 * SECOND)
                table.press("20K")
            syncs = [
                n for n, kind in enumerate(card.calls) if n > calls_before and kind is Kind.SYNC
            ]
        return RecordedScene(recording, card.failed_after, shown, syncs)


def check_cuts(
    recorded: RecordedScene, failure: SyncFailure, checker: RecoveryCheck, rng: random.Random
) -> Iterator[str]:
    """Cut the power after each operation; yield the problem, or an empty string."""
    last = recorded.failed_after + OPERATIONS
    for snapshot in recorded.recording.snapshots():
        if not recorded.failed_after <= snapshot.number <= last:
            continue
        for fate in (Lost(), Kept(), RandomFate(rng)):
            yield _check_cut(
                recorded, failure, snapshot.number, fate, snapshot.surface.surviving(fate), checker
            )


def _check_cut(
    recorded: RecordedScene,
    failure: SyncFailure,
    operation: int,
    fate: Fate,
    image: Image,
    checker: RecoveryCheck,
) -> str:
    found = checker.check(image)
    shown = recorded.shown_by(operation)
    what = next(iter(found.faults), "")
    if not what and not shown <= found.postings <= shown + 1:
        what = f"posting {shown} was shown, but there are {found.postings}"
    return f"{failure}; cut after operation {operation}, {fate}: {what}" if what else ""


def fail_and_cut(
    *,
    shares_memory: bool = True,
    full: bool = False,
    stop_at_first: bool = False,
    seed: int = 1,
    report: Callable[[str], None] = lambda _: None,
) -> DoubtResult:
    """Fail each sync of the scene in each way, and cut the power after it at each operation."""
    image = SCENE.prepared(shares_memory=shares_memory)
    syncs = play_scene(image, None, shares_memory=shares_memory).syncs
    rng = random.Random(seed)
    found: list[str] = []
    count = 0
    with recovery.folder() as folder:
        checker = RecoveryCheck(folder)
        for count, failure in enumerate(sync_failures(syncs, full=full), start=1):
            recorded = play_scene(image, failure, shares_memory=shares_memory)
            found += check_cuts(recorded, failure, checker, rng)
            if stop_at_first and any(found):
                break
            report(f"{count} failed syncs, {len(found)} cuts")
    return DoubtResult(count, len(found), [problem for problem in found if problem])


def sync_failures(syncs: list[int], *, full: bool) -> Iterator[SyncFailure]:
    """With ``full`` each sync in each way, repeatedly; otherwise in the worst way and one other."""
    *others, worst = ERRORS[Kind.SYNC]
    for number, call in enumerate(syncs):
        if full:
            errors = (*others, worst)
            yield from (
                SyncFailure(call, call_error, times)
                for call_error in errors
                for times in (1, 2, 3, 5)
            )
        else:
            yield SyncFailure(call, worst, number % 3 + 1)
            yield SyncFailure(call, others[number % 2], number // 2 % 3 + 1)


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.campaign.ledger_faults.doubt",
        description="Fails each sync of some moves, and cuts the power after each of the next "
        f"{OPERATIONS} operations. A failed sync may have written the data, or not yet, or the "
        "kernel never will. Without --full each sync fails in the last of these ways and in one "
        "of the others, up to three times in a row.",
    )
    parser.add_argument(
        "--full", action="store_true", help="all three ways, 1, 2, 3 and 5 times in a row"
    )
    parser.add_argument(
        "--delete",
        action="store_true",
        help="use SQLite's rollback journal (DELETE) instead of the log (WAL)",
    )
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="random seed (default: 1)")
    args = parser.parse_args()
    result = fail_and_cut(
        shares_memory=not args.delete, full=args.full, seed=args.seed, report=Progress()
    )
    print(result)
    for problem in result.problems[:10]:
        print(f"  {problem}")
    return 1 if result.problems else 0


if __name__ == "__main__":
    sys.exit(main())
