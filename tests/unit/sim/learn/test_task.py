"""What a task's script must have."""

import pytest

from firmware.user_error import UserError
from sim.learn.sentence import Sentence
from sim.learn.task import read_task
from sim.script.language import Expect, ExpectBalance, Insert, Press
from tests.unit.sim.learn.learner import TEXTS, task_of


def test_a_task_has_texts_a_set_up_a_solution_and_a_goal() -> None:
    task = read_task(
        "01.box",
        "# title en: A\n# title fr: B\n# en: First\n#   and second.\n# fr: C\n# hint en: D\n"
        "# hint fr: E\n# some comment\n\ninsert left 1\n# --- your turn\npress 2M\n"
        "expect sound ok\npress C\nexpect balance 1 15M\nexpect message\n",
    )
    assert task.title == Sentence("A", "B")
    assert task.text == Sentence("First and second.", "C")
    assert task.hint == Sentence("D", "E")
    assert [type(step) for step in task.set_up] == [Insert]
    assert [type(step) for step in task.solution] == [Press, Expect, Press]
    assert [type(step) for step in task.goal] == [ExpectBalance, Expect]


@pytest.mark.parametrize(
    ("content", "error"),
    [
        (f"{TEXTS}\npress 5\n", "a task needs a line '# --- your turn'"),
        (TEXTS.replace("# hint fr", "# hint de") + "# --- your turn\n", "'# hint fr: …'"),
        (f"{TEXTS}\nwait 2s\n# --- your turn\n", "a set-up consists of insert, remove and press"),
        (
            f"{TEXTS}\n# --- your turn\npress 5\nexpect sound ok\n",
            "a goal expects balance, worth, screen, message, status, menu",
        ),
        (f"{TEXTS}\n# --- your turn\nhop\n", "some.box:9: there is no 'hop'"),
    ],
)
def test_what_is_wrong_with_a_task_is_an_error(content: str, error: str) -> None:
    with pytest.raises(UserError, match="some") as raised:
        read_task("some.box", content)
    assert error in str(raised.value)


def test_a_task_may_have_no_set_up() -> None:
    assert task_of("# --- your turn\ninsert left 1\nexpect screen 1\n").set_up == ()
