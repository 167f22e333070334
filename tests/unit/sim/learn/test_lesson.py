"""What the trainer says while a task is played."""

import json

import pytest

from hal.display.messages import Text
from sim.learn.advice import ADVICE
from sim.learn.lesson import Outcome
from sim.learn.observation import ScreenContent
from sim.learn.task import all_tasks
from tests.unit.sim.learn.learner import Learner, task_named, task_of

C_TAKES_BACK = " Press C to take it back, or start the task again."
F_8_TAKES_BACK = " Take it back with F 8, then M twice, or start the task again."


def said(task: str, *lines: str) -> str:
    """What the trainer says in the end about money that went wrong."""
    feedback = Learner(task_named(task)).does(*lines)
    assert feedback.outcome is Outcome.WRONG
    assert feedback.sentence
    assert feedback.sentence.en != feedback.sentence.fr
    return feedback.sentence.en


def outcome(task: str, *lines: str) -> Outcome:
    return Learner(task_named(task)).does(*lines).outcome


def test_another_way_to_the_goal_is_as_good() -> None:
    assert outcome("01-receive", "insert left 1", "press 1500K", "press 500K") is Outcome.DONE
    assert outcome("01-receive", "insert left 1", "press 2000K") is Outcome.DONE
    assert outcome("02-rent", "insert right 2", "press 1,4", "insert left 1", "press M") is (
        Outcome.DONE
    )
    assert outcome("05-taken-out", "press F", "press C", "insert right 2", "press 1400K") is (
        Outcome.DONE
    )
    by_hand = ("insert right 2", "press 830K")
    assert outcome("07-mortgage", *by_hand) is Outcome.DONE


def test_a_wrong_amount() -> None:
    both = ("insert left 1", "insert right 2")
    assert said("02-rent", *both, "press 14M") == (
        f"Card 2 has paid 14M instead of 1,4M.{C_TAKES_BACK}"
    )
    assert said("02-rent", *both, "press 1M", "press 1M") == (
        f"Card 2 has paid 2M instead of 1,4M.{C_TAKES_BACK}"
    )
    assert said("06-tax", "remove left", "insert right 2", "press 20K") == (
        f"Card 2 has paid 20K instead of 2M.{C_TAKES_BACK}"
    )
    assert said("01-receive", "insert left 1", "press 20M") == (
        f"The bank has paid 20M instead of 2M.{C_TAKES_BACK}"
    )


def test_the_same_in_french() -> None:
    learner = Learner(task_named("02-rent"))
    feedback = learner.does("insert left 2", "insert right 1", "press 1,4M")
    assert feedback.sentence
    assert feedback.sentence.fr == (
        "La carte 1 a payé 1,4M à la carte 2, mais la carte 2 doit payer 1,4M à la carte 1. "
        "Appuyez sur C pour l’annuler, ou recommencez l’exercice."
    )


def test_the_wrong_card() -> None:
    assert said("02-rent", "insert left 2", "insert right 1", "press 1,4M") == (
        f"Card 1 has paid card 2 1,4M, but card 2 must pay card 1 1,4M.{C_TAKES_BACK}"
    )
    assert said("06-tax", "insert right 2", "press 2M") == (
        f"Card 2 has paid card 1 2M, but card 2 must pay the bank 2M.{C_TAKES_BACK}"
    )
    assert said("10-final-count", "insert left 1", "press 2M") == (
        f"The bank has paid card 1 2M, which is not part of the task.{C_TAKES_BACK}"
    )


def test_c_is_no_way_back_once_a_card_has_left() -> None:
    learner = Learner(task_named("02-rent"))
    learner.does("insert left 1", "insert right 2", "press 14M", "remove left", "insert left 1")
    assert learner.lesson.feedback.sentence
    assert learner.lesson.feedback.sentence.en.endswith(F_8_TAKES_BACK)
    assert learner.does("press F8MM").outcome is Outcome.OPEN
    assert learner.does("press 14M", "press C", "press 1,4M").outcome is Outcome.DONE


def test_several_moves_that_went_wrong() -> None:
    assert said(
        "02-rent", "insert left 1", "press G", "remove left", "insert left 3", "press G"
    ) == ("Card 1 has 17M instead of 16,4M. Start the task again.")


def test_a_new_game_is_not_the_way_back() -> None:
    assert said("09-bankrupt", "hold C 3s") == (
        "Card 1 has 15M instead of 18M. Start the task again."
    )


def test_bankruptcies() -> None:
    both = ("insert left 1", "insert right 2")
    assert said("09-bankrupt", *both, "press 3M") == (
        f"Card 2 has paid everything, but is not bankrupt: that is F 1.{C_TAKES_BACK}"
    )
    assert said("06-tax", "remove left", "insert right 2", "press F1", "hold M 1s") == (
        f"Card 2 is bankrupt, which is not part of the task.{C_TAKES_BACK}"
    )


