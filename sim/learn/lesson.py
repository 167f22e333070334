"""A lesson: one task, and what the banker has achieved of it. It has no user interface."""

from enum import Enum
from typing import NamedTuple

from firmware.bank.records import BANK, POT
from sim.learn.advice import ADVICE
from sim.learn.mistake import mistake
from sim.learn.observation import Holdings, ScreenContent
from sim.learn.sentence import Sentence
from sim.learn.solution import stages
from sim.learn.task import Task
from sim.script.language import ExpectBalance, Subject

DONE = Sentence("Done.", "C’est fait.")
GO_ON = Sentence("Good so far. Go on.", "Bien jusqu’ici. Continuez.")
TAKE_BACK = Sentence(
    "Press C to take it back, or start the task again.",
    "Appuyez sur C pour l’annuler, ou recommencez l’exercice.",
)
TAKE_BACK_LATER = Sentence(
    "Take it back with F 8, then M twice, or start the task again.",
    "Annulez avec F 8, puis deux fois M, ou recommencez l’exercice.",
)
START_AGAIN = Sentence("Start the task again.", "Recommencez l’exercice.")
WRONG_WORTH = Sentence(
    "Card {card} counts {held} instead of {due}. Put it in on the left again to correct it.",
    "La carte {card} compte {held} au lieu de {due}. Remettez-la à gauche pour corriger.",
)
NOT_COUNTED = Sentence(
    "Card {card} was not counted. Put it in on the left.",
    "La carte {card} n’a pas été comptée. Mettez-la à gauche.",
)
RANKING = "WINNER "
"""How the message begins that ends a final count; a question has no space there."""


class Outcome(Enum):
    """What the trainer thinks of the box as it is now."""

    OPEN = "open"
    GOOD = "good"
    ADVICE = "advice"
    WRONG = "wrong"
    DONE = "done"


class Feedback(NamedTuple):
    outcome: Outcome
    sentence: Sentence | None = None


OPEN = Feedback(Outcome.OPEN)


class Lesson:
    """Compares what it observes of the box with the goal of a task."""

    def __init__(self, task: Task) -> None:
        self.task = task
        self.feedback = OPEN
        self._stages = stages(task)
        self._reached = 0
        """The last good stage."""
        self._stayed: frozenset[int] | None = None
        """The cards that have stayed in since money went wrong; None if it is right."""

    @property
    def done(self) -> bool:
        return self.feedback.outcome is Outcome.DONE

    def observe(self, screen: ScreenContent, holdings: Holdings) -> Feedback:
        """Judge what is there now. Once a task is done, it stays done."""
        if not self.done:
            self.feedback = self._judged(screen, holdings)
        return self.feedback

    def _judged(self, screen: ScreenContent, holdings: Holdings) -> Feedback:
        found = [at for at, stage in enumerate(self._stages) if stage.agrees_with(holdings)]
        if not found:
            return Feedback(Outcome.WRONG, self._wrong(screen, holdings))
        self._stayed = None
        self._reached = found[-1]
        if self._is_goal_met(screen, holdings):
            return Feedback(Outcome.DONE, DONE)
        is_over = screen.texts[Subject.MESSAGE.value].startswith(RANKING)
        if is_over and (sentence := self._wrong_worth(holdings)):
            return Feedback(Outcome.WRONG, sentence)
        if screen.message in ADVICE:
            return Feedback(Outcome.ADVICE, ADVICE[screen.message])
        return Feedback(Outcome.GOOD, GO_ON) if self._reached else OPEN

    def _is_goal_met(self, screen: ScreenContent, holdings: Holdings) -> bool:
        """Nothing may be half done: a question or an interruption has a message."""
        if self._reached < len(self._stages) - 1 or not screen.lit or screen.busy:
            return False
        wanted = {Subject.MESSAGE.value: ""}
        for step in self.task.goal:
            if isinstance(step, ExpectBalance):
                if _held(holdings, step) != step.amount:
                    return False
            else:
                wanted[step.subject.value] = step.wanted
        return all(screen.texts[subject] == text for subject, text in wanted.items())

    def _wrong(self, screen: ScreenContent, holdings: Holdings) -> Sentence:
        if screen.lit:
            cards = frozenset(screen.cards)
            self._stayed = cards if self._stayed is None else self._stayed & cards
        due = self._stages[self._reached + 1 :]
        wrong = mistake(self._stages[self._reached], holdings, due[0] if due else None, self._write)
        return wrong.sentence.then(self._remedy(wrong.accounts))

    def _remedy(self, accounts: frozenset[int]) -> Sentence:
        """C needs the cards of the move; without an account, several moves went wrong."""
        if not accounts:
            return START_AGAIN
        cards = accounts - {BANK, POT}
        return TAKE_BACK if cards <= (self._stayed or frozenset()) else TAKE_BACK_LATER

    def _wrong_worth(self, holdings: Holdings) -> Sentence | None:
        for step in self.task.goal:
            if isinstance(step, ExpectBalance) and step.subject is Subject.WORTH:
                held = holdings.worths.get(step.card)
                if held is None:
                    return NOT_COUNTED.filled(card=step.card)
                if held != step.amount:
                    due = self._write(step.amount)
                    return WRONG_WORTH.filled(card=step.card, held=self._write(held), due=due)
        return None

    def _write(self, amount: int) -> str:
        written = self.task.script.edition.units.write(amount)
        return written.text if written.exact else str(amount)


def _held(holdings: Holdings, step: ExpectBalance) -> int:
    of = holdings.worths if step.subject is Subject.WORTH else holdings.balances
    return of.get(step.card, 0)
