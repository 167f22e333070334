"""The storm itself: a short fixed set of seeds, that a seed is a seed, and the shrinker."""

import os
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from firmware.cli import main
from firmware.mistake import Mistake
from firmware.teller import Answer, Teller
from hal.events import Slot
from hal.view import Text
from sim import virtual_stand
from sim.storm.evening import KINDS, Evening, Failure, Plan, replayed
from sim.storm.shrink import Shrunk, sensible, shrink
from sim.storm.table import Board
from sim.storm.weather import Kind

ROOT = Path(__file__).parents[2]
PLANS = (
    *(Plan(seed, 1.0, Board.SIM) for seed in (1, 2, 3, 5, 8, 13)),
    *(Plan(seed, 0.1, Board.VIRTUAL) for seed in (1, 2, 3)),
    Plan(4, 0.3, Board.CONSOLE),
)


@pytest.mark.parametrize("plan", PLANS, ids=lambda plan: f"{plan.board.value}-{plan.seed}")
def test_nothing_is_lost(plan: Plan) -> None:
    evening = Evening(plan)
    failure = evening.play()
    assert failure is None, "\n".join([*failure.what, "after", *failure.lines])
    assert evening.score.hours >= plan.hours
    assert all(moves >= 60 for moves in evening.score.moves_by_hour[:-1])


def test_every_kind_of_fault_comes() -> None:
    """Of the software board's; the chips' come on the virtual board, and more often."""
    evenings = [Evening(Plan(seed, 1.0, Board.SIM)) for seed in range(21, 24)]
    for evening in evenings:
        assert evening.play() is None
    come = {kind for evening in evenings for kind in +evening.faults}
    assert come == set(KINDS[Board.SIM])
    assert {kind for kinds in KINDS.values() for kind in kinds} == set(Kind)


LINES = """
import hashlib
from sim.storm.evening import Evening, Plan
from sim.storm.table import Board
for plan in (Plan(7, 0.5, Board.SIM), Plan(7, 0.02, Board.VIRTUAL)):
    evening = Evening(plan)
    assert evening.play() is None
    print(len(evening.script), hashlib.sha256("\\n".join(evening.script).encode()).hexdigest())
"""


