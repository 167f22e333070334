"""Reads the tasks: scripts with a title, a sentence and a hint for the banker in their first lines.

    # title en: A rent
    # en: Player 2 owes player 1 a rent. Put card 1 in on the left
    #   and card 2 on the right, and type 1,4M.

A line that is indented by more continues the one before. The set-up comes before the line
``# --- your turn``, the model solution after it. The expectations at the end are the goal.
"""

import re
from functools import cache
from itertools import takewhile
from pathlib import Path
from typing import NamedTuple

from firmware.bank import edition as editions
from firmware.user_error import UserError
from sim.learn.observation import ON_SCREEN
from sim.learn.sentence import Sentence
from sim.script.language import (
    Expect,
    ExpectBalance,
    Insert,
    Playable,
    Press,
    Remove,
    Script,
    ScriptReader,
    read_script,
)

FOLDER = Path(__file__).parent / "tasks"
YOUR_TURN = "# --- your turn"
LANGUAGES = ("en", "fr")
_TEXT = re.compile(r"# (title |hint |)(en|fr): (\S.*)")
_CONTINUED = re.compile(r"#   +(\S.*)")


class Task(NamedTuple):
    """One task for the banker."""

    name: str
    title: Sentence
    text: Sentence
    """What the banker is to do."""
    hint: Sentence
    script: Script
    set_up: tuple[Insert | Remove | Press, ...]
    """What has happened on the new box before the banker begins."""
    solution: tuple[Playable, ...]
    goal: tuple[Expect | ExpectBalance, ...]

    def reader(self) -> ScriptReader:
        """A reader for the banker's lines, which follow the set-up."""
        reader = ScriptReader(self.script.edition)
        for line in takewhile(lambda line: line != YOUR_TURN, self.script.lines):
            reader.read(line)
        return reader


@cache
def all_tasks() -> tuple[Task, ...]:
    """The tasks in their order."""
    return tuple(
        read_task(file.name, file.read_text(encoding="utf-8"))
        for file in sorted(FOLDER.glob("*.box"))
    )


def read_task(name: str, content: str) -> Task:
    """Read a task. Raises UserError if the script is invalid or a part is missing."""
    lines = content.split("\n")
    script = read_script(name, lines, editions.load(editions.DEFAULT))
    if YOUR_TURN not in lines:
        raise UserError(f"{name}: a task needs a line {YOUR_TURN!r}", status=2)
    turn = lines.index(YOUR_TURN) + 1
    set_up = [step for number, step in script.steps if number < turn]
    solution = [step for number, step in script.steps if number > turn]
    goal = [*takewhile(_is_expectation, reversed(solution))][::-1]
    texts = _texts(name, lines)
    return Task(
        name=name,
        title=texts["title "],
        text=texts[""],
        hint=texts["hint "],
        script=script,
        set_up=tuple(_simple(name, step) for step in set_up),
        solution=tuple(solution[: len(solution) - len(goal)]),
        goal=tuple(_lasting(name, step) for step in goal),
    )


def _is_expectation(step: Playable) -> bool:
    return isinstance(step, Expect | ExpectBalance)


def _simple(name: str, step: Playable) -> Insert | Remove | Press:
    """A set-up may only insert, remove and press, as the page applies it without a harness."""
    if not isinstance(step, Insert | Remove | Press):
        raise UserError(f"{name}: a set-up consists of insert, remove and press", status=2)
    return step


def _lasting(name: str, step: Playable) -> Expect | ExpectBalance:
    """Sounds and a sleeping box pass; a goal is what stays."""
    if isinstance(step, Expect) and step.subject not in ON_SCREEN:
        known = ", ".join(subject.value for subject in ON_SCREEN)
        raise UserError(f"{name}: a goal expects balance, worth, {known}", status=2)
    assert isinstance(step, Expect | ExpectBalance), "the goal consists of expectations"
    return step


def _texts(name: str, lines: list[str]) -> dict[str, Sentence]:
    """The texts in the first comment, by what they are."""
    found: dict[tuple[str, str], str] = {}
    last = None
    for line in takewhile(lambda line: line.startswith("#"), lines):
        if text := _TEXT.fullmatch(line):
            last = text[1], text[2]
            found[last] = text[3]
        elif last and (more := _CONTINUED.fullmatch(line)):
            found[last] += f" {more[1]}"
    try:
        return {
            what: Sentence(*(found[what, tag] for tag in LANGUAGES))
            for what in ("title ", "", "hint ")
        }
    except KeyError as missing:
        what, tag = missing.args[0]
        raise UserError(f"{name}: a task needs a line '# {what}{tag}: …'", status=2) from None
