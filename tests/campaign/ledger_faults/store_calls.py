"""Fails each disk call of the store, once or repeatedly. The bank must refuse a move or carry on.

    python -m tests.campaign.ledger_faults.store_calls [--full] [--delete] [SCENE ...]

The calls are those of SQLite and of the firmware itself: open, read, write, sync, truncate, delete,
lock and access. One of them fails in a short scene of a game, which is then played to its end. No
view may show what is not on disk, and nothing may be raised. Afterwards the box must make a move,
and the audit must find nothing.
"""

import argparse
import sys
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr
from io import StringIO
from typing import NamedTuple

from hal.display.messages import Text
from hal.display.sounds import Sound
from hal.display.view import View
from hal.events import SECOND
from tests.campaign.disk.calls import Kind
from tests.campaign.disk.surface import Image, Kept, Lost
from tests.campaign.ledger_faults import recovery
from tests.campaign.ledger_faults.evening import Evening
from tests.campaign.ledger_faults.failing_card import ERRORS, CallError, FailingCard
from tests.campaign.ledger_faults.ledger_contents import in_memory, on_disk
from tests.campaign.ledger_faults.recovery import RecoveryCheck, write_image
from tests.campaign.ledger_faults.scenes import SCENES, Scene
from tests.campaign.progress import Progress

DESCRIPTION = """\
Plays short scenes of a game, and fails each disk call of a scene in turn. No
view may show what is not on disk, nothing may be raised, and once the disk is
healthy again the next move must succeed.

Any call can fail with EIO; calls that create or write also with ENOSPC and
EROFS, calls that truncate, delete or rename also with EROFS; a lock can be
busy. A sync that fails with EIO may have written the data, or not yet, or
never will. A call fails once, or together with the next 29 calls that can have
the same error. Without --full each call fails in one way, and the next of its
kind in the next way.
"""
BURST = 30
"""Calls. A dozen retries of a lock must not be enough."""
MAX_COMPARED = 6
"""How many views after the failure are compared with the disk."""


class CallFailure(NamedTuple):
    """Which call of the scene fails, how, and how many times in all."""

    call: int
    kind: Kind
    call_error: CallError
    times: int

    def __str__(self) -> str:
        often = "once" if self.times == 1 else f"{self.times} times"
        return f"call {self.call} ({self.kind.value}) fails {often} with {self.call_error.label}"


class SceneRun:
    """Plays one scene, with one failure."""

    def __init__(
        self, scene: Scene, image: Image, checker: RecoveryCheck, *, shares_memory: bool
    ) -> None:
        self._scene = scene
        self._image = image
        self._checker = checker
        self._shares_memory = shares_memory
        self._compared = 0
        self._problems: list[str] = []

    def calls(self) -> list[tuple[int, Kind]]:
        """The calls of the scene without a failure."""
        with recovery.folder() as folder:
            write_image(folder, self._image)
            with FailingCard(folder, shares_memory=self._shares_memory) as card:
                calls_before = self._play(card, Evening(folder), None)
            return list(enumerate(card.calls))[calls_before:]

    def run_with(self, failure: CallFailure) -> str | None:
        """Play the scene with a failure; return the first problem, if any."""
        with recovery.folder() as folder:
            write_image(folder, self._image)
            with FailingCard(folder, shares_memory=self._shares_memory) as card:

                def shown(view: View) -> None:
                    self._compare_view(card, table, view)

                table = Evening(folder, shown=shown)
                try:
                    with redirect_stderr(StringIO()):
                        self._play(card, table, failure)
                except Exception as error:
                    where = traceback.extract_tb(error.__traceback__)[-1]
                    return f"{error!r} was raised in {where.name}, line {where.lineno}"
                return next(iter(self._problems), None) or self._check_final(card, table)

    def _play(self, card: FailingCard, table: Evening, failure: CallFailure | None) -> int:
        """Play the scene; return the number of calls before it."""
        calls_before = 0
        if failure and self._scene.from_the_start:
            card.fail_call(failure.call, failure.call_error, failure.times)
        with table.box():
            if not self._scene.from_the_start:
                calls_before = len(card.calls)
                if failure:
                    card.fail_call(failure.call, failure.call_error, failure.times)
            self._scene.play(table)
            if failure and not self._scene.from_the_start:
                self._check_recovered(card, table)
        card.stop_failing()
        if failure and self._scene.from_the_start:
            with table.box():
                self._check_recovered(card, table)
        return calls_before

    def _check_recovered(self, card: FailingCard, table: Evening) -> None:
        """The disk is healthy again: after the retry interval a move must succeed."""
        card.stop_failing()
        table.wait(11 * SECOND)
        table.put()
        table.hold_c()
        table.put(left=1)
        table.press("G")
        if table.sounds != [Sound.OK]:
            screen = f"{table.view.field} {table.view.message or ''}"
            self._problems.append(f"no move succeeds on the mended disk: {screen}")

    def _compare_view(self, card: FailingCard, table: Evening, view: View) -> None:
        if not card.has_failed or self._compared >= MAX_COMPARED or not view.lit:
            return
        if view.message and view.message.text is Text.LEDGER_ERROR:
            return
        self._compared += 1
        in_box = in_memory(table.ledger)
        durable = on_disk(card.would_survive(Lost()))
        if durable != in_box:
            self._problems.append(f"the box shows {in_box}, but the disk has {durable}")

    def _check_final(self, card: FailingCard, table: Evening) -> str | None:
        in_box = in_memory(table.ledger)
        durable, written = card.would_survive(Lost()), card.would_survive(Kept())
        for image in (durable,) if durable == written else (durable, written):
            found = self._checker.check(image)
            if found.faults:
                return f"at the end: {found.faults[0]}"
            contents = on_disk(image)
            if contents != in_box:
                return f"at the end the box has {in_box}, but the disk has {contents}"
        return None


