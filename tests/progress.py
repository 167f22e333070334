"""Shows how many tests are done, how long the rest will take, and each failure at once."""

import sys
import time

import pytest


class Progress:
    """Replaces the dots of a parallel run, which would fill sixty lines."""

    EVERY = 5.0
    """Seconds between two lines if the output is a file; on a terminal one line is rewritten."""
    BAR = 30
    DURATIONS = "tellerbox/durations"
    """In pytest's cache: the seconds that each test took when it last ran."""
    TYPICAL = 0.1
    """Seconds, for a test that has not run here yet."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._began = time.monotonic()
        self._printed_at = self._began
        self._all = self._done = self._failed = 0
        cache = config.cache
        self._before: dict[str, float] = cache.get(self.DURATIONS, {}) if cache else {}
        self._took: dict[str, float] = {}
        self._work = self._work_done = 0.0
        """Seconds of all tests, and of those that are done, by what they took before."""
        self._terminal = sys.stdout.isatty()

    def pytest_xdist_node_collection_finished(self, ids: list[str]) -> None:
        self._all = len(ids)
        self._work = sum(map(self._expected, ids))
        self._began = time.monotonic()

    @pytest.hookimpl(tryfirst=True)
    def pytest_report_teststatus(self, report: pytest.TestReport) -> tuple[str, str, str] | None:
        """Print no letter for each test."""
        if report.passed:
            return ("passed" if report.when == "call" else "", "", "")
        if report.failed:
            return ("failed", "", "FAILED") if report.when == "call" else ("error", "", "ERROR")
        return None

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self._failed += 1
            self._reporter.ensure_newline()
            self._reporter.write_line(f"failed: {report.nodeid}", red=True)
        self._took[report.nodeid] = self._took.get(report.nodeid, 0.0) + report.duration
        if report.when == "teardown":
            self._done += 1
            self._work_done += self._expected(report.nodeid)
            now = time.monotonic()
            if now - self._printed_at >= (0.2 if self._terminal else self.EVERY):
                self._printed_at = now
                self._print(now - self._began)

    def pytest_sessionfinish(self) -> None:
        if self._config.cache:
            took = {test: round(seconds, 2) for test, seconds in self._took.items()}
            self._config.cache.set(self.DURATIONS, {**self._before, **took})

    def _expected(self, test: str) -> float:
        return self._before.get(test, self.TYPICAL)

    def _print(self, passed: float) -> None:
        share = self._work_done / self._work if self._work else 0.0
        left = passed / share - passed if share else 0
        filled = round(share * self.BAR)
        failed = f", {self._failed} failed" if self._failed else ""
        line = (
            f"[{'#' * filled}{'.' * (self.BAR - filled)}] {self._done} of {self._all}{failed}, "
            f"{_clock(passed)}, about {_clock(left)} left"
        )
        if self._terminal:
            self._reporter.rewrite(line, erase=True)
        else:
            self._reporter.write_line(line)

    @property
    def _reporter(self) -> pytest.TerminalReporter:
        reporter: pytest.TerminalReporter = self._config.pluginmanager.getplugin("terminalreporter")
        return reporter


def _clock(seconds: float) -> str:
    return f"{int(seconds) // 60}:{int(seconds) % 60:02}"
