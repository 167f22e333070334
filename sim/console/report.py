"""The report of an acceptance test: one page on a newly built box."""

import statistics
from collections.abc import Sequence
from typing import NamedTuple

from sim.console.wire import ConsoleClient
from sim.console.wire_play import Result


class About(NamedTuple):
    """The box that was tested."""

    name: str
    version: str
    parts: tuple[str, ...]

    @classmethod
    def of(cls, wire: ConsoleClient) -> "About":
        """Take the firmware's name and version from the greeting, and ask for the parts."""
        parts = wire.ask("parts").removeprefix("ok ").split(" | ")
        return cls(wire.name, " ".join(wire.greeting.split()[:2]), tuple(parts))


def report(about: About, results: Sequence[Result], wanted: int) -> str:
    """Return the whole page; ``wanted`` is the number of scripts that were to be played."""
    lines = ["Tellerbox acceptance test", "", f"box      {about.version}, on {about.name}"]
    lines += [f"{'parts' if not n else '':<8} {part}" for n, part in enumerate(about.parts)]
    lines += ["", f"{'':<5} {'script':<42} {'hand to screen':>18} {'line to answer':>18}"]
    lines += [line for result in results for line in _lines(result)]
    return "\n".join([*lines, "", _verdict(results, wanted), ""])


def _lines(result: Result) -> list[str]:
    screens = _spread(result.screens)
    answers = _spread([round(seconds * 1000) for seconds in result.answers])
    name = result.file.rpartition("/")[2]
    lines = [f"{result.verdict:<5} {name:<42} {screens:>18} {answers:>18}"]
    return lines + ([f"      {result.reason}"] if result.reason else [])


def _spread(milliseconds: Sequence[int]) -> str:
    """Return the median and the maximum."""
    if not milliseconds:
        return "–"
    return f"{statistics.median(milliseconds):.0f}, most {max(milliseconds)} ms"


def _verdict(results: Sequence[Result], wanted: int) -> str:
    if len(results) < wanted:
        return f"The test ended early, after {len(results)} of {wanted} scripts."
    failed = sum(result.failed for result in results)
    skipped = sum(result.verdict == "–" for result in results)
    played = len(results) - skipped
    left_out = f"; {skipped} not played" if skipped else ""
    if failed:
        return f"{failed} of {played} scripts failed{left_out}: the box is not ready."
    return f"All {played} scripts passed{left_out}."
