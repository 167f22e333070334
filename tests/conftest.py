"""For every test: a time limit, an end of the processes that it started, markers by folder."""

import faulthandler
import os
import signal
from collections.abc import Generator, Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import settings

from tests.coverage_of_the_bank import UNMEASURED
from tests.processes import adopt_orphans, children, children_still_there, with_descendants
from tests.whole_run import limit_of

pytest_plugins = ["tests.hil.options"]


def pytest_configure() -> None:
    adopt_orphans()
    # The same examples in every run, on however slow a machine.
    settings.register_profile("repeatable", derandomize=True, database=None, deadline=None)
    settings.load_profile("repeatable")


def pytest_unconfigure() -> None:
    """End the processes that a killed worker has started (see OVERDUE)."""
    for pid in with_descendants(list(children())):
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


OVERDUE = 30.0
"""Seconds beyond its time limit after which a test is ended together with its process.

pytest-timeout interrupts a test with SIGALRM. The box handles this signal itself, so a test that
runs the box in its own process may never be interrupted. pytest-xdist reports the test, and
continues with a new worker.
"""


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, bool | None, bool | None]:
    faulthandler.dump_traceback_later(limit_of(item) + OVERDUE, exit=True)
    try:
        return (yield)
    finally:
        faulthandler.cancel_dump_traceback_later()


ENDING = 2.0
"""Seconds that a process has to end after it was told to, or after its parent has ended."""


@pytest.fixture(autouse=True)
def nothing_is_left_running() -> Iterator[None]:
    """Kill the processes that a test has left running, and fail the test.

    Processes of module and session fixtures exist before the test, and are left alone with
    everything that they start.
    """
    before = children()
    yield
    left = children_still_there(before, ENDING)
    for pid in with_descendants(list(left)):
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    assert not left, f"the test left running: {', '.join(left.values())}"


LIMIT_OF_LONG = 600
"""Seconds for a long test without a time limit of its own."""
TESTS = Path(__file__).parent
MARKS_BY_PLACE = {
    "pi": "pi",
    # The other tests reach the same branches of the bank with fewer repetitions.
    **dict.fromkeys(
        (
            "campaign",
            "chips",
            "drivers",
            "hil",
            "panel",
            "test_idle_hour.py",
            "test_scenarios_virtual.py",
        ),
        UNMEASURED,
    ),
}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        place = item.path.relative_to(TESTS).parts[0]
        if place in MARKS_BY_PLACE:
            item.add_marker(MARKS_BY_PLACE[place])
        if item.get_closest_marker("long") and not item.get_closest_marker("timeout"):
            item.add_marker(pytest.mark.timeout(LIMIT_OF_LONG))
