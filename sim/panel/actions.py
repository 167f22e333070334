"""What a page may ask for: the known actions, read from a message or refused.

Those that are done to the box itself go on to the firmware's process in the same words.
"""

import json
from collections.abc import Callable
from enum import Enum
from typing import Any, NamedTuple, TypeAlias, TypeVar

from hal.events import Key, Slot

MOST_LETTERS = 200
PACES = (0, 1, 10, 60)
"""How fast the box's time may run; at 0 it stands still."""


class Fault(Enum):
    """What can be broken on purpose."""

    SCREEN = "screen"
    BOUNCE = "bounce"
    NOISE = "noise"
    LEFT = "left"
    RIGHT = "right"


class Refusal(Enum):
    """Why something was not done, in the words that the page knows."""

    UNKNOWN = "unknown"
    TOO_LONG = "too-long"
    TOO_OFTEN = "too-often"
    TOO_LATE = "too-late"
    SLOT_FULL = "slot-full"
    RECORDING = "recording"
    NOT_HERE = "not-here"


class Refused(Exception):
    """An action that is not carried out."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.value)
        self.refusal = refusal


class Press(NamedTuple):
    key: Key


class Release(NamedTuple):
    key: Key


class Abandon(NamedTuple):
    """A finger has slid off a key, or its page is gone: not what letting go of it means."""

    key: Key


class Put(NamedTuple):
    card: int
    slot: Slot


class Take(NamedTuple):
    card: int


class SwitchPower(NamedTuple):
    on: bool


class SetPace(NamedTuple):
    rate: int


class Skip(NamedTuple):
    """A minute passes at once."""


class SetFault(NamedTuple):
    fault: Fault
    on: bool


class Record(NamedTuple):
    on: bool


class Beat(NamedTuple):
    """The page is there."""


Done: TypeAlias = Press | Release | Put | Take | SetPace | Skip | SetFault
"""What is done to the box itself."""
Action: TypeAlias = Done | Abandon | SwitchPower | Record | Beat

T = TypeVar("T")


def _exactly(kind: type[T]) -> Callable[[Any], T]:
    """Nothing that merely passes for it: a truth is no number here."""

    def read(value: Any) -> T:
        if type(value) is not kind:
            raise ValueError(value)
        return value

    return read


def _pace(value: Any) -> int:
    if type(value) is not int or value not in PACES:
        raise ValueError(value)
    return value


READERS: dict[str, tuple[type[Action], tuple[Callable[[Any], Any], ...]]] = {
    "press": (Press, (Key,)),
    "release": (Release, (Key,)),
    "abandon": (Abandon, (Key,)),
    "put": (Put, (_exactly(int), Slot)),
    "take": (Take, (_exactly(int),)),
    "power": (SwitchPower, (_exactly(bool),)),
    "pace": (SetPace, (_pace,)),
    "skip": (Skip, ()),
    "fault": (SetFault, (Fault, _exactly(bool))),
    "record": (Record, (_exactly(bool),)),
    "beat": (Beat, ()),
}
"""Each action by its word, and what reads its fields."""
_WORDS = {kind: word for word, (kind, _) in READERS.items()}


class Said(NamedTuple):
    """An action, and when the page says that it was done."""

    action: Action
    at: int | None
    """Milliseconds by the page's own clock; only differences mean anything."""


def read(text: str) -> Said:
    """The action of a message; raises Refused for anything else."""
    if len(text) > MOST_LETTERS:
        raise Refused(Refusal.TOO_LONG)
    try:
        message = json.loads(text)
        at = _exactly(int)(message.pop("at")) if "at" in message else None
        kind, readers = READERS[message.pop("do")]
        if message.keys() != set(kind._fields):
            raise ValueError(text)
        fields = zip(kind._fields, readers, strict=True)
        return Said(kind(*(reader(message[field]) for field, reader in fields)), at)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise Refused(Refusal.UNKNOWN) from None


def write(action: Done) -> str:
    """The message of an action."""
    said: dict[str, Any] = {"do": _WORDS[type(action)]}
    for field, value in action._asdict().items():
        said[field] = value.value if isinstance(value, Enum) else value
    return json.dumps(said)
