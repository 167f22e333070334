"""The ten tasks: each is a script that passes, says what to do, and is short enough."""

import re

import pytest

from sim.board.software_harness import SoftwareHarness
from sim.learn.lesson import Lesson, Outcome
from sim.learn.observation import Holdings, ScreenContent
from sim.learn.task import FOLDER, Task, all_tasks
from sim.script.language import Hold, Insert, Press, Remove
from sim.script.player import begin, perform

COUNT = 10
LONGEST = 5 * 60
READING = 3
"""Words a second."""
TYPING = 1.0
"""Seconds to find and press a key."""
MOVING = 3.0
"""Seconds to move a card."""
LIMITS = {"title": 22, "text": 170, "hint": 150}
"""Characters: on a phone the task and the box must fit on one screen."""

every_task = pytest.mark.parametrize("task", all_tasks(), ids=lambda task: task.name)


def test_there_are_ten_tasks_in_order() -> None:
    names = [task.name for task in all_tasks()]
    assert [name[:3] for name in names] == [f"{number:02}-" for number in range(1, COUNT + 1)]
    assert len(list(FOLDER.iterdir())) == COUNT


@every_task
def test_the_whole_task_passes_as_a_script(task: Task) -> None:
    harness = begin(SoftwareHarness(), task.script)
    try:
        for _number, step in task.script.steps:
            perform(harness, step)
            assert sum(harness.ledger.accounts.values()) == 0
    finally:
        harness.put_away()


@every_task
def test_only_the_last_step_of_the_solution_completes_the_task(task: Task) -> None:
    lesson = Lesson(task)
    harness = begin(SoftwareHarness(), task.script)
    outcomes = []
    for step in (*task.set_up, *task.solution):
        perform(harness, step)
        lesson.observe(ScreenContent.of(harness.view), Holdings.of(harness.ledger))
        outcomes.append(lesson.feedback.outcome)
    harness.put_away()
    begun = outcomes[len(task.set_up) :]
    assert begun[-1] is Outcome.DONE
    assert Outcome.DONE not in begun[:-1]
    assert Outcome.WRONG not in begun


@every_task
def test_its_texts_are_short(task: Task) -> None:
    for what, longest in LIMITS.items():
        for text in getattr(task, what):
            assert 3 < len(text) <= longest, text
            assert what == "title" or text.endswith("."), text


@every_task
def test_it_is_played_by_the_book_on_the_standard_box(task: Task) -> None:
    """The page gives the box no config file, and the cards that every new box knows."""
    assert not [line for line in task.script.lines if line.startswith("given")]


@every_task
def test_it_says_every_amount_that_is_to_be_typed(task: Task) -> None:
    typed = [
        "".join(key.value for key in step.keys) for step in task.solution if isinstance(step, Press)
    ]
    for amount in filter(re.compile("[0-9,]+[MK]").fullmatch, typed):
        assert all(amount in text for text in task.text), amount


def test_all_tasks_take_less_than_five_minutes() -> None:
    seconds = 0.0
    for task in all_tasks():
        seconds += len(f"{task.title.fr} {task.text.fr}".split()) / READING
        for step in task.solution:
            match step:
                case Press(keys):
                    seconds += len(keys) * TYPING
                case Hold():
                    seconds += 2 * TYPING
                case Insert() | Remove():
                    seconds += MOVING
    assert seconds < LONGEST
