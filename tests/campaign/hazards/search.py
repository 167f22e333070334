"""The search: evenings of random play, with every key tried in every state."""

from collections.abc import Callable, Iterator, Sequence
from itertools import count
from random import Random
from typing import NamedTuple

from tests.campaign.hazards.judgement import Find, Hazard
from tests.campaign.hazards.player import Player, given
from tests.campaign.hazards.watch import Watch

LINES = 200
"""Of an evening."""


class Found(NamedTuple):
    """A hazard, and the lines that lead to it."""

    seed: int
    lines: tuple[str, ...]
    find: Find
    strict: bool = False


class Evening:
    """One random evening."""

    def __init__(self, seed: int, *, strict: bool = False) -> None:
        self.seed = seed
        self._strict = strict
        self.states = 0
        """In how many states every key was tried."""

    def play(self, keep_going: Callable[[], bool] = lambda: True) -> Found | None:
        """Play until the end, a find, or ``keep_going`` returns False."""
        rng = Random(self.seed)
        lines = given(rng)
        watch = Watch(lines, strict=self._strict)
        player = Player(rng, lambda: watch.table.view)
        for line in player.lines():
            if len(lines) >= LINES or not keep_going():
                return None
            lines.append(line)
            if find := watch.play(line):
                return Found(self.seed, tuple(lines), find, self._strict)
            self.states += 1
            for attempt, find in watch.try_keys():
                return Found(self.seed, (*lines, attempt.line), find, self._strict)
        return None


def evenings(seed: int, *, strict: bool = False) -> Iterator[Evening]:
    """The evenings from a seed on."""
    return (Evening(current, strict=strict) for current in count(seed))


class Replayed(NamedTuple):
    find: Find
    played: int
    """How many lines it took."""


def replay(lines: Sequence[str], hazard: Hazard, *, strict: bool = False) -> Replayed | None:
    """Play lines on a new box; return the first hazard of this kind."""
    about_box = [line for line in lines if line.startswith("given ")]
    watch = Watch(about_box, strict=strict)
    for played, line in enumerate(lines[len(about_box) :], start=len(about_box) + 1):
        find = watch.play(line)
        if find and find.hazard is hazard:
            return Replayed(find, played)
    return None
