"""What the player compares an expectation with."""

import pytest

from sim.board.software_harness import SoftwareHarness
from sim.script.language import read_script
from sim.script.player import Unmet, begin, perform
from tests.unit.sim.script.test_language import BANKING


def play(*lines: str) -> None:
    script = read_script("a.box", lines, BANKING)
    harness = begin(SoftwareHarness(), script)
    try:
        for _number, step in script.steps:
            perform(harness, step)
    finally:
        harness.put_away()


def test_the_status_is_the_middle_of_the_status_row() -> None:
    play(
        "expect status banking",
        "insert left 1",
        "expect status B>1",
        "press 2M",
        "expect status B>1 2M",
    )
    with pytest.raises(Unmet, match="expected status 1>B, got banking"):
        play("expect status 1>B")


def test_a_dark_screen_has_no_status() -> None:
    play("wait 60s", "expect status")
    play("fault screen", "expect status")
    with pytest.raises(Unmet, match="expected status banking, got nothing"):
        play("wait 60s", "expect status banking")
