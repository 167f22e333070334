"""What F opens: lists and questions as values, what they see, and what they ask the box to do.

A ``Question`` has two methods: ``press`` gets a key and returns an ``Outcome``, ``look`` returns
what shows. Neither has side effects: the box carries out the outcome. Except for the list, whose
pages F turns, the box knows only what is in this file.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol, TypeAlias

from firmware.bank.edition import Edition
from firmware.bank.house_rules import HouseRules
from firmware.bank.ledger import Ledger
from firmware.bank.records import Kind, Posting
from firmware.table.payment import Pay, Way
from firmware.table.screen_body import ScreenBody
from hal.display.messages import Message
from hal.events import Instant, Key


class EditionCatalog(Protocol):
    """The editions that can be chosen."""

    def names(self) -> Sequence[str]: ...

    def load(self, name: str) -> Edition: ...


class MenuContext(NamedTuple):
    """The table, as a question sees it."""

    ledger: Ledger
    left: int | None
    """The number of the card in the left slot."""
    right: int | None
    house: HouseRules
    catalog: EditionCatalog
    made_at: Mapping[int, Instant]
    """When each move since the start of the box was made, by the number of its posting."""
    now: Instant

    @property
    def edition(self) -> Edition:
        return self.ledger.edition


# Actions: what the box can be asked to do


class TakeBack(NamedTuple):
    """Reverse a move, however old."""

    posting: Posting


class MakeAgain(NamedTuple):
    """Make a move once more that was taken back (C5)."""

    posting: Posting


class OpenCount(NamedTuple):
    """Open the final count."""


class ChooseKind(NamedTuple):
    """Choose the kind of the next game."""

    kind: Kind
    minutes: int = 0


class ChooseEdition(NamedTuple):
    """Choose the edition of the next game."""

    edition: Edition


class ForgetCard(NamedTuple):
    """Free a card's number."""

    number: int


class GoBack(NamedTuple):
    """Continue the game before this one."""


MenuAction: TypeAlias = (
    Pay | TakeBack | MakeAgain | OpenCount | ChooseKind | ChooseEdition | ForgetCard | GoBack
)


# Outcomes of a key


class Show(NamedTuple):
    """Open something else."""

    opened: "Question"


class Refuse(NamedTuple):
    """Refuse the key, with or without a message; something stays open."""

    opened: "Question"
    message: Message | None = None


class StrayKey(NamedTuple):
    """Close: the digit or comma was meant for something else, which interrupts (N3)."""


class Do(NamedTuple):
    """Close, and do something."""

    action: MenuAction


class DoAfterHold(NamedTuple):
    """Do something, and close, once the key has been held for a second (F5)."""

    action: MenuAction


Outcome: TypeAlias = Show | Refuse | StrayKey | Do | DoAfterHold


class Nature(NamedTuple):
    """What distinguishes lists and questions from each other."""

    way: Way | None = None
    """Where M would move money (N4)."""
    needs_cards: bool = False
    """Whether it is interrupted when a card leaves whose money it would move (N3)."""
    is_list: bool = False
    """A list closes by itself, a question does not (N3)."""

    def needs(self, card: int) -> bool:
        """Whether it is interrupted when this card leaves."""
        return self.needs_cards and self.way is not None and card in self.way


LIST = Nature(is_list=True)


class Question(Protocol):
    """Something that F has opened. Compare it with None: one without fields is an empty tuple."""

    def press(self, key: Key, context: MenuContext) -> Outcome: ...

    def look(self, context: MenuContext) -> ScreenBody: ...

    @property
    def nature(self) -> Nature: ...


def refuse_or_close(opened: Question, key: Key) -> Refuse | StrayKey:
    """The outcome of a key that a question does not know."""
    return StrayKey() if key.is_digit or key is Key.COMMA else Refuse(opened)
