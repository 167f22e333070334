"""One line of text for each thing that happens on a board, for ``play --trace``."""

from collections.abc import Callable
from typing import TypeAlias

from hal.display.sounds import Sound
from hal.display.view import View
from hal.events import (
    SECOND,
    CardIn,
    CardOut,
    CardsClash,
    Event,
    Instant,
    KeyDown,
    KeyUp,
    PowerGood,
    PowerLow,
    ReaderBack,
    ReaderLost,
)

Happening: TypeAlias = Event | View | Sound | str
Watcher: TypeAlias = Callable[[Instant, Happening], None]
"""Is called with each event, view and sound of a board, and its time."""


def ignore(at: Instant, thing: Happening) -> None:
    """Do nothing."""


def line(at: Instant, thing: Happening) -> str:
    minutes, seconds = divmod(at / SECOND, 60)
    hours, minutes = divmod(int(minutes), 60)
    return f"{hours:d}:{minutes:02d}:{seconds:06.3f}  {_words(thing)}"


def _words(thing: Happening) -> str:
    match thing:
        case Sound():
            return f"sound  {thing.value}"
        case View(lit=False):
            return "screen dark"
        case View():
            return f"screen {thing.field}" + (f" | {thing.message}" if thing.message else "")
        case str():
            return thing
    return event_words(thing)


def event_words(event: Event) -> str:
    match event:
        case KeyDown(key=key):
            return f"key    {key.value} down"
        case KeyUp(key=key):
            return f"key    {key.value} up"
        case CardIn(slot=slot, uid=uid):
            return f"card   {uid.hex().upper()} in {slot.value}"
        case CardsClash(slot=slot):
            return f"card   several in {slot.value}"
        case CardOut(slot=slot):
            return f"card   out of {slot.value}"
        case ReaderLost(slot=slot):
            return f"reader {slot.value} lost"
        case ReaderBack(slot=slot):
            return f"reader {slot.value} back"
        case PowerLow():
            return "supply too weak"
        case PowerGood():
            return "supply good again"
