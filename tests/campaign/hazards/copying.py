"""A cheap copy of a box: what the firmware changes is copied, values are shared.

The copy writes its records into a list. It reads the journal of the original, and changes nothing
there.
"""

from enum import Enum
from typing import Any, TypeVar, cast

from tests.campaign.hazards.journal import SharedJournal

T = TypeVar("T")
VALUES = (tuple, str, bytes, int, Enum, type(None), frozenset)
SHARED: dict[type, bool] = {}
"""The types seen so far."""


def copy_of(thing: T) -> T:
    return cast(T, _copied(thing, {}))


def _copied(thing: Any, known: dict[int, Any]) -> Any:
    if _is_shared(type(thing)):
        return thing
    if isinstance(thing, dict):
        return {
            key: value if _is_shared(type(value)) else _copied(value, known)
            for key, value in thing.items()
        }
    if isinstance(thing, list):
        return [_copied(value, known) for value in thing]
    if isinstance(thing, set):
        return thing.copy()
    if isinstance(thing, SharedJournal):
        return thing.detached()
    if id(thing) not in known:
        copied = known[id(thing)] = object.__new__(type(thing))
        vars(copied).update(_copied(vars(thing), known))
    return known[id(thing)]


def _is_shared(kind: type) -> bool:
    """Whether nothing changes the things of this type."""
    if kind not in SHARED:
        copied = issubclass(kind, dict | list | set | SharedJournal)
        is_ours = kind.__module__.startswith("firmware.") and not issubclass(kind, VALUES)
        SHARED[kind] = not (copied or is_ours)
    return SHARED[kind]
