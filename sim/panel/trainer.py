"""Leads the viewers of a panel through the tasks, on a scratch ledger, while the game waits."""

import sqlite3
from collections.abc import Iterator
from typing import Any, NamedTuple

from firmware.bank.ledger import Ledger
from firmware.bank.records import JournalFailed
from firmware.user_error import UserError
from hal.events import Slot
from sim.board.scratch_ledger import ScratchLedger
from sim.board.stock import STOCK
from sim.learn.lesson import Lesson
from sim.learn.observation import Holdings, ScreenContent
from sim.learn.task import Task, all_tasks
from sim.panel.actions import (
    ActionRefusal,
    ActionRefused,
    BoxAction,
    PressKey,
    PutCard,
    ReleaseKey,
    TakeCard,
)
from sim.script.language import Insert, Press


class BegunTask(NamedTuple):
    """A task on its own ledger."""

    number: int
    lesson: Lesson
    scratch: ScratchLedger


class Trainer:
    """At most one task at a time."""

    def __init__(self) -> None:
        self.current: BegunTask | None = None

    @property
    def busy(self) -> bool:
        return self.current is not None

    def prepare(self, number: int) -> BegunTask:
        """Create a task's ledger; the current task goes on until ``switch``."""
        tasks = all_tasks()
        if not 1 <= number <= len(tasks):
            raise ActionRefused(ActionRefusal.UNKNOWN)
        task = tasks[number - 1]
        try:
            scratch = ScratchLedger(task.script.edition, stock_known=task.script.stock_known)
        except (OSError, sqlite3.Error, JournalFailed, UserError):
            raise ActionRefused(ActionRefusal.NOT_HERE) from None
        return BegunTask(number, Lesson(task), scratch)

    def switch(self, to: BegunTask | None) -> None:
        """Go on with a prepared task, or with none, and remove the ledger of the last one."""
        if self.current:
            self.current.scratch.remove()
        self.current = to

    def observe(self, shows: dict[str, Any], ledger: Ledger) -> bool:
        """Judge what shows, and what the ledger holds; True if there is something new to say."""
        if self.current is None:
            return False
        lesson = self.current.lesson
        before = lesson.feedback
        return lesson.observe(ScreenContent.of_message(shows), Holdings.of(ledger)) != before

    @property
    def message(self) -> dict[str, Any] | None:
        """The content of the page's ``lesson`` message."""
        if self.current is None:
            return None
        number, lesson, _ = self.current
        task, (outcome, sentence) = lesson.task, lesson.feedback
        return {
            "number": number,
            "count": len(all_tasks()),
            "title": task.title._asdict(),
            "text": task.text._asdict(),
            "hint": task.hint._asdict(),
            "outcome": outcome.value,
            "said": sentence._asdict() if sentence else None,
        }


def set_up_actions(task: Task) -> Iterator[BoxAction]:
    """What the set-up does to the box."""
    slots: dict[Slot, int] = {}
    for step in task.set_up:
        match step:
            case Insert(slot, uid):
                slots[slot] = STOCK.index(uid) + 1
                yield PutCard(slots[slot], slot)
            case Press(keys):
                for key in keys:
                    yield PressKey(key)
                    yield ReleaseKey(key)
            case _:
                yield TakeCard(slots.pop(step.slot))
