"""Finds a short script with the same hazard, by leaving out lines and replaying the rest."""

import time
from collections.abc import Sequence

from tests.campaign.hazards.judgement import Find
from tests.campaign.hazards.search import Found, replay
from tests.campaign.storm.shrink import valid_lines

TIMEOUT = 30.0
"""Seconds."""


class Shrinker:
    """Shrinks one find."""

    def __init__(self, found: Found, timeout: float) -> None:
        self.best = found
        self._deadline = time.monotonic() + timeout

    def shrink(self) -> Found:
        if not self._finds(list(self.best.lines)):
            return self.best
        size = len(self.best.lines) // 2
        while size > 1:
            self._without(size)
            size //= 2
        while self._without(1):
            pass
        return self.best

    def _without(self, size: int) -> bool:
        """Leave out pieces of this many lines, but never the last line."""
        shortened = False
        start = 0
        while start < len(self.best.lines) - 1 and time.monotonic() < self._deadline:
            lines = list(self.best.lines)
            del lines[start : min(start + size, len(lines) - 1)]
            if self._finds(lines):
                shortened = True
            else:
                start += size
        return shortened

    def _finds(self, lines: list[str]) -> bool:
        lines = valid_lines(lines)
        found = replay(lines, self.best.find.hazard, strict=self.best.strict)
        if found is None or found.played > len(self.best.lines):
            return False
        self.best = self.best._replace(lines=tuple(lines[: found.played]), find=found.find)
        return True


def shrink(found: Found, timeout: float = TIMEOUT) -> Found:
    """Return the shortest script that was found in time."""
    return Shrinker(found, timeout).shrink()


def as_script(lines: Sequence[str], find: Find) -> str:
    """The lines, with keys in a row on one line, for ``tellerbox play``."""
    script: list[str] = []
    for line in lines:
        if line.startswith("press ") and script and script[-1].startswith("press "):
            script[-1] += line.removeprefix("press ")
        else:
            script.append(line)
    return "\n".join([*script, f"# {find.hazard.value}", *(f"# {part}" for part in find.what)])