def test_the_same_seed_is_the_same_evening_in_every_process() -> None:
    told = {
        subprocess.run(
            [sys.executable, "-c", LINES],
            env=os.environ | {"PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "77")
    }
    assert len(told) == 1
    assert told.pop().count("\n") == 2


def forgetful_about_salaries(monkeypatch: pytest.MonkeyPatch) -> None:
    """A deliberate bug: with the other slot used before, a salary is paid twice [S7]."""
    pay_salary = Teller.pay_salary

    def generous(teller: Teller) -> Answer:
        answer = pay_salary(teller)
        if answer.message and answer.message.text is Text.ALREADY_PAID and len(teller._moves) > 2:
            teller.seats.mark_salary(teller.seats.visits, paid=False)
            assert teller.seats.seated(Slot.LEFT)
            return pay_salary(teller)
        return answer

    monkeypatch.setattr(Teller, "pay_salary", generous)


def shrunk_by_storm() -> Shrunk:
    for seed in range(1, 21):
        failure = Evening(Plan(seed, 1.0, Board.SIM)).play()
        if failure:
            return shrink(failure, patience=30)
    raise AssertionError("no seed found the bug")


def test_a_failure_shrinks_to_a_script_that_play_finds_failing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    forgetful_about_salaries(monkeypatch)
    shrunk = shrunk_by_storm()
    # Three moves, the last of them a salary, and G once more.
    assert len(shrunk.lines) <= 8, shrunk.script
    assert "expect message ALREADY PAID" in shrunk.expected
    script = tmp_path / "shrunk.box"
    script.write_text(shrunk.script)
    assert main(["play", str(script)]) == 1
    assert f"shrunk.box:{len(shrunk.lines) + 1}: expected" in capsys.readouterr().err
    monkeypatch.undo()
    assert main(["play", str(script)]) == 0


def test_who_looked_on_in_vain_is_not_part_of_the_script(monkeypatch: pytest.MonkeyPatch) -> None:
    """No script can say that there was somebody."""
    forgetful_about_salaries(monkeypatch)
    lines = ("insert left 1", "press G1MC1M1MG")
    failed, _ = replayed(lines, Board.SIM, onlooker=True)
    assert failed
    failure = Failure(Plan(1, 1, Board.SIM), lines, tuple(failed.what), (), onlooker=True)
    assert not shrink(failure).onlooker


def test_an_evening_that_cannot_be_played_leaves_nothing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def without_packages(*_: object) -> None:
        raise Mistake("the virtual board needs a package")

    monkeypatch.setattr("sim.storm.evening.FAST_DISK", tmp_path)
    monkeypatch.setattr(virtual_stand, "drivers", without_packages)
    with pytest.raises(Mistake, match="needs a package"):
        Evening(Plan(1, 0.1, Board.VIRTUAL)).play()
    assert list(tmp_path.iterdir()) == []


def test_a_storm_that_is_interrupted_tells_how_far_it_was() -> None:
    storm = [sys.executable, "-m", "firmware", "storm", "--seeds", "30"]
    with subprocess.Popen(
        storm,
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # In the background of a script Ctrl-C is ignored, and children inherit that.
        preexec_fn=partial(signal.signal, signal.SIGINT, signal.SIG_DFL),
    ) as process:
        assert process.stderr
        assert "moves" in process.stderr.readline()
        process.send_signal(signal.SIGINT)
        said, complaints = process.communicate()
    assert process.returncode == 130
    assert "0 failures\ninterrupted: this is what was played until then\n" in said
    assert "Traceback" not in complaints


def test_lines_that_make_no_sense_without_others_go_with_them() -> None:
    lines = ["given pot true", "remove left", "insert left 1", "insert left 2", "power on"]
    assert sensible(lines) == ["given pot true", "insert left 1"]


def test_the_command_tells_what_it_found(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["storm", "--seed", "3", "--hours", "0.2"]) == 0
    said = capsys.readouterr().out
    assert "board sim: 1 seed (3), 0.2 simulated hours" in said
    assert "power cuts inside a commit" in said
    assert said.endswith("0 failures\n")
    forgetful_about_salaries(monkeypatch)
    assert main(["storm", "--seed", "1", "--hours", "2"]) == 1
    said = capsys.readouterr().out
    assert "FAILED: seed 1, at line" in said
    assert "again by: tellerbox storm --seed 1 --hours 2 --board sim" in said
    assert "\nexpect message ALREADY PAID\n" in said
    assert said.endswith("1 failure\n")


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ("--seed -1", "a seed is 0 or more, not -1"),
        ("--hours 0", "an evening has more than 0 and up to 24 hours, not 0"),
        ("--hours nan", "an evening has more than 0 and up to 24 hours, not nan"),
        ("--hours 25", "an evening has more than 0 and up to 24 hours, not 25"),
        ("--seeds 0", "there is at least one seed to play, not 0"),
        ("--minutes 0", "a storm takes more than 0 minutes, not 0"),
        ("--minutes inf", "a storm takes more than 0 minutes, and not for ever"),
    ],
)
def test_nonsense_is_refused_in_one_sentence(
    words: str, why: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["storm", *words.split()]) == 2
    assert capsys.readouterr().err == f"tellerbox: {why}\n"


def test_several_seeds_are_played_on_all_cores(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["storm", "--seed", "29", "--seeds", "3", "--hours", "0.06"]) == 0
    said = capsys.readouterr().out
    assert "board sim: 2 seeds (between 29 and 31)" in said
    assert "board virtual: 1 seed (30)" in said
