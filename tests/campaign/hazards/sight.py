"""What a banker reads from the screen: what is half done, and who would pay whom.

Only texts are read, as they show: the big field, the message line, the status row with its badges,
and the lists. Numbers in brackets are rules.
"""

import re
from enum import Enum, auto
from typing import NamedTuple

from hal.display.view import Occupant, View

WAY = re.compile(r"(\w+)>(\w+)( .*)?")
"""The middle of the status row: who pays whom, and after a move how much [N4]."""
OF_HISTORY = re.compile(r"\w+>\w+ \w.*")
ASKS_M = "? M"
ASKS_TO_HOLD_M = "? HOLD M"
NOT_DONE = "NOT DONE"
LEDGER_ERROR = "LEDGER ERROR"
FINAL_COUNT = "FINAL COUNT"
"""Shows in the final count, and as a refusal in the history [F16, F13]."""

TYPED_FOR_F = (
    *("MORTGAGE", "INTEREST", "UTILITY", "SELL", "FIGHT LOST", "POT", "CLOCK", "FORGET"),
)
"""The message while something is typed that F asked for [F4]."""

REFUSALS = (
    *("NO CARD", "NO AMOUNT", "MIN", "MAX", "STEP", "NO FUNDS", "FULL", "ERROR", "OUT", "DICE"),
    *("CLEAR FIRST", "ALREADY PAID", "LEFT CARD ONLY", "NOTHING TO UNDO", "UNKNOWN CARD"),
    *("RULEBOOK ONLY", NOT_DONE),
)
"""Messages that a short C only clears [G3]; FINAL COUNT is one, too."""
IS_REFUSAL = re.compile(f"({'|'.join(REFUSALS)})( .*)?")
COVERS = ("TIME", "NEW GAME IN")
"""Messages that show for a while over what is half done [F22, D23]."""


class Sight(Enum):
    """What the screen is about."""

    DARK = auto()
    LEDGER_ERROR = auto()
    BLOCKED = auto()
    NOT_DONE = auto()
    LIST = auto()
    HISTORY = auto()
    TYPED_FOR_F = auto()
    QUESTION = auto()
    HOLD = auto()
    ENTRY = auto()
    COUNT = auto()
    COUNT_ENTRY = auto()
    CARD_IN = auto()
    NO_CARD = auto()


HALF_DONE = frozenset(
    {
        *(Sight.LIST, Sight.HISTORY, Sight.TYPED_FOR_F, Sight.QUESTION, Sight.HOLD),
        *(Sight.ENTRY, Sight.COUNT_ENTRY),
    }
)
"""What can be interrupted [N1]."""


class Way(NamedTuple):
    """Who pays whom, as it shows: a card's number, B or P."""

    payer: str
    payee: str

    def __str__(self) -> str:
        return f"{self.payer}>{self.payee}"


def sight_of(view: View) -> Sight:
    """Classify a screen."""
    message = message_of(view)
    if not view.lit:
        return Sight.DARK
    if message == LEDGER_ERROR:
        return Sight.LEDGER_ERROR
    if Occupant.REFUSED in view.occupants:
        return Sight.BLOCKED
    if message == NOT_DONE:
        return Sight.NOT_DONE
    return _opened(view, message) or _at_the_table(view)


def _opened(view: View, message: str) -> Sight | None:
    """What F has opened, if it shows."""
    counting = view.status == "COUNT"
    if view.menu or (view.table and not counting):
        return Sight.LIST
    if counting:
        return None
    if message.endswith(ASKS_TO_HOLD_M):
        return Sight.HOLD
    if message.endswith(ASKS_M):
        return Sight.QUESTION
    if OF_HISTORY.fullmatch(message) or message == "RULEBOOK ONLY":
        return Sight.HISTORY
    if message == FINAL_COUNT and not has_moved(view):
        return Sight.HISTORY
    if view.typed and (message in TYPED_FOR_F or way_of(view) is None):
        return Sight.TYPED_FOR_F
    return None


def _at_the_table(view: View) -> Sight:
    if view.status == "COUNT" or message_of(view) == FINAL_COUNT:
        return Sight.COUNT_ENTRY if view.typed else Sight.COUNT
    if view.typed:
        return Sight.ENTRY
    return Sight.CARD_IN if any(cards_of(view)) else Sight.NO_CARD


def message_of(view: View) -> str:
    return str(view.message) if view.message else ""


def way_of(view: View) -> Way | None:
    """What M would do to money; None if the status row does not say, or says what has moved."""
    found = WAY.fullmatch(view.status)
    return Way(found[1], found[2]) if found and not found[3] else None


def has_moved(view: View) -> bool:
    """Whether the status row says what has just moved."""
    found = WAY.fullmatch(view.status)
    return bool(found and found[3])


def cards_of(view: View) -> tuple[int | None, int | None]:
    """The numbers in the left and the right badge."""
    left, right = (card if isinstance(card, int) else None for card in view.occupants)
    return left, right


def is_refusal(view: View) -> bool:
    """Whether the message is that of a refusal."""
    return bool(IS_REFUSAL.fullmatch(message_of(view)))


def is_covered(view: View) -> bool:
    return message_of(view).startswith(COVERS)


def described(view: View) -> str:
    """The screen in words, for a report."""
    if not view.lit:
        return "a dark screen"
    shown = [f"field {view.field!r}", f"message {message_of(view)!r}", f"status {view.status!r}"]
    shown += [f"menu {view.menu.names!r}"] if view.menu else []
    return ", ".join(shown)
