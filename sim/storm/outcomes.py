"""All that can have come of a line, where the disk or the power was against it: few things."""

import pickle
from collections.abc import Iterator

from sim.stock import STOCK
from sim.storm.model import lines as scripts
from sim.storm.model.disk import Answer, Disk, DyingDisk, FickleDisk, PowerWent
from sim.storm.model.model import Model
from sim.storm.seen import Seen, seen_of_model

MOST_CHANGES = 64
"""Of one line; a key changes one thing on disk, or two."""


def _copy(model: Model) -> Model:
    copied = pickle.loads(pickle.dumps(model, pickle.HIGHEST_PROTOCOL))
    assert isinstance(copied, Model)
    return copied


def interrupted(model: Model, line: str) -> Iterator[tuple[Model, Seen]]:
    """What a line has done when the power goes: before each of its changes, and after all."""
    for changes in range(MOST_CHANGES):
        outcome = _copy(model)
        outcome.disk = DyingDisk(changes)
        try:
            scripts.play(outcome, line, STOCK)
        except PowerWent:
            done = False
        else:
            done = True
        last_seen = seen_of_model(outcome)
        outcome.disk = Disk()
        outcome.power_off()
        yield outcome, last_seen
        if done:
            return


def answered(model: Model, line: str) -> Iterator[Model]:
    """What a line has done, for each way in which the disk may have taken its changes or not."""
    ahead: list[tuple[Answer, ...]] = [()]
    while ahead:
        answers = ahead.pop()
        for settles in (True, False):
            outcome = _copy(model)
            outcome.disk = disk = FickleDisk(answers, settles=settles)
            if answers[-1:] == (Answer.WHO_KNOWS,):
                yield _played(_copy(outcome), line, truth=if_made(model, line, answers))
            yield _played(outcome, line)
            if not disk.was_to_settle:
                break
        for taken in range(len(answers), disk.asked):
            before = (*answers, *[Answer.TAKEN] * (taken - len(answers)))
            ahead += [(*before, Answer.REFUSED), (*before, Answer.WHO_KNOWS)]


def _played(model: Model, line: str, truth: Model | None = None) -> Model:
    model.truth = truth or model.truth
    scripts.play(model, line, STOCK)
    model.disk = Disk()
    return model


def if_made(model: Model, line: str, answers: tuple[Answer, ...]) -> Model:
    """How everything is right after the change that the bank is in doubt about, if it was made."""
    after = _copy(model)
    made = (*answers[:-1], Answer.TAKEN)
    after.disk = FickleDisk(made, settles=False, then=Answer.REFUSED)
    return _played(after, line)


def unlike_each_other(models: list[Model]) -> list[Model]:
    """Of those that are the same in every respect, one."""
    return list({pickle.dumps(model): model for model in models}.values())
