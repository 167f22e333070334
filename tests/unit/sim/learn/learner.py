"""A banker who learns: operates a box by lines of the script language, as a lesson watches."""

from sim.board.software_harness import SoftwareHarness
from sim.learn.lesson import Feedback, Lesson
from sim.learn.observation import Holdings, ScreenContent
from sim.learn.task import Task, all_tasks, read_task
from sim.script.language import Given
from sim.script.player import begin, perform

TEXTS = """\
# title en: A title
# title fr: Un titre
# en: Do it.
# fr: Faites-le.
# hint en: A hint.
# hint fr: Un indice.
"""


def task_of(script: str) -> Task:
    """A task with any texts."""
    return read_task("some.box", f"{TEXTS}\n{script}")


def task_named(name: str) -> Task:
    return next(task for task in all_tasks() if task.name == f"{name}.box")


class Learner:
    """Begins with the set-up of a task."""

    def __init__(self, task: Task) -> None:
        self.lesson = Lesson(task)
        self._harness = begin(SoftwareHarness(), task.script)
        self._reader = task.reader()
        for step in task.set_up:
            perform(self._harness, step)
        self._observe()

    def does(self, *lines: str) -> Feedback:
        """Carry out lines; returns the last feedback."""
        for line in lines:
            step = self._reader.read(line)
            assert step is not None
            assert not isinstance(step, Given)
            perform(self._harness, step)
            self._observe()
        return self.lesson.feedback

    def _observe(self) -> None:
        self.lesson.observe(ScreenContent.of(self._harness.view), Holdings.of(self._harness.ledger))
