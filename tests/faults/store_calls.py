"""Every call of the store fails, once or for a while; the bank refuses a move, or carries on.

    python -m tests.faults.store_calls [--full] [--delete] [SCENE ...]

The calls are those of the library that the firmware uses, and the firmware's own: each open,
read, write, sync, truncation, deletion, lock and look at a name. In a short scene of a game
one of them fails, in a way in which it can; then the scene is played to its end. All
through it no screen may show what is not on the disk, nothing may be raised, and after it
the box makes a move again, and the audit finds nothing.
"""

import argparse
import sys
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr
from io import StringIO
from typing import NamedTuple

from hal.events import SECOND
from hal.sounds import Sound
from hal.view import Text, View
from sim.disk.calls import Kind
from sim.disk.surface import Image, Kept, Lost
from tests.faults import aftermath
from tests.faults.aftermath import Bench, lay_out
from tests.faults.books import in_memory, on_disk
from tests.faults.evening import Evening
from tests.faults.progress import Progress
from tests.faults.scenes import SCENES, Scene
from tests.faults.striking_card import WAYS, StrikingCard, Way

ABOUT = """\
Plays short scenes of a game, and in each of them lets every call of the disk
fail in turn. No screen may show what is not on the disk, nothing may be
raised, and when the disk is in order again the next move goes through.

A call can have EIO; one that creates or writes also ENOSPC and EROFS, one that
truncates, deletes or renames also EROFS; a lock can be busy; and a sync that
fails with EIO has done its work all the same, or not yet, or never will. It
happens to the call alone, or for a while: to it and the next 29 calls that can
have that error. Without --full a call fails in one of these ways, and the next
one of its kind in the next way: one failure for each call.
"""
A_WHILE = 30
"""Calls. Somebody who waits for a lock asks a dozen times before he gives up."""
LOOKS = 6
"""How many screens after the failure are compared with the disk."""


class Blow(NamedTuple):
    """A call that fails: which one of the scene, how, and how many after it."""

    call: int
    kind: Kind
    way: Way
    times: int

    def __str__(self) -> str:
        often = "once" if self.times == 1 else f"{self.times} times"
        return f"call {self.call} ({self.kind.value}) fails {often} with {self.way.words}"


class Trial:
    """One scene, with one blow."""

    def __init__(self, scene: Scene, image: Image, bench: Bench, *, shares_memory: bool) -> None:
        self._scene = scene
        self._image = image
        self._bench = bench
        self._shares_memory = shares_memory
        self._looks = 0
        self._wrong: list[str] = []

    def calls(self) -> list[tuple[int, Kind]]:
        """Those that the scene makes when nothing fails."""
        with aftermath.folder() as folder:
            lay_out(folder, self._image)
            with StrikingCard(folder, shares_memory=self._shares_memory) as card:
                begun = self._play(card, Evening(folder), None)
            return list(enumerate(card.calls))[begun:]

    def suffer(self, blow: Blow) -> str | None:
        """What is wrong with how the bank took it, if anything."""
        with aftermath.folder() as folder:
            lay_out(folder, self._image)
            with StrikingCard(folder, shares_memory=self._shares_memory) as card:

                def shown(view: View) -> None:
                    self._look(card, table, view)

                table = Evening(folder, shown=shown)
                try:
                    with redirect_stderr(StringIO()):
                        self._play(card, table, blow)
                except Exception as error:
                    where = traceback.extract_tb(error.__traceback__)[-1]
                    return f"{error!r} was raised in {where.name}, line {where.lineno}"
                return next(iter(self._wrong), None) or self._afterwards(card, table)

    def _play(self, card: StrikingCard, table: Evening, blow: Blow | None) -> int:
        """The scene; how many calls had been made when it began."""
        begun = 0
        if blow and self._scene.from_the_start:
            card.strike(blow.call, blow.way, blow.times)
        with table.box():
            if not self._scene.from_the_start:
                begun = len(card.calls)
                if blow:
                    card.strike(blow.call, blow.way, blow.times)
            self._scene.play(table)
            if blow and not self._scene.from_the_start:
                self._mend(card, table)
        card.relent()
        if blow and self._scene.from_the_start:
            with table.box():
                self._mend(card, table)
        return begun

    def _mend(self, card: StrikingCard, table: Evening) -> None:
        """The disk is in order again: after the time for another try a move goes through."""
        card.relent()
        table.wait(11 * SECOND)
        table.put()
        table.hold_c()
        table.put(left=1)
        table.press("G")
        if table.sounds != [Sound.OK]:
            said = f"{table.view.field} {table.view.message or ''}"
            self._wrong.append(f"no move goes through on a disk that is in order again: {said}")

    def _look(self, card: StrikingCard, table: Evening, view: View) -> None:
        if not card.has_struck or self._looks >= LOOKS or not view.lit:
            return
        if view.message and view.message.text is Text.LEDGER_ERROR:
            return
        self._looks += 1
        believed = in_memory(table.ledger)
        certain = on_disk(card.would_survive(Lost()))
        if certain != believed:
            self._wrong.append(f"the box shows {believed}, and on the disk is {certain}")

    def _afterwards(self, card: StrikingCard, table: Evening) -> str | None:
        believed = in_memory(table.ledger)
        certain, hoped_for = card.would_survive(Lost()), card.would_survive(Kept())
        for image in (certain,) if certain == hoped_for else (certain, hoped_for):
            found = self._bench.looked_at(image)
            if found.faults:
                return f"after all: {found.faults[0]}"
            books = on_disk(image)
            if books != believed:
                return f"in the end the box knows {believed}, and on the disk is {books}"
        return None


