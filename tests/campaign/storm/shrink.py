"""Finds the shortest script that still fails, by leaving lines out and playing what is left.

Lines that make no sense without others, such as a card put in where one was never taken out,
are left out with them.
"""

import time
from collections.abc import Callable
from typing import NamedTuple

from firmware import edition as editions
from sim.script import Reader
from sim.script_words import ScriptError
from sim.storm.evening import Failure, replayed

PATIENCE = 60.0
"""Seconds."""


class Shrunk(NamedTuple):
    """A script that fails, and how."""

    lines: tuple[str, ...]
    what: tuple[str, ...]
    expected: tuple[str, ...]
    onlooker: bool
    """Whether it fails only while another program has the ledger open, and reads."""
    tries: int = 0

    @property
    def script(self) -> str:
        return "\n".join([*self.lines, *self.expected]) + "\n"


class Shrinking:
    """One failure, on its way to a short script."""

    def __init__(self, failure: Failure, tell: Callable[[str], None], patience: float) -> None:
        self._failure = failure
        self._tell = tell
        self._give_up_at = time.monotonic() + patience
        self._tries = 0
        self._onlooker = False
        self._best = Shrunk(failure.lines, failure.what, failure.expected, failure.onlooker)

    def shrink(self) -> Shrunk:
        if not self._fails_as_it_was():
            # It depends on something that a script cannot say.
            return self._best
        size = len(self._best.lines) // 2
        while size > 1:
            self._without_pieces(size)
            size //= 2
        while self._without_pieces(1) or self._without_keys():
            pass
        return self._best._replace(tries=self._tries)

    def _fails_as_it_was(self) -> bool:
        """With nobody looking on, if that will do: no script can say that there was somebody."""
        lines = list(self._failure.lines)
        if self._fails(lines):
            return True
        self._onlooker = self._failure.onlooker
        return self._onlooker and self._fails(lines)

    def _without_pieces(self, size: int) -> bool:
        """Leave out pieces of so many lines; the last one is what fails."""
        shorter = False
        start = 0
        while start < len(self._best.lines) - 1 and not self._late:
            lines = list(self._best.lines)
            del lines[start : min(start + size, len(lines) - 1)]
            if self._fails(lines):
                shorter = True
            else:
                start += size
        return shorter

    def _without_keys(self) -> bool:
        """A line of keys that fails with one of them less."""
        for at, line in enumerate(self._best.lines):
            verb, _, keys = line.partition(" ")
            for key in range(len(keys) if verb == "press" and len(keys) > 1 else 0):
                fewer = f"press {keys[:key]}{keys[key + 1 :]}"
                if self._late:
                    return False
                if self._fails([*self._best.lines[:at], fewer, *self._best.lines[at + 1 :]]):
                    return True
        return False

    @property
    def _late(self) -> bool:
        return time.monotonic() > self._give_up_at

    def _fails(self, lines: list[str]) -> bool:
        self._tell(f"shrinking: {len(self._best.lines)} lines after {self._tries} tries")
        self._tries += 1
        lines = sensible(lines)
        failed, played = replayed(lines, self._failure.plan.board, onlooker=self._onlooker)
        if failed is None:
            return False
        what, expected = tuple(failed.what), tuple(failed.expected)
        self._best = Shrunk(tuple(lines[:played]), what, expected, self._onlooker)
        return True


def shrink(
    failure: Failure, tell: Callable[[str], None] = lambda _: None, patience: float = PATIENCE
) -> Shrunk:
    """The shortest script that could be found in some seconds."""
    return Shrinking(failure, tell, patience).shrink()


def sensible(lines: list[str]) -> list[str]:
    """Those that a script may have, one after the other."""
    reader = Reader(editions.load(editions.DEFAULT))
    kept = []
    for line in lines:
        before = reader.copy()
        try:
            reader.read(line)
        except ScriptError:
            reader = before
        else:
            kept.append(line)
    return kept
