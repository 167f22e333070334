"""The storm: a short fixed set of seeds, reproducibility, and the shrinker."""

import os
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from firmware.cli import main as tellerbox
from firmware.table.teller import Reply, Teller
from firmware.user_error import UserError
from hal.display.messages import Text
from hal.events import Slot
from sim.virtual import virtual_harness
from tests.campaign.storm.command import main
from tests.campaign.storm.evening import FAULT_KINDS, Evening, Failure, Plan, replay
from tests.campaign.storm.fault_schedule import FaultKind
from tests.campaign.storm.shrink import Shrunk, shrink, valid_lines
from tests.campaign.storm.table import Board

ROOT = Path(__file__).parents[2]
PLANS = (
    *(Plan(seed, 1.0, Board.SOFTWARE) for seed in (1, 2, 3, 5)),
    Plan(1, 0.1, Board.VIRTUAL),
    Plan(4, 0.3, Board.CONSOLE),
)
LONG_PLANS = (
    *(Plan(seed, 2.0, Board.SOFTWARE) for seed in range(101, 141)),
    *(Plan(seed, 0.4, Board.VIRTUAL) for seed in range(2, 8)),
    *(Plan(seed, 0.5, Board.CONSOLE) for seed in range(5, 9)),
)


@pytest.mark.parametrize(
    "plan",
    [*PLANS, *(pytest.param(plan, marks=pytest.mark.long) for plan in LONG_PLANS)],
    ids=lambda plan: f"{plan.board.value}-{plan.seed}",
)
def test_evening_matches_model(plan: Plan) -> None:
    evening = Evening(plan)
    failure = evening.play()
    assert failure is None, "\n".join([*failure.what, "after", *failure.lines])
    assert evening.score.hours >= plan.hours
    assert all(moves >= 60 for moves in evening.score.moves_by_hour[:-1])


def test_every_fault_kind_occurs() -> None:
    """On the software board; chip faults occur on the virtual board."""
    evenings = [Evening(Plan(seed, 1.0, Board.SOFTWARE)) for seed in range(21, 24)]
    for evening in evenings:
        assert evening.play() is None
    occurred = {kind for evening in evenings for kind in +evening.faults}
    assert occurred == set(FAULT_KINDS[Board.SOFTWARE])
    assert {kind for kinds in FAULT_KINDS.values() for kind in kinds} == set(FaultKind)


LINES = """
import hashlib
from tests.campaign.storm.evening import Evening, Plan
from tests.campaign.storm.table import Board
for plan in (Plan(7, 0.5, Board.SOFTWARE), Plan(7, 0.02, Board.VIRTUAL)):
    evening = Evening(plan)
    assert evening.play() is None
    print(len(evening.script), hashlib.sha256("\\n".join(evening.script).encode()).hexdigest())
"""


