"""Plays every script in tests/scenarios on the real drivers and the models of the chips."""

from pathlib import Path

import pytest

from firmware.bank import edition as editions
from hal.display.renderer import draw
from hal.wiring import SCREEN_CHIPS, Wiring
from sim.script.language import read_script
from sim.script.player import begin, perform
from sim.virtual.virtual_harness import VirtualHarness
from tests.test_scenarios import SCENARIOS


@pytest.mark.timeout(120)
@pytest.mark.parametrize("path", SCENARIOS, ids=lambda path: path.stem)
def test_scenario_holds_on_the_virtual_board(path: Path) -> None:
    play(path, Wiring())


@pytest.mark.long
@pytest.mark.timeout(120)
@pytest.mark.parametrize("path", SCENARIOS, ids=lambda path: path.stem)
@pytest.mark.parametrize("chip", [c for c in SCREEN_CHIPS if c != Wiring().screen_chip])
def test_scenario_holds_with_another_screen(chip: str, path: Path) -> None:
    play(path, Wiring(screen_chip=chip))


def play(path: Path, wiring: Wiring) -> None:
    lines = path.read_text(encoding="utf-8").split("\n")
    script = read_script(path.name, lines, editions.load(editions.DEFAULT))
    harness = begin(VirtualHarness(wiring=wiring), script)
    try:
        for _number, step in script.steps:
            perform(harness, step)
            if harness.newest_view:
                pixels = harness.hardware.oled.picture().tobytes()
                assert pixels == draw(harness.newest_view).tobytes(), (
                    "the screen does not show the view"
                )
    finally:
        harness.put_away()
