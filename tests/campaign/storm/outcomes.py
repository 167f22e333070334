"""The possible outcomes of a line when the disk or the power fails."""

import pickle
from collections.abc import Iterator

from sim.board.stock import STOCK
from tests.campaign.storm.model import lines as scripts
from tests.campaign.storm.model.disk import CutDisk, Disk, PowerLost, ScriptedDisk, WriteResult
from tests.campaign.storm.model.model import Model
from tests.campaign.storm.observation import Observation, observe_model

MAX_CHANGES = 64
"""By one line; a key changes one thing on disk, or two."""


def _copy(model: Model) -> Model:
    copied = pickle.loads(pickle.dumps(model, pickle.HIGHEST_PROTOCOL))
    assert isinstance(copied, Model)
    return copied


def interrupted_outcomes(model: Model, line: str) -> Iterator[tuple[Model, Observation]]:
    """The model if the power is cut before each change of a line, and after all of them."""
    for changes in range(MAX_CHANGES):
        outcome = _copy(model)
        outcome.disk = CutDisk(changes)
        try:
            scripts.play(outcome, line, STOCK)
        except PowerLost:
            done = False
        else:
            done = True
        last_seen = observe_model(outcome)
        outcome.disk = Disk()
        outcome.power_off()
        yield outcome, last_seen
        if done:
            return


def disk_outcomes(model: Model, line: str) -> Iterator[Model]:
    """The model for each way in which the disk may accept or refuse the changes of a line."""
    queue: list[tuple[WriteResult, ...]] = [()]
    while queue:
        results = queue.pop()
        for settles in (True, False):
            outcome = _copy(model)
            outcome.disk = disk = ScriptedDisk(results, settles=settles)
            if results[-1:] == (WriteResult.UNKNOWN,):
                yield _play(_copy(outcome), line, committed=if_committed(model, line, results))
            yield _play(outcome, line)
            if not disk.settle_asked:
                break
        for position in range(len(results), disk.writes):
            before = (*results, *[WriteResult.COMMITTED] * (position - len(results)))
            queue += [(*before, WriteResult.REFUSED), (*before, WriteResult.UNKNOWN)]


def _play(model: Model, line: str, committed: Model | None = None) -> Model:
    model.committed = committed or model.committed
    scripts.play(model, line, STOCK)
    model.disk = Disk()
    return model


def if_committed(model: Model, line: str, results: tuple[WriteResult, ...]) -> Model:
    """The model right after the uncertain write, if it was committed."""
    after = _copy(model)
    made = (*results[:-1], WriteResult.COMMITTED)
    after.disk = ScriptedDisk(made, settles=False, then=WriteResult.REFUSED)
    return _play(after, line)


def distinct(models: list[Model]) -> list[Model]:
    """One of each group of identical models."""
    return list({pickle.dumps(model): model for model in models}.values())
