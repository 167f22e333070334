"""The prompt of ``tellerbox sim --text --learn``."""

import os
import pty
import re
from pathlib import Path

import pytest

from sim.learn.task import all_tasks
from tests.unit.command_line import TELLERBOX, Output, RunCli, type_into_sim
from tests.unit.sim.script.test_prompt import read_until

pytestmark = pytest.mark.usefixtures("home")
SOLUTIONS = [
    [line for line in task.script.lines[task.script.lines.index("# --- your turn") + 1 :] if line]
    for task in all_tasks()
]


def learn(*lines: str, language: str = "en") -> Output:
    return type_into_sim(*lines, options=("--learn", "--language", language))


def texts(output: Output) -> list[str]:
    """The output without pictures and empty lines."""
    return [line for line in output.out.split("\n") if re.search(r"\w", line)]


@pytest.mark.parametrize(
    ("language", "heading", "end"),
    [
        ("en", "Task {n} of 10: ", "That was the last task."),
        ("fr", "Exercice {n} sur 10 : ", "C’était le dernier exercice."),
    ],
)
def test_the_model_solutions_lead_through_all_tasks(
    home: Path, language: str, heading: str, end: str
) -> None:
    inputs = [line for lines in SOLUTIONS for line in lines if not line.startswith("expect")]
    output = learn(*inputs, "press 5", language=language)
    assert (output.status, output.err) == (0, "")
    for number in range(1, 11):
        assert heading.format(n=number) in output.out
    assert texts(output)[-1] == end
    assert list(home.rglob("*.db")) == [], "a ledger was opened"


def test_it_says_what_went_wrong_and_starts_again() -> None:
    output = learn("insert left 1", "press 20M", "again", "insert left 1", "press 2M")
    said = texts(output)
    wrong = "The bank has paid 20M instead of 2M. Press C to take it back, or start the task again."
    again = said[said.index(wrong) :]
    assert again.index("Task 1 of 10: The bank pays") < again.index("Done.")
    assert "Task 2 of 10: A rent" in said
    assert output.status == 0, output.err


def test_hint_skip_and_the_text_once_more() -> None:
    task = all_tasks()[0]
    output = learn("hint", "", "press 2", "press 2", "skip", "skip", "press C", "quit", "skip")
    assert output.out.count(task.hint.en) == 1
    assert output.out.count(task.text.en) == 2
    assert output.out.count("No card is in") == 1, "the same advice is not repeated"
    assert "Task 3 of 10" in output.out
    assert "Good so far." in output.out
    assert "Task 4 of 10" not in output.out


def test_a_line_that_cannot_be_read_is_an_error_and_no_more() -> None:
    output = learn("insert left", "insert left 1", "press 2M")
    assert output.status == 1
    assert "takes a slot and a card" in output.err
    assert "Done." in output.out


def test_the_slots_are_as_the_set_up_left_them() -> None:
    output = learn("skip", "skip", "remove left", "insert right 3", "power off", "power on")
    assert output.err == "the right slot holds a card already\n"


@pytest.mark.parametrize(
    "option", [("--ledger", "my.db"), ("--edition", "europe"), ("--new-game",)], ids=lambda o: o[0]
)
@pytest.mark.parametrize("front_end", ["--text", "--no-browser"])
def test_options_of_a_ledger_of_ones_own_are_refused(
    run_cli: RunCli, option: tuple[str, ...], front_end: str
) -> None:
    output = run_cli("sim", "--learn", front_end, *option)
    assert (output.status, output.out) == (2, "")
    assert output.err == (
        f"tellerbox: --learn has a ledger and an edition of its own; omit {option[0]} or --learn\n"
    )


def test_at_a_terminal() -> None:
    pid, terminal = pty.fork()
    if pid == 0:
        os.environ.update(TERM="dumb", COLUMNS="128")
        os.execv(TELLERBOX[0], [*TELLERBOX, "sim", "--text", "--learn"])
    assert "Task 1 of 10" in read_until(terminal, "box> ")
    os.write(terminal, b"hin\t\n")
    assert "The left slot receives." in read_until(terminal, "box> ")
    os.write(terminal, b"insert left 1\npress 2M\n")
    assert "Done." in read_until(terminal, "Task 2 of 10")
    os.write(terminal, b"quit\n")
    read_until(terminal, "\0")
    assert os.waitpid(pid, 0)[1] == 0
