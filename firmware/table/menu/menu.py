"""The banker's desk: what F can see of the table, and what it can ask the box to do.

Something that F has opened is a value with two methods. ``press`` is told a key and says
what comes of it; ``look`` says what shows. Neither does anything: the box carries out what
comes of a key. But for the list itself, whose pages F turns, it knows no more of what was
opened than this page.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol, TypeAlias

from firmware.edition import Edition
from firmware.house import House
from firmware.ledger import Ledger
from firmware.records import Kind, Posting, Purpose
from hal.events import Instant, Key
from hal.view import Item, Menu, Message

M_KEY = "M ="
"""Leads up to what the key M will do."""


class Shelf(Protocol):
    """The editions that can be chosen."""

    def names(self) -> Sequence[str]: ...

    def load(self, name: str) -> Edition: ...


class Desk(NamedTuple):
    """The table as F finds it."""

    ledger: Ledger
    left: int | None
    """The number of the card in the left slot."""
    right: int | None
    house: House
    shelf: Shelf
    made_at: Mapping[int, Instant]
    """When the moves since the start of the box were made, by the numbers of their postings."""
    now: Instant

    @property
    def edition(self) -> Edition:
        return self.ledger.edition


# What the box is asked to do


class Pay(NamedTuple):
    """Move money."""

    payer: int
    payee: int
    amount: int
    purpose: Purpose

    @property
    def accounts(self) -> tuple[int, int]:
        return self.payer, self.payee


class TakeBack(NamedTuple):
    """Reverse a move, however old."""

    posting: Posting


class OpenCount(NamedTuple):
    """Open the final count."""


class ChooseKind(NamedTuple):
    """Say what the next game will be."""

    kind: Kind
    minutes: int = 0


class ChooseEdition(NamedTuple):
    """Say which edition the next game will be played with."""

    edition: Edition


class ForgetCard(NamedTuple):
    """Free a card's number."""

    number: int


class GoBack(NamedTuple):
    """Play on the game before this one."""


Action: TypeAlias = Pay | TakeBack | OpenCount | ChooseKind | ChooseEdition | ForgetCard | GoBack


# What comes of a key


class Show(NamedTuple):
    """Something else is open from now on."""

    opened: "Opened"


class Refuse(NamedTuple):
    """The key is refused, with or without a message; something stays open."""

    opened: "Opened"
    message: Message | None = None


class Stray(NamedTuple):
    """A digit or comma was pressed for something that is not open.

    So were those that follow it: nothing is open any more, and they are refused (D26).
    """


class Do(NamedTuple):
    """It is settled what to do, and nothing is open any more."""

    action: Action


Outcome: TypeAlias = Show | Refuse | Stray | Do


class Look(NamedTuple):
    """What shows below the status row."""

    field: str = ""
    message: Message | None = None
    menu: Menu | None = None
    table: tuple[Item, ...] = ()
    card: int | None = None
    """The card's number, where the field shows just that."""


class Opened(Protocol):
    """Something that F has opened; one that remembers nothing is an empty tuple, and so false."""

    def press(self, key: Key, desk: Desk) -> Outcome: ...

    def look(self, desk: Desk) -> Look: ...


def not_for_this(opened: Opened, key: Key) -> Refuse | Stray:
    """What comes of a key that something open does not know."""
    return Stray() if key.is_digit or key is Key.COMMA else Refuse(opened)
