"""One evening, made from one seed: the box, the players, the faults, and the result."""

import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import NamedTuple

from sim.script.words import card_of
from tests.campaign.storm.fault_schedule import ON_CHIPS, FaultKind, FaultSchedule, kind_of
from tests.campaign.storm.model.figures import EDITIONS
from tests.campaign.storm.model.model import Model
from tests.campaign.storm.player_profiles import NAMES
from tests.campaign.storm.players import EXACT, ROUGH, Players
from tests.campaign.storm.table import Board
from tests.campaign.storm.trial import BoxFailed, InvalidLine, Trial

HOUR = 3_600_000
"""Milliseconds."""
FAULT_KINDS: dict[Board, list[FaultKind]] = {
    Board.SOFTWARE: [kind for kind in FaultKind if kind not in (*ON_CHIPS, FaultKind.CONSOLE)],
    Board.VIRTUAL: [kind for kind in FaultKind if kind is not FaultKind.CONSOLE],
    Board.CONSOLE: [FaultKind.POWER, FaultKind.CONSOLE],
}
"""The faults that can occur on each board."""
SHORT_UID = 4
"""Bytes."""
FAILING_DISK_EVERY = 16
"""One evening in this many has a disk that keeps failing, which takes longer to play."""
FAST_DISK = Path("/dev/shm")


class Plan(NamedTuple):
    """Everything that an evening depends on."""

    seed: int
    hours: float
    board: Board


class Score(NamedTuple):
    """The progress of an evening."""

    lines: int
    moves_by_hour: tuple[int, ...]
    milliseconds: int
    faults: Counter[FaultKind]

    @property
    def moves(self) -> int:
        return sum(self.moves_by_hour)

    @property
    def hours(self) -> float:
        return self.milliseconds / HOUR


class Failure(NamedTuple):
    """A failed evening, and the lines that led to the failure."""

    plan: Plan
    lines: tuple[str, ...]
    what: tuple[str, ...]
    expected: tuple[str, ...]
    second_reader: bool


class Evening:
    """Generates the lines of an evening and plays them."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        rng = Random(plan.seed)
        self._given = list(_given(rng))
        self._second_reader = rng.randrange(4) == 0
        self._players_rng, self._faults_rng = Random(rng.random()), Random(rng.random())
        self._failing_disk = plan.board is Board.SOFTWARE and rng.randrange(FAILING_DISK_EVERY) == 0
        self._lines = 0
        self._by_hour: list[int] = [0]
        self._now = 0
        self.script: list[str] = []
        """All lines so far."""
        self.faults: Counter[FaultKind] = Counter()

    @property
    def score(self) -> Score:
        return Score(self._lines, tuple(self._by_hour), self._now, Counter(self.faults))

    def play(self, keep_going: Callable[[], bool] = lambda: True) -> Failure | None:
        """Play until the end, a failure, or ``keep_going`` returns False."""
        with temporary_folder() as folder:
            trial = Trial(self._given, self.plan.board, folder, second_reader=self._second_reader)
            self.script = trial.lines
            try:
                trial.begin()
                for line in self._generate(trial):
                    trial.play(line)
                    self._record(trial, line)
                    if not keep_going():
                        break
                trial.end()
            except BoxFailed as failed:
                return Failure(
                    self.plan,
                    tuple(trial.lines),
                    tuple(failed.what),
                    tuple(failed.expected),
                    self._second_reader,
                )
            finally:
                trial.close()
        return None

    def _generate(self, trial: Trial) -> Iterator[str]:
        def model() -> Model:
            return trial.model

        # Other boards than the software board take time that a script does not account for.
        pace = EXACT if self.plan.board is Board.SOFTWARE else ROUGH
        pace = pace._replace(keys_stick=FaultKind.KEY in FAULT_KINDS[self.plan.board])
        players = Players(self._players_rng, model, pace).lines()
        kinds = FAULT_KINDS[self.plan.board]
        schedule = FaultSchedule(self._faults_rng, model, kinds, failing_disk=self._failing_disk)
        while trial.model.now < self.plan.hours * HOUR:
            yield from schedule.lines()
            if not trial.model.powered:
                yield from schedule.restore_power()
                continue
            line = next(players)
            if schedule.noisy and line.startswith("insert"):
                yield from schedule.end_noise() if _has_long_uid(line) else ()
                if trial.model.asleep:
                    yield "press C"
            for part in _single_keys(line) if schedule.disk_may_fail else [line]:
                if trial.model.powered:
                    yield part
        if not trial.model.powered:
            yield from schedule.restore_power()
        yield from schedule.end_all()

    def _record(self, trial: Trial, line: str) -> None:
        self._lines += 1
        kind = kind_of(line)
        if kind:
            self.faults[kind] += 1
        self.faults[FaultKind.POWER_IN_COMMIT] = trial.interrupted_lines
        self._now = trial.model.now
        while len(self._by_hour) <= self._now // HOUR:
            self._by_hour.append(0)
        self._by_hour[-1] += trial.model.ledger.moves_made - sum(self._by_hour)


def _has_long_uid(line: str) -> bool:
    return len(card_of(line.split()[-1])) > SHORT_UID


def _single_keys(line: str) -> list[str]:
    """Split a line into single keys, which leaves few possible outcomes on a faulty disk."""
    verb, _, keys = line.partition(" ")
    return [f"press {key}" for key in keys] if verb == "press" else [line]


def _given(rng: Random) -> Iterator[str]:
    edition = rng.choice(sorted(EDITIONS))
    yield f"given edition {edition}"
    if rng.randrange(3) == 0:
        yield "given cards none"
    else:
        for number in sorted(rng.sample(range(1, EDITIONS[edition].cards + 1), rng.randrange(4))):
            yield f"given name {number} {rng.choice(NAMES)}"
    if rng.randrange(2):
        yield "given pot true"
    if rng.randrange(5) == 0:
        yield "given undo rulebook"


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """A folder for a card's files, in memory if possible."""
    memory = FAST_DISK if FAST_DISK.is_dir() else None
    with tempfile.TemporaryDirectory(prefix="tellerbox-storm-", dir=memory) as folder:
        yield Path(folder)


def replay(
    lines: Sequence[str], board: Board, *, second_reader: bool = False
) -> tuple[BoxFailed | None, int]:
    """Play lines on a new box; return the failure, if any, and the number of lines played."""
    given = [line for line in lines if line.startswith("given ")]
    played = len(given)
    with temporary_folder() as folder:
        trial = Trial(given, board, folder, second_reader=second_reader)
        try:
            trial.begin()
            for line in lines[len(given) :]:
                played += 1
                trial.play(line)
            trial.end()
        except BoxFailed as failed:
            return failed, played
        except InvalidLine:
            return None, played
        finally:
            trial.close()
    return None, played