class Result(NamedTuple):
    """The result of a scene."""

    scene: str
    calls: Counter[Kind]
    tried: list[CallFailure]
    problems: list[tuple[CallFailure, str]]

    def __str__(self) -> str:
        kinds = ", ".join(f"{n} {kind.value}" for kind, n in sorted(self.calls.items(), key=str))
        errors = Counter(failure.call_error.name for failure in self.tried)
        once = sum(failure.times == 1 for failure in self.tried)
        return (
            f"{self.scene}: {self.calls.total()} calls ({kinds}); {len(self.tried)} failures "
            f"({', '.join(f'{n} {error}' for error, n in sorted(errors.items()))}; {once} once, "
            f"{len(self.tried) - once} repeatedly), {len(self.problems)} problems"
        )


def call_failures(calls: list[tuple[int, Kind]], *, full: bool) -> Iterator[CallFailure]:
    """With ``full`` each call in each way, once and repeatedly; otherwise one way, in rotation."""
    turn: Counter[Kind] = Counter()
    for number, kind in calls:
        every = [(call_error, times) for call_error in ERRORS[kind] for times in (1, BURST)]
        chosen = every if full else [every[turn[kind] % len(every)]]
        turn[kind] += 1
        for call_error, times in chosen:
            yield CallFailure(number, kind, call_error, times)


def fail_each_call(
    name: str,
    *,
    shares_memory: bool = True,
    full: bool = False,
    stop_at_first: bool = False,
    report: Callable[[str], None] = lambda _: None,
) -> Result:
    """Fail each call of a scene, in one way or in all."""
    scene = SCENES[name]
    image = scene.prepared(shares_memory=shares_memory)
    with recovery.folder() as folder:
        checker = RecoveryCheck(folder)
        calls = SceneRun(scene, image, checker, shares_memory=shares_memory).calls()
        tried: list[CallFailure] = []
        problems: list[tuple[CallFailure, str]] = []
        for failure in call_failures(calls, full=full):
            tried.append(failure)
            problem = SceneRun(scene, image, checker, shares_memory=shares_memory).run_with(failure)
            if problem:
                problems.append((failure, problem))
            if problem and stop_at_first:
                break
            report(f"{name}: {len(tried)} failures, at call {failure.call} of {calls[-1][0]}")
    return Result(name, Counter(kind for _, kind in calls), tried, problems)


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.campaign.ledger_faults.store_calls",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        description=DESCRIPTION,
    )
    parser.add_argument(
        "scenes",
        nargs="*",
        metavar="SCENE",
        help=f"default: all, {', '.join(map(repr, SCENES))}",
    )
    parser.add_argument(
        "--full",
        action="store_true",
        help="each call with every possible error, once and repeatedly",
    )
    parser.add_argument(
        "--delete",
        action="store_true",
        help="use SQLite's rollback journal (DELETE) instead of the log (WAL), as on a file "
        "system without shared memory",
    )
    args = parser.parse_args()
    scenes = [name for name in SCENES if not (args.delete and SCENES[name].needs_log)]
    unknown = sorted(set(args.scenes) - set(scenes))
    if unknown:
        parser.error(f"unknown scene {unknown[0]!r}; choose from {', '.join(map(repr, scenes))}")
    problems, report = 0, Progress()
    for name in args.scenes or scenes:
        result = fail_each_call(name, shares_memory=not args.delete, full=args.full, report=report)
        print(result, flush=True)
        for failure, problem in result.problems[:10]:
            print(f"  {failure}: {problem}")
        problems += len(result.problems)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
