"""Plays the model solution of a task, and notes what the ledger holds after each step.

A banker may take another way, but money may only be where it is at some step of this one.
"""

from sim.board.software_harness import SoftwareHarness
from sim.learn.observation import Holdings
from sim.learn.task import Task
from sim.script.language import Expect, ExpectBalance
from sim.script.player import begin, perform


def stages(task: Task) -> tuple[Holdings, ...]:
    """What the ledger holds after the set-up, and after each step that changes it."""
    harness = begin(SoftwareHarness(), task.script)
    try:
        for step in task.set_up:
            perform(harness, step)
        found = [Holdings.of(harness.ledger)]
        for action in task.solution:
            if isinstance(action, Expect | ExpectBalance):
                continue
            perform(harness, action)
            holdings = Holdings.of(harness.ledger)
            if not holdings.agrees_with(found[-1]):
                found.append(holdings)
        return tuple(found)
    finally:
        harness.put_away()
