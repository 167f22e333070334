"""A cheap copy of a box: what the firmware changes is copied, values are shared.

The copy writes its records into a list. It reads the journal of the original, and changes nothing
there.
"""

from enum import Enum
from typing import Any, TypeVar, cast

from tests.campaign.hazards.journal import SharedJournal

T = TypeVar("T")
VALUES = (tuple, str, bytes, int, Enum, type(None), frozenset)


def copy_of(thing: T) -> T:
    return cast(T, _copied(thing, {}))


def _copied(thing: Any, known: dict[int, Any]) -> Any:
    if isinstance(thing, VALUES):
        return thing
    if isinstance(thing, dict):
        return {key: _copied(value, known) for key, value in thing.items()}
    if isinstance(thing, list):
        return [_copied(value, known) for value in thing]
    if isinstance(thing, set):
        return set(thing)
    if isinstance(thing, SharedJournal):
        return thing.detached()
    if not type(thing).__module__.startswith("firmware."):
        return thing
    if id(thing) not in known:
        copied = known[id(thing)] = object.__new__(type(thing))
        for name, value in vars(thing).items():
            copied.__dict__[name] = _copied(value, known)
    return known[id(thing)]
