"""What a screen is to show: the texts of the box, before they are drawn."""

from enum import Enum
from typing import NamedTuple

from hal.display.messages import Language, Message, Text
from hal.events import Slot


class Item(NamedTuple):
    """An entry of a list or a table: the digit of its key or card, and its text."""

    label: str
    content: Message


class Menu(NamedTuple):
    """A list to choose from by a digit, one page at a time."""

    pages: tuple[tuple[Item, ...], ...]
    page: int = 0

    @property
    def shown(self) -> tuple[Item, ...]:
        return self.pages[self.page]

    @property
    def names(self) -> str:
        """The names of all entries, as in scripts."""
        return " ".join(str(item.content) for page in self.pages for item in page)


IDLE = "-----"
"""The big field without a balance."""


class Occupant(Enum):
    """The state of a slot without a player's card."""

    NONE = "empty"
    REFUSED = "refused"


class View(NamedTuple):
    """The content of the screen. Two equal views look the same."""

    field: str
    message: Message | None
    card: int | None
    """The card's number, if it is what the big field shows."""
    occupants: tuple[int | Occupant, int | Occupant]
    """The left and the right slot: a card's number, or the slot's state."""
    volume: int
    edition: str
    middle: Message | None = None
    """The middle of the status row; None: the edition's name, or the minutes left (N4)."""
    lit: bool = True
    test: bool = False
    """Whether the status row shows a T: the console is open, and the balance is not real (D20)."""
    language: Language = Language.ENGLISH
    """The language in which messages and lists are drawn."""
    menu: Menu | None = None
    """Shown instead of the big field and the message line."""
    table: tuple[Item, ...] = ()
    """Cards and their totals, the highest first; shown instead of the big field."""
    minutes_left: int | None = None
    """Of a timed game; shown in the status row instead of the edition."""
    typed: bool = False
    """Whether the big field shows an entry, which is left-aligned; an amount is centred."""
    balance_of: int | None = None
    """With two cards in: the card whose balance shows when nothing covers it (N5)."""

    @property
    def status(self) -> str:
        """The middle of the status row in English; empty when the screen is dark."""
        return self.title(Language.ENGLISH) if self.lit else ""

    def title(self, language: Language) -> str:
        """The middle of the status row."""
        if self.middle:
            return self.middle.translated(language)
        return self.edition if self.minutes_left is None else f"{self.minutes_left} MIN"

    @property
    def said(self) -> str:
        """The message line in the screen's language; empty without a message."""
        return self.message.translated(self.language) if self.message else ""

    def is_filled(self, slot: Slot) -> bool:
        """Whether the slot's badge is filled, not only outlined (N5)."""
        return self.balance_of in (None, self.occupant(slot))

    def occupant(self, slot: Slot) -> int | Occupant:
        left, right = self.occupants
        return left if slot is Slot.LEFT else right


def dark(volume: int, edition: str) -> View:
    """Return the view of a sleeping box."""
    return View("", None, None, (Occupant.NONE, Occupant.NONE), volume, edition, lit=False)


def ledger_error(language: Language = Language.ENGLISH) -> View:
    """Return the view of a box whose ledger was refused; it shows no balances."""
    message = Message(Text.LEDGER_ERROR)
    empty = Occupant.NONE, Occupant.NONE
    return View(IDLE, message, None, empty, 0, "", language=language)
