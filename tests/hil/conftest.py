"""Chooses the box and the scripts of a run, by the options of ``options.py``.

``pytest tests/hil --box URL``: ``sim:``, ``virtual:`` (a process of its own, over a pty),
``pi:`` (the same on the parts of this Pi), a device, or a pyserial URL.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from firmware.bank import edition as editions
from hal.events import SECOND
from sim.board.software_harness import SoftwareHarness
from sim.console.report import About, report
from sim.console.wire import ConsoleClient, connected
from sim.console.wire_play import Result, WirePlayer, why_not_by_wire
from sim.script.language import Hold, Script, Wait, read_script
from sim.script.player import Unmet, begin, perform

SCENARIOS = Path(__file__).parent.parent / "scenarios"
BY_HAND = "flow-[!s]*.box"
"""The default for a person, who could not play all scripts in one evening."""

VIRTUAL = "virtual:"
SHORT = 6.0
"""Seconds; scripts whose waits add up to at most this are played in real time."""

Play = Callable[[Script], Result]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "script" in metafunc.fixturenames:
        scripts = chosen(metafunc.config)
        if metafunc.config.getoption("--box") is None:
            # Leave out scripts with faults: they need a simulated box. With --box they are skipped,
            # with a reason.
            scripts = [script for script in scripts if not why_not_by_wire(script)]
        metafunc.parametrize("script", scripts, ids=[Path(s.file).stem for s in scripts])
    elif "short_script" in metafunc.fixturenames:
        found = chosen(metafunc.config)
        scripts = [s for s in found if waiting(s) <= SHORT and not why_not_by_wire(s)]
        metafunc.parametrize("short_script", scripts, ids=[Path(s.file).stem for s in scripts])


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
    """The sum of a script's waits, in seconds."""
    return sum(step.duration for _, step in script.steps if isinstance(step, Wait | Hold)) / SECOND


@pytest.fixture(scope="session")
def results() -> list[Result]:
    return []


@pytest.fixture(scope="session")
def play(pytestconfig: pytest.Config, results: list[Result]) -> Iterator[Play]:
    """Plays a script on the box of ``--box``, by default on a virtual one that skips waits."""
    named: str | None = pytestconfig.getoption("--box")
    if named == "sim:":
        yield play_in_software
        return
    skip = named is None or pytestconfig.getoption("--skip-waits")
    with _player(pytestconfig, named or VIRTUAL, skip_waits=skip) as (player, wire):
        about = About.of(wire)
        yield player.play
        if pytestconfig.getoption("--by-hand"):
            write_report(pytestconfig, about, results)


@pytest.fixture(scope="session")
def play_in_real_time(pytestconfig: pytest.Config) -> Iterator[Play]:
    with _player(pytestconfig, VIRTUAL, skip_waits=False) as (player, _):
        yield player.play


@contextmanager
def _player(
    config: pytest.Config, url: str, *, skip_waits: bool
) -> Iterator[tuple[WirePlayer, ConsoleClient]]:
    with connected(url, config.getoption("--baud"), config.getoption("--box-config")) as wire:
        by_hand = config.getoption("--by-hand")
        player = WirePlayer(wire, terminal_printer(config), by_hand=by_hand, skip_waits=skip_waits)
        player.prepare(chosen(config))
        yield player, wire


def play_in_software(script: Script) -> Result:
    harness = begin(SoftwareHarness(), script)
    at = 0
    try:
        for number, step in script.steps:
            at = number
            perform(harness, step)
    except Unmet as unmet:
        return Result(script.file, "FAIL", f"{script.file}:{at}: {unmet}")
    finally:
        harness.put_away()
    return Result(script.file, "ok")


def terminal_printer(config: pytest.Config) -> Callable[[str], None]:
    """Returns a function that prints to the terminal although pytest captures output."""
    capture = config.pluginmanager.getplugin("capturemanager")

    def write(what: str) -> None:
        with capture.global_and_fixture_disabled():
            print(what, flush=True)

    return write


def write_report(config: pytest.Config, about: About, results: list[Result]) -> None:
    page = report(about, results, len(chosen(config)))
    terminal_printer(config)(f"\n\n{page}")
    if file := config.getoption("--report"):
        Path(file).write_text(page, encoding="utf-8")
