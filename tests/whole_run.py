"""Makes plain ``pytest`` a whole run: parallel, with progress and the coverage of the bank.

``pyproject.toml`` loads this plugin with ``-p``, because pytest-xdist reads its options before
any conftest is loaded. A run of named files uses one process and measures nothing, which is best
for debugging.
"""

import os
from argparse import Namespace
from collections import Counter

import pytest

from tests.coverage_of_the_bank import CoverageOfTheBank, PauseForLoops
from tests.progress import Progress

EVERYDAY = "not long and not pi"
"""The markers of ``make test``, as in ``addopts`` of pyproject.toml."""
SLOWEST = 10
WORKERS = (os.cpu_count() or 1) + 2
"""Two more than there are cores, because the browser tests mostly wait."""
LIMIT = 60.0
"""Seconds; the default time limit, as in pyproject.toml."""


def _is_whole(options: Namespace) -> bool:
    """Whether all tests with the given markers run: no file is named, and no debugger is used."""
    chosen = options.file_or_dir or options.keyword or options.lf or options.failedfirst
    return not (chosen or options.collectonly or options.usepdb)


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    """Set the options of a whole run.

    A worker of xdist gets only the command line, so it decides again.
    """
    options = early_config.known_args_namespace
    if not _is_whole(options):
        return
    wanted: dict[str, object] = {"durations": SLOWEST, "dist": "loadgroup"}
    if options.numprocesses is None and not _in_worker():
        wanted["numprocesses"] = WORKERS
    vars(early_config.option).update(wanted)


def _in_worker() -> bool:
    return "PYTEST_XDIST_WORKER" in os.environ


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(PauseForLoops(), "pause-for-loops")
    if _in_worker():
        return
    if config.option.numprocesses:
        config.pluginmanager.register(Progress(config), "progress")
    if _is_whole(config.option) and config.option.markexpr == EVERYDAY:
        config.pluginmanager.register(CoverageOfTheBank(), "coverage-of-the-bank")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print one line for each reason of skipped tests, instead of one for each test."""
    reports: list[pytest.TestReport] = terminalreporter.stats.get("skipped", [])
    reasons = Counter(
        report.longrepr[2].removeprefix("Skipped: ")
        for report in reports
        if isinstance(report.longrepr, tuple)
    )
    for reason, count in reasons.most_common():
        terminalreporter.write_line(f"{count} skipped: {reason}", yellow=True)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run groups and long tests first, so that all cores are busy until the end."""
    items.sort(key=lambda item: (item.get_closest_marker("xdist_group") is None, -limit_of(item)))


def limit_of(item: pytest.Item) -> float:
    """The time limit of a test, in seconds."""
    marker = item.get_closest_marker("timeout")
    return float(marker.args[0]) if marker else LIMIT
