"""One evening from one seed: which box, which people, which weather, and what came of it."""

import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import NamedTuple

from sim.script_words import card_of
from sim.storm.model.figures import EDITIONS
from sim.storm.model.model import Model
from sim.storm.people import EXACT, ROUGH, People
from sim.storm.table import Board
from sim.storm.trial import Failed, Senseless, Trial
from sim.storm.weather import ON_CHIPS, Kind, Weather, kind_of

HOUR = 3_600_000
"""Milliseconds."""
KINDS: dict[Board, list[Kind]] = {
    Board.SIM: [kind for kind in Kind if kind not in (*ON_CHIPS, Kind.CONSOLE)],
    Board.VIRTUAL: [kind for kind in Kind if kind is not Kind.CONSOLE],
    Board.CONSOLE: [Kind.POWER, Kind.CONSOLE],
}
"""What can go wrong on each board."""
SHORT_UID = 4
"""Bytes."""
SICK_EVERY = 16
"""Of so many evenings one has a disk that fails all the time, which takes longer."""
FAST_DISK = Path("/dev/shm")


class Plan(NamedTuple):
    """All that an evening depends on."""

    seed: int
    hours: float
    board: Board


class Score(NamedTuple):
    """How far an evening has come."""

    lines: int
    moves_by_hour: tuple[int, ...]
    milliseconds: int
    faults: Counter[Kind]

    @property
    def moves(self) -> int:
        return sum(self.moves_by_hour)

    @property
    def hours(self) -> float:
        return self.milliseconds / HOUR


class Failure(NamedTuple):
    """What went wrong in an evening, and the lines that led to it."""

    plan: Plan
    lines: tuple[str, ...]
    what: tuple[str, ...]
    expected: tuple[str, ...]
    onlooker: bool


class Evening:
    """Plays itself, line by line."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        dice = Random(plan.seed)
        self._given = list(_given(dice))
        self._onlooker = dice.randrange(4) == 0
        self._people_dice, self._weather_dice = Random(dice.random()), Random(dice.random())
        self._sick_disk = plan.board is Board.SIM and dice.randrange(SICK_EVERY) == 0
        self._lines = 0
        self._by_hour: list[int] = [0]
        self._now = 0
        self.script: list[str] = []
        """All lines so far."""
        self.faults: Counter[Kind] = Counter()

    @property
    def score(self) -> Score:
        return Score(self._lines, tuple(self._by_hour), self._now, Counter(self.faults))

    def play(self, goes_on: Callable[[], bool] = lambda: True) -> Failure | None:
        """To its end, or until the box fails, or as long as it goes on."""
        with a_folder() as folder:
            trial = Trial(self._given, self.plan.board, folder, onlooker=self._onlooker)
            self.script = trial.lines
            try:
                trial.begin()
                for line in self._storm(trial):
                    trial.play(line)
                    self._note(trial, line)
                    if not goes_on():
                        break
                trial.end()
            except Failed as failed:
                return Failure(
                    self.plan,
                    tuple(trial.lines),
                    tuple(failed.what),
                    tuple(failed.expected),
                    self._onlooker,
                )
            finally:
                trial.put_away()
        return None

    def _storm(self, trial: Trial) -> Iterator[str]:
        def model() -> Model:
            return trial.model

        # The software board takes no time, and the others some that a script does not know.
        pace = EXACT if self.plan.board is Board.SIM else ROUGH
        people = People(self._people_dice, model, pace).lines()
        kinds = KINDS[self.plan.board]
        weather = Weather(self._weather_dice, model, kinds, sick_disk=self._sick_disk)
        while trial.model.now < self.plan.hours * HOUR:
            yield from weather.lines()
            if not trial.model.powered:
                yield from weather.power_returns()
                continue
            line = next(people)
            if weather.noisy and line.startswith("insert"):
                yield from weather.end_noise() if _has_long_uid(line) else ()
                if trial.model.asleep:
                    yield "press C"
            for part in _one_key_at_a_time(line) if weather.disk_troubled else [line]:
                if trial.model.powered:
                    yield part
        if not trial.model.powered:
            yield from weather.power_returns()
        yield from weather.clear_up()

    def _note(self, trial: Trial, line: str) -> None:
        self._lines += 1
        kind = kind_of(line)
        if kind:
            self.faults[kind] += 1
        self.faults[Kind.POWER_IN_COMMIT] = trial.struck
        self._now = trial.model.now
        while len(self._by_hour) <= self._now // HOUR:
            self._by_hour.append(0)
        self._by_hour[-1] += trial.model.books.moves_made - sum(self._by_hour)


def _has_long_uid(line: str) -> bool:
    return len(card_of(line.split()[-1])) > SHORT_UID


def _one_key_at_a_time(line: str) -> list[str]:
    """So that there are few things that can have come of it on a disk that refuses."""
    verb, _, keys = line.partition(" ")
    return [f"press {key}" for key in keys] if verb == "press" else [line]


def _given(dice: Random) -> Iterator[str]:
    yield f"given edition {dice.choice(sorted(EDITIONS))}"
    if dice.randrange(3) == 0:
        yield "given cards none"
    if dice.randrange(2):
        yield "given pot true"
    if dice.randrange(5) == 0:
        yield "given undo rulebook"


@contextmanager
def a_folder() -> Iterator[Path]:
    """Where a card's files lie for a while: in memory, if this machine can."""
    memory = FAST_DISK if FAST_DISK.is_dir() else None
    with tempfile.TemporaryDirectory(prefix="tellerbox-storm-", dir=memory) as folder:
        yield Path(folder)


def replayed(
    lines: Sequence[str], board: Board, *, onlooker: bool = False
) -> tuple[Failed | None, int]:
    """What comes of some lines on a new box, and after how many of them it fails."""
    given = [line for line in lines if line.startswith("given ")]
    played = len(given)
    with a_folder() as folder:
        trial = Trial(given, board, folder, onlooker=onlooker)
        try:
            trial.begin()
            for line in lines[len(given) :]:
                played += 1
                trial.play(line)
            trial.end()
        except Failed as failed:
            return failed, played
        except Senseless:
            return None, played
        finally:
            trial.put_away()
    return None, played
