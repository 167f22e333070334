"""``tellerbox sim --text --learn``: the tasks at a prompt, one script line at a time.

Each task has a new box with a ledger in memory, so the banker's own ledger is not opened.
"""

import shutil
import textwrap
from collections.abc import Callable, Sequence

from hal.display.messages import Language
from sim.board.clocks import WallClock
from sim.board.software_harness import SoftwareHarness
from sim.learn.lesson import OPEN, Lesson, Outcome
from sim.learn.observation import Holdings, ScreenContent
from sim.learn.sentence import Sentence
from sim.learn.task import Task, all_tasks
from sim.script.player import perform
from sim.script.prompt import HELP, WORDS, Prompt

HEADING = Sentence("Task {number} of {count}: {title}", "Exercice {number} sur {count} : {title}")
COMMANDS = Sentence(
    "Work the box with lines such as insert left 1, press 2M and remove left. Enter alone repeats "
    "the task. hint helps, again starts the task again, skip goes on, quit leaves, help lists all.",
    "Servez la boîte par des lignes comme insert left 1, press 2M et remove left. Entrée seule "
    "répète l’exercice. hint aide, again recommence, skip passe, quit quitte, help liste tout.",
)
ALL_DONE = Sentence("That was the last task.", "C’était le dernier exercice.")
WIDEST = 100
"""Columns of text."""


def learn(language: Language) -> int:
    """Lead a banker through all tasks; returns the exit status."""
    _print(COMMANDS.translated(language))
    return LearnPrompt(all_tasks(), language).talk()


class LearnPrompt(Prompt):
    """A prompt with a task."""

    help = f"""{HELP}

  hint                 what helps with this task
  again, skip          start the task again; go on to the next one"""
    words = (*WORDS, "hint", "again", "skip")

    def __init__(self, tasks: Sequence[Task], language: Language) -> None:
        self._tasks = tasks
        self._language = language
        self._number = 1
        super().__init__(self._begin(), self._task.reader())

    @property
    def finished(self) -> bool:
        return self._number > len(self._tasks)

    @property
    def _task(self) -> Task:
        return self._tasks[self._number - 1]

    def _begin(self) -> SoftwareHarness:
        """Play the set-up on a new box."""
        task = self._task
        self._lesson = Lesson(task)
        self._said = OPEN
        self._is_new = True
        script = task.script
        harness = SoftwareHarness(WallClock()).begin_new(
            script.edition,
            stock_known=script.stock_known,
            house=script.house,
            language=self._language,
        )
        for step in task.set_up:
            perform(harness, step)
        return harness

    def _begin_on_new_box(self) -> None:
        self._harness.put_away()
        self._harness = self._begin()
        self._reader = self._task.reader()
        self.look()

    def look(self) -> None:
        """After the first picture of a task, say what it is."""
        super().look()
        if self._is_new:
            self._is_new = False
            count, title = len(self._tasks), self._task.title
            print()
            self._say(HEADING.filled(number=self._number, count=count, title=title))
            self._say(self._task.text)

    def obey(self, line: str) -> None:
        commands: dict[str, Callable[[], None]] = {
            "hint": lambda: self._say(self._task.hint),
            "again": self._begin_on_new_box,
            "skip": self._go_on,
        }
        if line in commands:
            commands[line]()
        else:
            super().obey(line)
            if not line:
                self._say(self._task.text)
            self._judge()

    def _judge(self) -> None:
        feedback = self._lesson.observe(
            ScreenContent.of(self._harness.view), Holdings.of(self._harness.ledger)
        )
        if feedback.sentence and (feedback != self._said or feedback.outcome is Outcome.WRONG):
            self._say(feedback.sentence)
        self._said = feedback
        if self._lesson.done:
            self._go_on()

    def _go_on(self) -> None:
        self._number += 1
        if self.finished:
            self._harness.put_away()
            self._say(ALL_DONE)
        else:
            self._begin_on_new_box()

    def _say(self, sentence: Sentence) -> None:
        _print(sentence.translated(self._language))


def _print(text: str) -> None:
    width = min(WIDEST, shutil.get_terminal_size((WIDEST, 40)).columns)
    print(textwrap.fill(text, width, break_on_hyphens=False))