class Result(NamedTuple):
    """What became of a scene."""

    scene: str
    calls: Counter[Kind]
    tried: list[Blow]
    wounds: list[tuple[Blow, str]]

    def __str__(self) -> str:
        kinds = ", ".join(f"{n} {kind.value}" for kind, n in sorted(self.calls.items(), key=str))
        errors = Counter(blow.way.error for blow in self.tried)
        once = sum(blow.times == 1 for blow in self.tried)
        return (
            f"{self.scene}: {self.calls.total()} calls ({kinds}); {len(self.tried)} failures "
            f"({', '.join(f'{n} {error}' for error, n in sorted(errors.items()))}; {once} once, "
            f"{len(self.tried) - once} for a while), {len(self.wounds)} not taken as they must be"
        )


def blows(calls: list[tuple[int, Kind]], *, full: bool) -> Iterator[Blow]:
    """All ways for each call, once and for a while; else one of them, another each time."""
    turn: Counter[Kind] = Counter()
    for number, kind in calls:
        every = [(way, times) for way in WAYS[kind] for times in (1, A_WHILE)]
        chosen = every if full else [every[turn[kind] % len(every)]]
        turn[kind] += 1
        for way, times in chosen:
            yield Blow(number, kind, way, times)


def strike_all(
    name: str,
    *,
    shares_memory: bool = True,
    full: bool = False,
    until_wounded: bool = False,
    tell: Callable[[str], None] = lambda _: None,
) -> Result:
    """Let each call of a scene fail, in one way or in all."""
    scene = SCENES[name]
    image = scene.prepared(shares_memory=shares_memory)
    with aftermath.folder() as folder:
        bench = Bench(folder)
        calls = Trial(scene, image, bench, shares_memory=shares_memory).calls()
        tried: list[Blow] = []
        wounds: list[tuple[Blow, str]] = []
        for blow in blows(calls, full=full):
            tried.append(blow)
            wrong = Trial(scene, image, bench, shares_memory=shares_memory).suffer(blow)
            if wrong:
                wounds.append((blow, wrong))
            if wrong and until_wounded:
                break
            tell(f"{name}: {len(tried)} failures, at call {blow.call} of {calls[-1][0]}")
    return Result(name, Counter(kind for _, kind in calls), tried, wounds)


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.faults.store_calls",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        description=ABOUT,
    )
    parser.add_argument(
        "scenes",
        nargs="*",
        metavar="SCENE",
        help=f"default: all of them, {', '.join(map(repr, SCENES))}",
    )
    parser.add_argument(
        "--full",
        action="store_true",
        help="each call with every error that it can have, once and for a while",
    )
    parser.add_argument(
        "--delete",
        action="store_true",
        help="SQLite keeps a journal for each commit (DELETE), and not a log (WAL), "
        "as on a file system that allows no log",
    )
    args = parser.parse_args()
    scenes = [name for name in SCENES if not (args.delete and SCENES[name].needs_log)]
    unknown = sorted(set(args.scenes) - set(scenes))
    if unknown:
        parser.error(f"there is no such scene here: {unknown[0]!r}")
    wounds, tell = 0, Progress()
    for name in args.scenes or scenes:
        result = strike_all(name, shares_memory=not args.delete, full=args.full, tell=tell)
        print(result, flush=True)
        for blow, wrong in result.wounds[:10]:
            print(f"  {blow}: {wrong}")
        wounds += len(result.wounds)
    return 1 if wounds else 0


if __name__ == "__main__":
    sys.exit(main())
