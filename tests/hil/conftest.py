"""Which box the suite runs on, and who has his hands at it.

``pytest tests/hil --box URL``: ``sim:``, ``virtual:`` (a process of its own, over a pty),
``pi:`` (the same on the parts of this Pi), a device, or a pyserial URL.
"""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from firmware import edition as editions
from hal.events import SECOND
from sim.clocks import VirtualClock
from sim.player import Unmet, perform
from sim.report import About, report
from sim.rig import Rig
from sim.script import Hold, Script, Wait, read_script
from sim.software_stand import SoftwareStand
from sim.wire import connected
from sim.wire_play import Result, WirePlayer

SCENARIOS = Path(__file__).parent.parent / "scenarios"
BY_HAND = "flow-[!s]*.box"
"""What a person plays, if nothing else is said: one evening has an end."""

Play = Callable[[Script], Result]


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("box", "the box at the other end")
    group.addoption(
        "--box",
        metavar="URL",
        default="virtual:",
        help="where it is: sim:, virtual:, pi:, a device, or a pyserial URL (default: virtual:)",
    )
    group.addoption("--baud", metavar="N", type=int, default=115200, help="the line's speed")
    group.addoption("--box-config", metavar="FILE", help="of a box that is started here")
    group.addoption("--by-hand", action="store_true", help="tell a person what to do at the box")
    group.addoption("--report", metavar="FILE", help="write the report of a run by hand there")
    group.addoption("--skip-waits", action="store_true", help="let the bank's time jump in waits")
    group.addoption(
        "--longest-wait",
        metavar="SECONDS",
        type=float,
        help="leave out scripts that wait for longer than this in all",
    )
    group.addoption("--scripts", metavar="GLOB", help="which of tests/scenarios (default: all)")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "script" in metafunc.fixturenames:
        scripts = chosen(metafunc.config)
        metafunc.parametrize("script", scripts, ids=[Path(script.file).stem for script in scripts])


def chosen(config: pytest.Config) -> list[Script]:
    """The scripts that this run plays."""
    pattern = config.getoption("--scripts") or (
        BY_HAND if config.getoption("--by-hand") else "*.box"
    )
    longest = config.getoption("--longest-wait")
    default = editions.load(editions.DEFAULT)
    found = [
        read_script(
            str(path.relative_to(SCENARIOS.parent.parent)), path.read_text().split("\n"), default
        )
        for path in sorted(SCENARIOS.glob(pattern))
    ]
    return [script for script in found if longest is None or waiting(script) <= longest]


def waiting(script: Script) -> float:
    """The seconds that a script waits in all."""
    return sum(step.duration for _, step in script.steps if isinstance(step, Wait | Hold)) / SECOND


@pytest.fixture(scope="session")
def results() -> list[Result]:
    return []


@pytest.fixture(scope="session")
def play(pytestconfig: pytest.Config, results: list[Result]) -> Iterator[Play]:
    """Plays a script on the box."""
    url: str = pytestconfig.getoption("--box")
    if url == "sim:":
        yield play_in_software
        return
    config = pytestconfig.getoption("--box-config")
    with connected(url, pytestconfig.getoption("--baud"), config) as wire:
        by_hand = pytestconfig.getoption("--by-hand")
        player = WirePlayer(
            wire,
            teller(pytestconfig),
            by_hand=by_hand,
            skip_waits=pytestconfig.getoption("--skip-waits"),
        )
        player.prepare(chosen(pytestconfig))
        about = About.of(wire)
        yield player.play
        if by_hand:
            hand_over(pytestconfig, about, results)


def play_in_software(script: Script) -> Result:
    rig = Rig.for_script(script, SoftwareStand(VirtualClock()))
    at = 0
    try:
        for number, step in script.steps:
            at = number
            perform(rig, step)
    except Unmet as unmet:
        return Result(script.file, "FAIL", f"{script.file}:{at}: {unmet}")
    finally:
        rig.put_away()
    return Result(script.file, "ok")


def teller(config: pytest.Config) -> Callable[[str], None]:
    """Speaks to the person at the terminal, whatever pytest does with its output."""
    capture = config.pluginmanager.getplugin("capturemanager")

    def tell(what: str) -> None:
        with capture.global_and_fixture_disabled():
            print(what, flush=True)

    return tell


def hand_over(config: pytest.Config, about: About, results: list[Result]) -> None:
    page = report(about, results, len(chosen(config)))
    teller(config)(f"\n\n{page}")
    if file := config.getoption("--report"):
        Path(file).write_text(page, encoding="utf-8")
