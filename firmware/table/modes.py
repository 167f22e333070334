"""The modes of the box, and what each key does in each of them.

``Box.mode`` is one of these at any time, and ``KEYS`` is the whole table: a key is looked up there
when it is pressed, C when it is let go within a second (C1). Holding C for three seconds starts a
new game in every mode (C4).

The first mode of the enum that applies is the box's mode: a refused card blocks everything else,
and what F has opened covers the final count.
"""

from enum import Enum, auto
from typing import NamedTuple

from hal.events import Key


class Mode(Enum):
    """What the box is doing, for the keys."""

    ASLEEP = "the screen is off (P1)"
    IN_DOUBT = "it is unknown whether the last move is on disk (D27)"
    BLOCKED = "a refused card is in a slot (S12)"
    MENU = "F has opened a list or a question (F1)"
    TYPING = "an entry is half typed (M4)"
    INTERRUPTED = "something half done was interrupted; C or F acknowledges (N2)"
    INTERRUPTED_NO_CARD = "the same, and both slots are empty, which acknowledges after a second"
    READY = "a player's card is in"
    NO_CARD = "no card is in"


class Act(Enum):
    """What a key does."""

    WAKE = auto()
    WAKE_AND_TYPE = auto()
    """With a card in, the digit or comma counts (P2). Without one it only wakes the box."""
    REFUSE = auto()
    """Sound `error`; the screen stays as it is."""
    REFUSE_NOT_DONE = auto()
    """Say that something half done was interrupted (N2)."""
    TYPE = auto()
    COMPLETE = auto()
    """Complete the entry: move the money, or add to the final count."""
    GO = auto()
    VOLUME = auto()
    OPEN_LIST = auto()
    """Open F's list, or turn its page."""
    ASK_MENU = auto()
    """The open list or question decides."""
    LEAVE = auto()
    """Clear the entry, or leave what F has opened."""
    ACKNOWLEDGE = auto()
    """End the interruption, and do nothing else."""
    UNDO = auto()


class Acts(NamedTuple):
    """A row of the table."""

    digit: Act
    comma: Act
    unit: Act
    go: Act
    function: Act
    cancel: Act

    def of(self, key: Key) -> Act:
        match key:
            case Key.COMMA:
                return self.comma
            case Key.MILLIONS | Key.THOUSANDS:
                return self.unit
            case Key.GO:
                return self.go
            case Key.FUNCTION:
                return self.function
            case Key.CANCEL:
                return self.cancel
            case _:
                return self.digit


_REFUSE_ALL = Acts(*[Act.REFUSE] * 6)

KEYS = {
    Mode.ASLEEP: Acts(
        digit=Act.WAKE_AND_TYPE,
        comma=Act.WAKE_AND_TYPE,
        unit=Act.WAKE,
        go=Act.WAKE,
        function=Act.WAKE,
        cancel=Act.WAKE,
    ),
    Mode.IN_DOUBT: _REFUSE_ALL,
    Mode.BLOCKED: _REFUSE_ALL,
    Mode.MENU: Acts(
        digit=Act.ASK_MENU,
        comma=Act.ASK_MENU,
        unit=Act.ASK_MENU,
        go=Act.ASK_MENU,
        function=Act.OPEN_LIST,
        cancel=Act.LEAVE,
    ),
    Mode.TYPING: Acts(
        digit=Act.TYPE,
        comma=Act.TYPE,
        unit=Act.COMPLETE,
        go=Act.GO,
        function=Act.OPEN_LIST,
        cancel=Act.LEAVE,
    ),
    Mode.INTERRUPTED: Acts(
        digit=Act.REFUSE_NOT_DONE,
        comma=Act.REFUSE_NOT_DONE,
        unit=Act.REFUSE_NOT_DONE,
        go=Act.REFUSE_NOT_DONE,
        function=Act.OPEN_LIST,
        cancel=Act.ACKNOWLEDGE,
    ),
    Mode.INTERRUPTED_NO_CARD: Acts(
        digit=Act.TYPE,  # NO CARD (S8)
        comma=Act.VOLUME,
        unit=Act.COMPLETE,
        go=Act.REFUSE_NOT_DONE,
        function=Act.OPEN_LIST,
        cancel=Act.ACKNOWLEDGE,
    ),
    Mode.READY: Acts(
        digit=Act.TYPE,
        comma=Act.TYPE,
        unit=Act.COMPLETE,
        go=Act.GO,
        function=Act.OPEN_LIST,
        cancel=Act.UNDO,
    ),
    Mode.NO_CARD: Acts(
        digit=Act.TYPE,  # NO CARD (S8)
        comma=Act.VOLUME,
        unit=Act.COMPLETE,
        go=Act.GO,
        function=Act.OPEN_LIST,
        cancel=Act.UNDO,
    ),
}
"""By mode: what each kind of key does."""
