"""The actions that a page may request: parsed from its messages, or refused.

The panel passes each ``BoxAction`` on to the firmware's process in the same format.
"""

import json
from enum import Enum
from typing import Any, NamedTuple, TypeAlias

from hal.events import Key, Slot

MAX_LENGTH = 200
"""Characters of a message."""
PACES = (0, 1, 10, 60)
"""The rates at which the box's time may run; 0 stops it."""


class PanelFault(Enum):
    """A fault that a page can inject."""

    SCREEN = "screen"
    BOUNCE = "bounce"
    NOISE = "noise"
    LEFT = "left"
    RIGHT = "right"


FAULTS = {"software": (PanelFault.SCREEN,), "virtual": tuple(PanelFault)}
"""By board."""


class ActionRefusal(Enum):
    """Why an action was refused; the page has a text for each value."""

    UNKNOWN = "unknown"
    TOO_LONG = "too-long"
    TOO_OFTEN = "too-often"
    TOO_LATE = "too-late"
    SLOT_FULL = "slot-full"
    RECORDING = "recording"
    LEARNING = "learning"
    NOT_HERE = "not-here"
    NOT_A_NAME = "not-a-name"
    NO_SUCH_CARD = "no-such-card"
    NO_POWER = "no-power"
    NOT_WRITTEN = "not-written"


class ActionRefused(Exception):
    """The action is not carried out."""

    def __init__(self, refusal: ActionRefusal) -> None:
        super().__init__(refusal.value)
        self.refusal = refusal


class PressKey(NamedTuple):
    key: Key


class ReleaseKey(NamedTuple):
    key: Key


class Abandon(NamedTuple):
    """A finger slid off a key, or its page is gone: an unintended release."""

    key: Key


class PutCard(NamedTuple):
    card: int
    slot: Slot


class TakeCard(NamedTuple):
    card: int


class SwitchPower(NamedTuple):
    on: bool


class SetPace(NamedTuple):
    rate: int


class Skip(NamedTuple):
    """Advance the box's time by a minute."""


class SetFault(NamedTuple):
    fault: PanelFault
    on: bool


class Record(NamedTuple):
    on: bool


class Learn(NamedTuple):
    """Start a task of the trainer, also once more; 0 leaves the trainer."""

    task: int


class NameCard(NamedTuple):
    """Name the card that has this number; an empty name takes the name away."""

    number: int
    name: str


class Older(NamedTuple):
    """Send the page postings that are older than one."""

    before: int


class Heartbeat(NamedTuple):
    """The page is still connected."""


BoxAction: TypeAlias = PressKey | ReleaseKey | PutCard | TakeCard | SetPace | Skip | SetFault
"""An action on the box itself."""
PageAction: TypeAlias = Older | Heartbeat
"""Changes nothing."""
Action: TypeAlias = BoxAction | Abandon | SwitchPower | Record | Learn | NameCard | PageAction

ACTIONS: dict[str, type[Action]] = {
    "press": PressKey,
    "release": ReleaseKey,
    "abandon": Abandon,
    "put": PutCard,
    "take": TakeCard,
    "power": SwitchPower,
    "pace": SetPace,
    "skip": Skip,
    "fault": SetFault,
    "record": Record,
    "learn": Learn,
    "name": NameCard,
    "older": Older,
    "beat": Heartbeat,
}
"""By the name in a message; the other names in it are the fields."""
_NAMES = {kind: name for name, kind in ACTIONS.items()}


class TimedAction(NamedTuple):
    """An action, and when the page says that it happened."""

    action: Action
    at: int | None
    """Milliseconds of the page's own clock; only differences between them matter."""


def read(text: str) -> TimedAction:
    """Parse a message; raises ActionRefused if it is not a known action."""
    if len(text) > MAX_LENGTH:
        raise ActionRefused(ActionRefusal.TOO_LONG)
    try:
        message = json.loads(text)
        at = _parsed(int, message.pop("at")) if "at" in message else None
        kind = ACTIONS[message.pop("do")]
        types = kind.__annotations__
        if message.keys() != types.keys():
            raise ValueError(text)
        action = kind(**{field: _parsed(types[field], value) for field, value in message.items()})
        if isinstance(action, SetPace) and action.rate not in PACES:
            raise ValueError(text)
        return TimedAction(action, at)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise ActionRefused(ActionRefusal.UNKNOWN) from None


def _parsed(kind: type, value: Any) -> Any:
    """The value of a field; no subtype is accepted, because True is not a number here."""
    if issubclass(kind, Enum):
        return kind(value)
    if type(value) is not kind:
        raise ValueError(value)
    return value


def write(action: BoxAction) -> str:
    """The message for an action."""
    message: dict[str, Any] = {"do": _NAMES[type(action)]}
    for field, value in action._asdict().items():
        message[field] = value.value if isinstance(value, Enum) else value
    return json.dumps(message)
