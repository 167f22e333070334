"""Plays every script in tests/scenarios on the real drivers and the models of the chips."""

from pathlib import Path

import pytest

from firmware import edition as editions
from hal.picture import draw
from sim.player import perform
from sim.rig import Rig
from sim.script import read_script
from sim.virtual_stand import VirtualStand
from tests.test_scenarios import SCENARIOS


@pytest.mark.parametrize("path", SCENARIOS, ids=lambda path: path.stem)
def test_scenario_holds_on_the_virtual_board(path: Path) -> None:
    lines = path.read_text(encoding="utf-8").split("\n")
    script = read_script(path.name, lines, editions.load(editions.DEFAULT))
    stand = VirtualStand()
    rig = Rig.for_script(script, stand)
    try:
        for _number, step in script.steps:
            perform(rig, step)
            if stand.newest_view:
                glass = stand.hardware.oled.picture().tobytes()
                assert glass == draw(stand.newest_view).tobytes(), "the glass shows something else"
    finally:
        rig.put_away()
