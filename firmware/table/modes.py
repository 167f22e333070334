"""The modes of the box, and what each key does in each of them.

``Box.mode`` is one of these at any time, and ``KEYS`` is the whole table: a key is looked up there
when it is pressed, C when it is let go within a second (C1). Holding C for three seconds starts a
new game in every mode (C4).

The first mode of the enum that applies is the box's mode: a refused card blocks everything else,
and what F has opened covers the final count. What a key does may still be refused by an amount or
a balance, and GO and the final count want the left card alone (S7, F16).
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
    TYPING_WORTH = "an entry is half typed during the final count (F16)"
    INTERRUPTED = "something half done was interrupted; C or F acknowledges (N2)"
    INTERRUPTED_NO_CARD = "interrupted, and both slots are empty: acknowledged after a second (N2)"
    COUNTING = "a card is in during the final count (F16)"
    COUNTING_NO_CARD = "no card is in during the final count"
    READY = "a player's card is in"
    NO_CARD = "no card is in"


class Act(Enum):
    """What a key does."""

    WAKE = auto()
    WAKE_TYPE = auto()
    """With a card in, the digit or comma counts (P2). Without one it only wakes the box."""
    REFUSE = auto()
    """Sound `error`; the screen stays as it is."""
    NOT_DONE = auto()
    """Say that something half done was interrupted (N2)."""
    NO_CARD = auto()
    """Say that no card is in (S8)."""
    TYPE = auto()
    COMPLETE = auto()
    """Complete the entry and move the money (M4)."""
    TYPE_WORTH = auto()
    ADD = auto()
    """Complete the entry and add it to the left card's worth (F16)."""
    ASK_WINNER = auto()
    """Ask whether the final count is over; a second press ends it (F16)."""
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
    millions: Act
    thousands: Act
    go: Act
    function: Act
    cancel: Act

    def of(self, key: Key) -> Act:
        act: Act = self.digit if key.is_digit else getattr(self, key.name.lower())
        return act


_TABLE = """
                     digit       comma       M           K         GO        F          C
ASLEEP               WAKE_TYPE   WAKE_TYPE   WAKE        WAKE      WAKE      WAKE       WAKE
IN_DOUBT             REFUSE      REFUSE      REFUSE      REFUSE    REFUSE    REFUSE     REFUSE
BLOCKED              REFUSE      REFUSE      REFUSE      REFUSE    REFUSE    REFUSE     REFUSE
MENU                 ASK_MENU    ASK_MENU    ASK_MENU    ASK_MENU  ASK_MENU  OPEN_LIST  LEAVE
TYPING               TYPE        TYPE        COMPLETE    COMPLETE  GO        OPEN_LIST  LEAVE
TYPING_WORTH         TYPE_WORTH  TYPE_WORTH  ADD         ADD       REFUSE    OPEN_LIST  LEAVE
INTERRUPTED          NOT_DONE    NOT_DONE    NOT_DONE    NOT_DONE  NOT_DONE  OPEN_LIST  ACKNOWLEDGE
INTERRUPTED_NO_CARD  NO_CARD     VOLUME      NO_CARD     NO_CARD   NOT_DONE  OPEN_LIST  ACKNOWLEDGE
COUNTING             TYPE_WORTH  TYPE_WORTH  ADD         ADD       REFUSE    OPEN_LIST  UNDO
COUNTING_NO_CARD     NO_CARD     VOLUME      ASK_WINNER  NO_CARD   REFUSE    OPEN_LIST  UNDO
READY                TYPE        TYPE        COMPLETE    COMPLETE  GO        OPEN_LIST  UNDO
NO_CARD              NO_CARD     VOLUME      NO_CARD     NO_CARD   NO_CARD   OPEN_LIST  UNDO
"""

KEYS = {
    Mode[mode]: Acts(*[Act[act] for act in acts])
    for mode, *acts in map(str.split, _TABLE.strip().splitlines()[1:])
}
"""By mode: what each kind of key does."""
