"""Plays every script in tests/scenarios on the real drivers and the models of the chips."""

from pathlib import Path

import pytest

from firmware.bank import edition as editions
from hal.display.renderer import draw
from hal.events import MINUTE
from hal.wiring import SCREEN_CHIPS, Wiring
from sim.script.language import read_script
from sim.script.player import begin, perform
from sim.script.words import duration_of
from sim.virtual.virtual_harness import VirtualHarness
from tests.test_scenarios import SCENARIOS

LONGEST = 10 * MINUTE
"""Simulated; scripts that take longer on the drivers are for `make test-long`."""


def _played(path: Path) -> int:
    """How long the box of a script is on."""
    total, powered = 0, True
    for line in path.read_text(encoding="utf-8").split("\n"):
        match line.partition("#")[0].split():
            case ["power", word]:
                powered = word == "on"
            case ["wait", duration] if powered:
                total += duration_of(duration)
    return total


@pytest.mark.timeout(120)
@pytest.mark.parametrize(
    "path",
    [
        pytest.param(path, id=path.stem, marks=[pytest.mark.long] * (_played(path) > LONGEST))
        for path in SCENARIOS
    ],
)
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
