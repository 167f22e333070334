"""Measures the branch coverage of ``firmware/`` in a whole run, in every process that it starts.

pytest-cov is not used: in a worker of xdist it measures twice, one nested in the other, and pausing
the inner measurement resumes the outer one. Coverage itself is enough: with ``patch =
["subprocess"]`` every Python process that this one starts measures itself, also the workers.
"""

import io
import os
import warnings
from collections.abc import Generator

import coverage
import pytest
from coverage.exceptions import CoverageWarning, NoDataError

LEAST = 95.0
"""Percent; a whole run with less fails."""
UNMEASURED = "no_cover"
"""The marker of tests that repeat the same things many times, and are not measured."""
FOR_SUBPROCESSES = "COVERAGE_PROCESS_CONFIG"
"""The environment variable that starts the measurement in a new process."""


class CoverageOfTheBank:
    """Plugin of the main process: starts the measurement, combines and checks the results."""

    def __init__(self) -> None:
        self._coverage = coverage.Coverage()
        self._coverage.erase()
        # Sets the variable for child processes. The main process itself runs no code of the bank.
        self._coverage.start()
        self._coverage.stop()
        self._report = io.StringIO()
        self._total = 0.0

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Combine the results, last: the workers have ended and saved theirs."""
        with warnings.catch_warnings():
            # A process that a test has killed may have saved nothing, or half of its data.
            warnings.simplefilter("ignore", CoverageWarning)
            try:
                self._coverage.combine()
                self._total = self._coverage.report(file=self._report)
            except NoDataError:
                self._total = 0.0  # interrupted before the first test
        if self._total < LEAST and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        terminalreporter.section("coverage of firmware/")
        terminalreporter.write(self._report.getvalue())
        enough = self._total >= LEAST
        terminalreporter.write_line(
            f"{self._total:.2f} % of the branches, {LEAST:.0f} % are needed",
            green=enough,
            red=not enough,
        )


class PauseForLoops:
    """Pauses the measurement for marked tests: it would triple their time and add no branches."""

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        measuring = coverage.Coverage.current()
        if measuring is None or item.get_closest_marker(UNMEASURED) is None:
            return (yield)
        config = os.environ.pop(FOR_SUBPROCESSES)
        measuring.stop()
        try:
            return (yield)
        finally:
            measuring.start()
            os.environ[FOR_SUBPROCESSES] = config