@pytest.mark.parametrize(
    "half_done",
    [
        ("insert left 1", "press 5"),
        ("insert left 1", "press 5", "remove left"),
        ("insert left 1", "press F"),
        ("insert left 1", "press F6"),
        ("insert left 1", "press F6", "press 5M"),
        ("press F9",),
        ("press F0",),
    ],
)
def test_nothing_may_be_half_done(half_done: tuple[str, ...]) -> None:
    """A list, a question, something typed and an interruption: the goal waits for them."""
    lines = "\n".join((*half_done, "# --- your turn", "press C", "expect balance 1 15M"))
    learner = Learner(task_of(lines))
    assert learner.lesson.feedback.outcome in (Outcome.OPEN, Outcome.ADVICE)
    assert learner.does("press C").outcome is Outcome.DONE


def test_a_stated_message_must_show() -> None:
    both = ("insert left 1", "press 2M", "remove left", "insert left 2", "press 5M")
    learner = Learner(task_named("10-final-count"))
    assert learner.does("press F9", "press M", *both).outcome is Outcome.OPEN
    assert learner.does("remove left").outcome is Outcome.DONE


def test_a_wrong_worth() -> None:
    two = ("press F9", "press M", "insert left 2", "press 5M", "remove left")
    assert said("10-final-count", *two, "insert left 1", "press 20K", "remove left") == (
        "Card 1 counts 16,02M instead of 18M. Put it in on the left again to correct it."
    )
    learner = Learner(task_named("10-final-count"))
    assert learner.does(*two, "insert left 1", "press 1M", "press 1M", "remove left").outcome is (
        Outcome.DONE
    )


def test_a_count_that_is_ended_too_early() -> None:
    """A question is no mistake yet; and a card that is put in again continues."""
    learner = Learner(task_named("10-final-count"))
    asked = ("press F9", "press M", "insert left 1", "press 2M", "remove left", "press M")
    assert learner.does(*asked).outcome is Outcome.OPEN
    feedback = learner.does("press M")
    assert feedback.sentence
    assert feedback.sentence.en == "Card 2 was not counted. Put it in on the left."
    assert learner.does("insert left 2", "press 5M", "remove left").outcome is Outcome.DONE


def test_a_worth_is_corrected() -> None:
    learner = Learner(task_named("10-final-count"))
    learner.does("press F9", "press M", "insert left 1", "press 20M", "remove left")
    wrong = learner.does("insert left 2", "press 5M", "remove left")
    assert wrong.outcome is Outcome.WRONG
    right = ("insert left 1", "press C", "press 2M", "remove left")
    assert learner.does(*right).outcome is Outcome.DONE


def test_what_is_done_stays_done() -> None:
    learner = Learner(task_named("01-receive"))
    assert (
        learner.does("insert left 1", "press 2M", "press 2M", "hold C 3s").outcome is Outcome.DONE
    )


def test_a_stage_is_good() -> None:
    learner = Learner(task_named("04-go-twice"))
    assert learner.does("insert left 1").outcome is Outcome.OPEN
    assert learner.does("press G").outcome is Outcome.GOOD
    assert learner.does("press G").sentence == ADVICE["ALREADY_PAID"]
    assert learner.does("remove left", "insert left 1", "press G").outcome is Outcome.DONE


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (("press 2",), "NO_CARD"),
        (("insert left 1", "press M"), "NO_AMOUNT"),
        (("insert left 1", "press 2K"), "MIN"),
        (("insert left 1", "press 200M"), "MAX"),
        (("insert left 1", "press 1,2345M"), "STEP"),
        (("insert right 2", "press 16M"), "NO_FUNDS"),
        (("insert left 1", "press 2", "press G"), "CLEAR_FIRST"),
        (("insert right 1", "press G"), "LEFT_CARD_ONLY"),
        (("insert left 1", "insert right 1"), "SAME_CARD"),
        (("insert left 9",), "UNKNOWN_CARD"),
        (("insert left 1", "press 2", "remove left"), "NOT_DONE"),
        (("insert left 1", "wait 60s", "press G"), "PRESS_AGAIN"),
        (("insert left 1", "press C"), "NOTHING_TO_UNDO"),
        (("insert left 1", "insert right 2", "press F4", "press 1K"), "DICE"),
    ],
)
def test_advice_for_what_the_box_says(lines: tuple[str, ...], message: str) -> None:
    feedback = Learner(task_named("01-receive")).does(*lines)
    assert feedback == (Outcome.ADVICE, ADVICE[message])


def test_advice_is_about_texts_of_the_box() -> None:
    assert set(ADVICE) <= {text.name for text in Text}


def test_a_sleeping_box_and_an_unplugged_screen_are_no_mistake() -> None:
    learner = Learner(task_named("02-rent"))
    assert learner.does("insert left 1", "wait 61s").outcome is Outcome.OPEN
    assert learner.does("fault screen", "insert right 2").outcome is Outcome.OPEN
    assert learner.does("mend screen", "press 14M", "fault screen").outcome is Outcome.WRONG


def test_a_screen_content_survives_json() -> None:
    learner = Learner(all_tasks()[2])
    screen = ScreenContent.of(learner._harness.view)
    assert screen.cards == (1, 2)
    assert ScreenContent.of_message(json.loads(json.dumps(screen._asdict()))) == screen