def test_seed_is_reproducible_across_processes() -> None:
    outputs = {
        subprocess.run(
            [sys.executable, "-c", LINES],
            env=os.environ | {"PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "77")
    }
    assert len(outputs) == 1
    assert outputs.pop().count("\n") == 2


def pay_salary_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    """Plant a bug: a salary is paid twice after more than two moves [S7]."""
    pay_salary = Teller.pay_salary

    def buggy(teller: Teller) -> Reply:
        answer = pay_salary(teller)
        if answer.message and answer.message.text is Text.ALREADY_PAID and len(teller._newest) > 2:
            left = teller.seats.seated(Slot.LEFT)
            assert left
            teller.seats.mark_salary({left.visit}, paid=False)
            return pay_salary(teller)
        return answer

    monkeypatch.setattr(Teller, "pay_salary", buggy)


def shrunk_failure() -> Shrunk:
    for seed in range(1, 21):
        failure = Evening(Plan(seed, 1.0, Board.SOFTWARE)).play()
        if failure:
            return shrink(failure, timeout=30)
    raise AssertionError("no seed found the bug")


def test_shrunk_script_fails_in_tellerbox_play(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pay_salary_twice(monkeypatch)
    shrunk = shrunk_failure()
    # Three moves, the last of them a salary, and G once more.
    assert len(shrunk.lines) <= 8, shrunk.script
    assert "expect message ALREADY PAID" in shrunk.expected
    script = tmp_path / "shrunk.box"
    script.write_text(shrunk.script)
    assert tellerbox(["play", str(script)]) == 1
    assert f"shrunk.box:{len(shrunk.lines) + 1}: expected" in capsys.readouterr().err
    monkeypatch.undo()
    assert tellerbox(["play", str(script)]) == 0


def test_shrinking_drops_irrelevant_second_reader(monkeypatch: pytest.MonkeyPatch) -> None:
    """A script cannot express that another program had the ledger open."""
    pay_salary_twice(monkeypatch)
    lines = ("insert left 1", "press G1MC1M1MG")
    failed, _ = replay(lines, Board.SOFTWARE, second_reader=True)
    assert failed
    failure = Failure(Plan(1, 1, Board.SOFTWARE), lines, tuple(failed.what), (), second_reader=True)
    assert not shrink(failure).second_reader


def test_unplayable_evening_leaves_no_files(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def without_packages(*_: object) -> None:
        raise UserError("the virtual board needs a package")

    monkeypatch.setattr("tests.campaign.storm.evening.FAST_DISK", tmp_path)
    monkeypatch.setattr(virtual_harness, "drivers", without_packages)
    with pytest.raises(UserError, match="needs a package"):
        Evening(Plan(1, 0.1, Board.VIRTUAL)).play()
    assert list(tmp_path.iterdir()) == []


def test_interrupted_storm_prints_summary() -> None:
    storm = [sys.executable, "-m", "tests.campaign.storm", "--seeds", "30"]
    with subprocess.Popen(
        storm,
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # A background shell job ignores SIGINT, and its children inherit that.
        preexec_fn=partial(signal.signal, signal.SIGINT, signal.SIG_DFL),
    ) as process:
        assert process.stderr
        assert "moves" in process.stderr.readline()
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate()
    assert process.returncode == 130
    assert "0 failures\ninterrupted; the figures cover what was played\n" in output
    assert "Traceback" not in errors


def test_dependent_lines_are_dropped() -> None:
    lines = ["given pot true", "remove left", "insert left 1", "insert left 2", "power on"]
    assert valid_lines(lines) == ["given pot true", "insert left 1"]


def test_command_prints_summary_and_failures(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--seed", "3", "--hours", "0.2"]) == 0
    output = capsys.readouterr().out
    assert "board software: 1 seed (3), 0.2 simulated hours" in output
    assert "power cuts inside a commit" in output
    assert output.endswith("0 failures\n")
    pay_salary_twice(monkeypatch)
    assert main(["--seed", "7", "--hours", "2"]) == 1
    output = capsys.readouterr().out
    assert "FAILED: seed 7, at line" in output
    assert "replay: python -m tests.campaign.storm --seed 7 --hours 2 --board software" in output
    assert "\nexpect message ALREADY PAID\n" in output
    assert output.endswith("1 failure\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("--seed -1", "--seed must be 0 or more, not -1"),
        ("--hours 0", "--hours must be more than 0 and at most 24, not 0"),
        ("--hours nan", "--hours must be more than 0 and at most 24, not nan"),
        ("--hours 25", "--hours must be more than 0 and at most 24, not 25"),
        ("--seeds 0", "--seeds must be at least 1, not 0"),
        ("--minutes 0", "--minutes must be more than 0, not 0"),
        ("--minutes inf", "--minutes must be finite"),
    ],
)
def test_invalid_arguments_are_rejected(
    arguments: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments.split()) == 2
    assert capsys.readouterr().err == f"storm: {message}\n"


def test_several_seeds_are_played_on_all_cores(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--seed", "29", "--seeds", "3", "--hours", "0.06"]) == 0
    output = capsys.readouterr().out
    assert "board software: 2 seeds (between 29 and 31)" in output
    assert "board virtual: 1 seed (30)" in output
