"""Finds a short script that still fails, by leaving out lines and replaying the rest.

Lines that are invalid without others, such as inserting into an occupied slot, are left out too.
"""

import time
from collections.abc import Callable
from copy import copy
from typing import NamedTuple

from firmware.bank import edition as editions
from sim.script.language import ScriptReader
from sim.script.words import ScriptError
from tests.campaign.storm.evening import Failure, replay

TIMEOUT = 60.0
"""Seconds."""


class Shrunk(NamedTuple):
    """A failing script, and its failure."""

    lines: tuple[str, ...]
    what: tuple[str, ...]
    expected: tuple[str, ...]
    second_reader: bool
    """Whether it fails only while another program has the ledger open for reading."""
    tries: int = 0

    @property
    def script(self) -> str:
        return "\n".join([*self.lines, *self.expected]) + "\n"


class Shrinker:
    """Shrinks one failure."""

    def __init__(self, failure: Failure, report: Callable[[str], None], timeout: float) -> None:
        self._failure = failure
        self._report = report
        self._deadline = time.monotonic() + timeout
        self._tries = 0
        self._second_reader = False
        self._best = Shrunk(failure.lines, failure.what, failure.expected, failure.second_reader)

    def shrink(self) -> Shrunk:
        if not self._reproduces():
            # The failure depends on something that a script cannot express.
            return self._best
        size = len(self._best.lines) // 2
        while size > 1:
            self._without_pieces(size)
            size //= 2
        while self._without_pieces(1) or self._without_keys():
            pass
        return self._best._replace(tries=self._tries)

    def _reproduces(self) -> bool:
        """Try without the second reader first: a script cannot express it."""
        lines = list(self._failure.lines)
        if self._fails(lines):
            return True
        self._second_reader = self._failure.second_reader
        return self._second_reader and self._fails(lines)

    def _without_pieces(self, size: int) -> bool:
        """Leave out pieces of this many lines, but never the last line."""
        shortened = False
        start = 0
        while start < len(self._best.lines) - 1 and not self._timed_out:
            lines = list(self._best.lines)
            del lines[start : min(start + size, len(lines) - 1)]
            if self._fails(lines):
                shortened = True
            else:
                start += size
        return shortened

    def _without_keys(self) -> bool:
        """Leave out a single key of a line, if it still fails."""
        for at, line in enumerate(self._best.lines):
            verb, _, keys = line.partition(" ")
            for key in range(len(keys) if verb == "press" and len(keys) > 1 else 0):
                fewer = f"press {keys[:key]}{keys[key + 1 :]}"
                if self._timed_out:
                    return False
                if self._fails([*self._best.lines[:at], fewer, *self._best.lines[at + 1 :]]):
                    return True
        return False

    @property
    def _timed_out(self) -> bool:
        return time.monotonic() > self._deadline

    def _fails(self, lines: list[str]) -> bool:
        self._report(f"shrinking: {len(self._best.lines)} lines after {self._tries} tries")
        self._tries += 1
        lines = valid_lines(lines)
        failed, played = replay(lines, self._failure.plan.board, second_reader=self._second_reader)
        if failed is None:
            return False
        what, expected = tuple(failed.what), tuple(failed.expected)
        self._best = Shrunk(tuple(lines[:played]), what, expected, self._second_reader)
        return True


def shrink(
    failure: Failure, report: Callable[[str], None] = lambda _: None, timeout: float = TIMEOUT
) -> Shrunk:
    """Return the shortest failing script found in time."""
    return Shrinker(failure, report, timeout).shrink()


def valid_lines(lines: list[str]) -> list[str]:
    """The lines that are valid one after the other."""
    reader = ScriptReader(editions.load(editions.DEFAULT))
    kept = []
    for line in lines:
        before = copy(reader)
        try:
            reader.read(line)
        except ScriptError:
            reader = before
        else:
            kept.append(line)
    return kept
