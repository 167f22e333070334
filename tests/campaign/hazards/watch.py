"""A box, its banker's memory, and what keys that are down may still do."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from firmware.bank.purposes import Purpose
from hal.events import SECOND, Key
from tests.campaign.hazards.announcement import LONG_C, Announcement, announced
from tests.campaign.hazards.judgement import Find, judge
from tests.campaign.hazards.memory import Memory
from tests.campaign.hazards.sight import Sight, sight_of
from tests.campaign.hazards.step import Step, What
from tests.campaign.hazards.table import Table

HOLDS = ((Key.CANCEL, 2 * SECOND), (Key.CANCEL, LONG_C), (Key.MILLIONS, 1 * SECOND))
"""Keys that are also tried held, and for how long."""


class Attempt(NamedTuple):
    """A key to try, and the line of a script that does it."""

    key: Key
    held: int = 0

    @property
    def line(self) -> str:
        return (
            f"hold {self.key.value} {self.held // SECOND}s"
            if self.held
            else f"press {self.key.value}"
        )


ATTEMPTS = (*(Attempt(key) for key in Key), *(Attempt(*hold) for hold in HOLDS))


class Held(NamedTuple):
    """A key that stays down during several steps."""

    key: Key
    since: int
    may: tuple[Announcement, ...]
    acknowledges: bool


class Watch:
    """Plays lines, and judges each of them."""

    def __init__(self, given: Iterable[str], *, strict: bool = False) -> None:
        self.table = Table(given)
        self.memory = Memory(strict=strict)
        self.held: Held | None = None

    def play(self, line: str) -> Find | None:
        """Play a line; return what is wrong with it."""
        step = self._with_duration(self.table.play(line))
        find = judge(step, self.memory, self.held.may if self.held else ())
        self._hold(step)
        owed = self.memory.owed
        self.memory.update(step)
        self._end_hold(step, interrupted=bool(self.memory.owed and not owed))
        return find

    def try_keys(self) -> Iterator[tuple[Attempt, Find]]:
        """Try every key on copies of the box; return what is wrong."""
        if self.held or not self.table.powered:
            return
        for attempt in ATTEMPTS:
            step = self.table.try_key(*attempt)
            if find := judge(step, self.memory):
                yield attempt, find

    def _end_hold(self, step: Step, *, interrupted: bool) -> None:
        """A held key does something once; an interruption ends the hold of M [F5]."""
        moved = any(posting.purpose is not Purpose.OPENING for posting in step.postings)
        if self.held and (
            moved or step.starts_game or (interrupted and self.held.key is Key.MILLIONS)
        ):
            self.held = self.held._replace(may=())

    def _with_duration(self, step: Step) -> Step:
        """A key that is let go: for how long it was down, if letting go of it means anything."""
        if step.what is not What.RELEASE:
            return step
        held, self_may = self.held, step._replace(key=None)
        if held is None or held.key is not Key.CANCEL or not held.acknowledges:
            return self_may
        return step._replace(held=self.table.harness.now - held.since)

    def _hold(self, step: Step) -> None:
        if step.what in (What.RELEASE, What.POWER):
            self.held = None
        elif step.key and step.held is None:
            asleep = (Sight.DARK, Sight.LEDGER_ERROR, Sight.BLOCKED)
            awake = sight_of(step.before) not in asleep
            tap, long = (announced(step.before, self.memory, step.key, n) for n in (0, LONG_C))
            may = (tap, long) if step.key is Key.CANCEL else (long,)
            self.held = Held(step.key, self.table.harness.now, may, awake)
