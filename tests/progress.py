"""Shows how many tests are done, and how long the rest will take, in one line."""

import sys
import time

import pytest


class Progress:
    """Replaces the dots of a parallel run, which would fill sixty lines."""

    EVERY = 5.0
    """Seconds between two lines if the output is a file; on a terminal one line is rewritten."""
    BAR = 30

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._began = time.monotonic()
        self._printed_at = self._began
        self._all = self._done = self._failed = 0
        self._terminal = sys.stdout.isatty()

    def pytest_xdist_node_collection_finished(self, ids: list[str]) -> None:
        self._all = len(ids)
        self._began = time.monotonic()

    @pytest.hookimpl(tryfirst=True)
    def pytest_report_teststatus(self, report: pytest.TestReport) -> tuple[str, str, str] | None:
        """Print no letter for a test that passes."""
        if report.passed:
            return ("passed" if report.when == "call" else "", "", "")
        return None

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._failed += report.failed
        if report.when == "teardown":
            self._done += 1
            now = time.monotonic()
            if now - self._printed_at >= (0.2 if self._terminal else self.EVERY):
                self._printed_at = now
                self._print(now - self._began)

    def _print(self, passed: float) -> None:
        share = self._done / max(self._all, 1)
        left = passed / share - passed if share else 0
        filled = round(share * self.BAR)
        failed = f", {self._failed} failed" if self._failed else ""
        line = (
            f"[{'#' * filled}{'.' * (self.BAR - filled)}] {self._done} of {self._all}{failed}, "
            f"{_clock(passed)}, about {_clock(left)} left"
        )
        reporter = self._config.pluginmanager.getplugin("terminalreporter")
        if self._terminal:
            reporter.rewrite(line, erase=True)
        else:
            reporter.write_line(line)


def _clock(seconds: float) -> str:
    return f"{int(seconds) // 60}:{int(seconds) % 60:02}"
