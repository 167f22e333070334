"""What a screen is asked to show: the texts of the box, before they become pixels."""

from enum import Enum
from typing import NamedTuple

from hal.events import Slot
from hal.language import Language, in_language


class Text(Enum):
    """Every text of the message line; an amount or a number may follow it.

    ``hal/language.py`` has each in the other languages.
    """

    NO_CARD = "NO CARD"
    NO_AMOUNT = "NO AMOUNT"
    MIN = "MIN"
    MAX = "MAX"
    STEP = "STEP"
    NO_FUNDS = "NO FUNDS"
    FULL = "FULL"
    ALREADY_PAID = "ALREADY PAID"
    LEFT_CARD_ONLY = "LEFT CARD ONLY"
    SAME_CARD = "SAME CARD"
    UNKNOWN_CARD = "UNKNOWN CARD"
    ONE_CARD = "ONE CARD"
    NEW_CARD = "NEW CARD"
    REPLACED = "REPLACED"
    NOTHING_TO_UNDO = "NOTHING TO UNDO"
    NEW_GAME = "NEW GAME"
    NEW_GAME_IN = "NEW GAME IN"
    VOLUME = "VOLUME"
    LEFT_READER = "LEFT READER"
    RIGHT_READER = "RIGHT READER"
    LOW_POWER = "LOW POWER"
    ERROR = "ERROR"
    LEDGER_ERROR = "LEDGER ERROR"
    WHOLE_AMOUNT = ""

    # What F offers.
    ALL = "ALL"
    MORTGAGE = "MORTGAGE"
    INTEREST = "INTEREST"
    UTILITY = "UTILITY"
    JAIL = "JAIL"
    HALF = "HALF"
    AGAIN = "AGAIN"
    HISTORY = "HISTORY"
    COUNT = "COUNT"
    GAME = "GAME"
    FIGHT_LOST = "FIGHT LOST"
    POT = "POT"
    NORMAL = "NORMAL"
    FAST = "FAST"
    CLOCK = "CLOCK"
    EDITION = "EDITION"
    FORGET = "FORGET"
    BACK = "BACK"

    # What F says.
    OUT = "OUT"
    DICE = "DICE"
    UNDO = "UNDO"
    RULEBOOK_ONLY = "RULEBOOK ONLY"
    FINAL_COUNT = "FINAL COUNT"
    WINNER = "WINNER"
    NEXT = "NEXT"
    NEXT_CLOCK = "NEXT CLOCK"
    FORGOTTEN = "FORGOTTEN"
    GAME_BACK = "GAME BACK"
    TIME = "TIME"

    # What a move of the history was for, where no text above says it.
    PAID = "PAID"
    SALARY = "SALARY"
    BANKRUPT = "BANKRUPT"
    RENT = "RENT"
    FINE = "FINE"
    SALE = "SALE"
    FIGHT = "FIGHT"
    TAX = "TAX"
    EARLIER = "EARLIER"


class Message(NamedTuple):
    """A text, the amount, number or text that follows it, and what leads up to it."""

    text: Text
    detail: str | Text = ""
    lead: str = ""

    def __str__(self) -> str:
        """As the rules and the scripts have it: in English, whoever reads the screen."""
        return self.spoken(Language.ENGLISH)

    def spoken(self, language: Language) -> str:
        detail = self.detail if isinstance(self.detail, str) else self.detail.value
        if isinstance(self.detail, Text):
            detail = in_language(detail, language)
        words = (self.lead, in_language(self.text.value, language), detail)
        return " ".join(word for word in words if word)


class Item(NamedTuple):
    """One place of a list: the key or the card it belongs to, and what is said of it."""

    label: str
    content: Message


class Menu(NamedTuple):
    """A list to choose from by a digit; one of its pages shows."""

    pages: tuple[tuple[Item, ...], ...]
    page: int = 0

    @property
    def shown(self) -> tuple[Item, ...]:
        return self.pages[self.page]

    @property
    def names(self) -> str:
        """Every entry, as scripts have it."""
        return " ".join(str(item.content) for page in self.pages for item in page)


IDLE = "-----"
"""The big field when there is no balance to show."""


class Tenant(Enum):
    """What the status row says of a slot, where it holds no player's card."""

    NOBODY = "empty"
    REFUSED = "refused"


class View(NamedTuple):
    """One screenful. Two views that are equal look the same."""

    field: str
    message: Message | None
    card: int | None
    """The card's number, while the big field shows just that."""
    tenants: tuple[int | Tenant, int | Tenant]
    """Left and right slot: a card's number, or why there is none."""
    volume: int
    edition: str
    lit: bool = True
    test: bool = False
    """Whether the status row says TEST: the money shown is nobody's."""
    language: Language = Language.ENGLISH
    """What messages and lists are read in; the messages themselves are the same in all of them."""
    menu: Menu | None = None
    """Shows in place of the big field and the message line."""
    table: tuple[Item, ...] = ()
    """Cards and what they have, best first; shows in place of the big field."""
    minutes_left: int | None = None
    """Of a game against the clock; the status row says it in place of the edition."""

    @property
    def said(self) -> str:
        """The message line as the people at the table read it; empty without a message."""
        return self.message.spoken(self.language) if self.message else ""

    def tenant(self, slot: Slot) -> int | Tenant:
        left, right = self.tenants
        return left if slot is Slot.LEFT else right


def dark(volume: int, edition: str) -> View:
    """The screen of a sleeping box."""
    return View("", None, None, (Tenant.NOBODY, Tenant.NOBODY), volume, edition, lit=False)


def ledger_error(language: Language = Language.ENGLISH) -> View:
    """The screen of a box that cannot trust its ledger, and so shows no money at all."""
    message = Message(Text.LEDGER_ERROR)
    nobody = Tenant.NOBODY, Tenant.NOBODY
    return View(IDLE, message, None, nobody, 0, "", language=language)
