"""What F opens, in the naive model of the box: section 9 of the rules.

The list itself, what moves money, the history, games and cards. Counting is in ``count.py``.
"""

from abc import abstractmethod
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

from sim.storm.model.count import Balances
from sim.storm.model.figures import (
    DIGITS_AND_COMMA,
    EDITIONS,
    IDLE,
    entry_amount,
    entry_text,
    may_follow,
    up_to_a_multiple,
    why_not_typed,
    written,
)
from sim.storm.model.memory import Insertion, Kind, Move, Party, Till, account_of
from sim.storm.model.opened import Opened, Page, Pages

if TYPE_CHECKING:
    from sim.storm.model.model import Model

FIRST_PAGE: Page = {
    "1": "ALL",
    "2": "MORTGAGE",
    "3": "INTEREST",
    "4": "UTILITY",
    "5": "JAIL",
    "6": "HALF",
    "7": "AGAIN",
    "8": "HISTORY",
    "9": "COUNT",
    "0": "GAME",
}
SECOND_PAGE: Page = {"1": "FIGHT LOST", "2": "POT"}
GAME_PAGE: Page = {
    "1": "NORMAL",
    "2": "FAST",
    "3": "CLOCK",
    "4": "EDITION",
    "5": "FORGET",
    "6": "BACK",
}
EDITION_PAGE: Page = {str(digit): name for digit, name in enumerate(sorted(EDITIONS), start=1)}

IN_COUNT = frozenset({"HISTORY", "COUNT", "GAME"})
"""What the list offers while the final count is open, at most [F3]."""

MOST_MINUTES = 999


def after_f(box: "Model") -> Opened:
    """F turns the pages of its list, and opens it wherever else it is pressed [F1, F2]."""
    opened = box.opened
    if isinstance(opened, FList):
        opened.page = (opened.page + 1) % len(opened.pages())
        return opened
    return FList(box)


# The lists


@dataclass
class List(Opened):
    page: int = 0

    def press(self, key: str) -> None:
        shown = self.pages()[self.page]
        if key in shown:
            self.choose(shown[key])
        elif key in DIGITS_AND_COMMA:
            self.box.refuse_and_leave()
        else:
            self.box.refuse_silently()

    @abstractmethod
    def choose(self, name: str) -> None: ...


class FList(List):
    def pages(self) -> Pages:
        possible = _possible(self.box)
        pages = [
            {digit: name for digit, name in page.items() if name in possible}
            for page in (FIRST_PAGE, SECOND_PAGE)
        ]
        return [page for page in pages if page]

    def choose(self, name: str) -> None:
        self.box.opened = _opened_by(self.box, name)


def _possible(box: "Model") -> set[str]:
    """What the list offers now [F3]."""
    left, right = box.seated("left"), box.seated("right")
    names = {"GAME"}
    if right:
        names |= {"MORTGAGE", "INTEREST", "JAIL"}
    if right and right.account and not box.books.is_out(right.account):
        names |= {"ALL"}
    if left and right:
        names |= {"UTILITY"} | ({"FIGHT LOST"} if box.books.edition.fights else set())
    if left:
        names |= {"HALF"}
    if (left or right) and _repeatable(box):
        names |= {"AGAIN"}
    if history(box):
        names |= {"HISTORY"}
    if box.books.known:
        names |= {"COUNT"}
    if box.has_pot and ((left and box.books.in_pot() > 0) or (right and not left)):
        names |= {"POT"}
    return names & IN_COUNT if box.count else names


def _repeatable(box: "Model") -> list[Move]:
    """The newest is what AGAIN moves once more [F11]."""
    return [move for move in box.books.game.standing if move.amount]


def _opened_by(box: "Model", name: str) -> Opened:
    if name == "HISTORY":
        return History(box)
    if name == "COUNT":
        return Balances(box)
    if name == "GAME":
        return GameList(box)
    if name == "UTILITY":
        return Utility(box)
    if name in ("ALL", "JAIL", "AGAIN") or (name == "POT" and box.seated("left")):
        return Confirm(box, name, _payment(box, name))
    return Typed(box, name)


class GameList(List):
    def pages(self) -> Pages:
        missing = set() if self.books.known else {"FORGET"}
        missing |= set() if self.books.before else {"BACK"}
        return [{digit: name for digit, name in GAME_PAGE.items() if name not in missing}]

    def choose(self, name: str) -> None:
        if name in ("NORMAL", "FAST"):
            self.box.opened = None
            if self.box.kept():
                self.books.next_kind = Kind(name)
                self.box.say(f"NEXT {name}")
        elif name == "EDITION":
            self.box.opened = EditionList(self.box)
        elif name == "BACK":
            self.box.opened = Back(self.box)
        else:
            self.box.opened = Minutes(self.box) if name == "CLOCK" else Forget(self.box)


class EditionList(List):
    def pages(self) -> Pages:
        return [EDITION_PAGE]

    def choose(self, name: str) -> None:
        self.box.opened = None
        if self.box.kept():
            self.box.choose_edition(name)
            self.box.say(f"NEXT {name}")


# Money that moves by F


class Payment(NamedTuple):
    payer: Party
    payee: Party
    amount: int
    what: str


def _payment(box: "Model", name: str) -> Payment:
    """What an entry of the list moves without anything being typed."""
    payer, payee = box.by_the_cards()
    if name == "ALL":
        assert isinstance(payer, Insertion)
        assert payer.account is not None
        return Payment(payer, payee, box.books.holds(payer.account), "BANKRUPT")
    if name == "JAIL":
        alone = payee is Till.BANK
        till = Till.POT if box.has_pot and alone else Till.BANK
        return Payment(payer, till, box.books.edition.fine, "FINE")
    if name == "AGAIN":
        return Payment(payer, payee, _repeatable(box)[-1].amount, "PAID")
    return Payment(Till.POT, payee, box.books.in_pot(), "POT")


def _payment_of(box: "Model", name: str, typed: int) -> Payment:
    """What an entry of the list moves when an amount has been typed."""
    payer, payee = box.by_the_cards()
    interest, rounding = Fraction(typed, 10), box.books.edition.rounding
    if name == "MORTGAGE":
        return Payment(payer, Till.BANK, up_to_a_multiple(typed + interest, rounding), "MORTGAGE")
    if name == "INTEREST":
        return Payment(payer, Till.BANK, up_to_a_multiple(interest, rounding), "INTEREST")
    if name == "HALF":
        return Payment(Till.BANK, payee, typed // 2, "SALE")
    if name == "FIGHT LOST":
        return Payment(payer, payee, 10 * typed, "FIGHT")
    return Payment(payer, Till.POT, typed, "TAX")


@dataclass
class Confirm(Opened):
    """What will move shows, and M moves it [F4]."""

    name: str
    payment: Payment

    def press(self, key: str) -> None:
        if key == "M":
            carry_out(self.box, self.payment)
        elif key in DIGITS_AND_COMMA:
            self.box.refuse_and_leave()
        else:
            self.box.refuse_silently()

    def big_field(self) -> str:
        return written(self.payment.amount, self.books.edition)

    def message(self) -> str:
        return f"M = {self.name}"


def carry_out(box: "Model", payment: Payment) -> None:
    box.opened = None
    moved = box.pay(*payment)
    if moved and payment.what == "BANKRUPT" and box.books.bankruptcy_ends_game():
        box.sound = "alarm"
        box.begin_count()


@dataclass
class Typed(Opened):
    """Something is typed; then what will move shows, until something is typed anew [F4]."""

    name: str
    keys: list[str] = field(default_factory=list)
    payment: Payment | None = None
    takes = DIGITS_AND_COMMA

    def press(self, key: str) -> None:
        if key in self.takes:
            self._type(key)
        elif key == "M" and self.payment:
            carry_out(self.box, self.payment)
        elif key in "MK" and not self.payment:
            self._complete(key)
        else:
            self.box.refuse_silently()

    def _type(self, key: str) -> None:
        if self.payment:
            self.keys, self.payment = [], None
        if may_follow(self.keys, key):
            self.keys.append(key)
        else:
            self.box.refuse_silently()

    def _complete(self, unit: str) -> None:
        outcome = self.worked_out(unit)
        self.keys = []
        if isinstance(outcome, str):
            self.box.refuse(outcome)
        else:
            self.payment = outcome

    def worked_out(self, unit: str) -> Payment | str:
        """What will move, or why nothing will."""
        edition = self.books.edition
        why = why_not_typed(self.keys, edition.units[unit], edition)
        if why:
            return why
        typed = int(entry_amount(self.keys, edition.units[unit]))
        payment = _payment_of(self.box, self.name, typed)
        return payment if payment.amount else "NO AMOUNT"

    def big_field(self) -> str:
        if self.payment:
            return written(self.payment.amount, self.books.edition)
        return entry_text(self.keys) or "0"

    def message(self) -> str:
        return f"M = {self.name}" if self.payment else self.name


class Utility(Typed):
    """The total of the dice is typed, and the unit says how many utilities [F8]."""

    takes = "0123456789"

    def __init__(self, box: "Model") -> None:
        super().__init__(box, "UTILITY")

    def worked_out(self, unit: str) -> Payment | str:
        edition, total = self.books.edition, _number(self.keys)
        if not 2 <= total <= 2 * edition.sides:
            return f"DICE 2-{2 * edition.sides}"
        one, both = edition.rents
        rent = one if unit == "K" else both
        return Payment(*self.box.by_the_cards(), total * rent, "RENT")


def _number(keys: list[str]) -> int:
    return int(entry_text(keys) or "0")


# The history


def history(box: "Model") -> list[Move]:
    """The moves that it shows, newest first [F13]."""
    shown = [
        move
        for move in box.books.game.standing
        if not any(account.forgotten for account in move.accounts)
    ]
    return shown[::-1]


@dataclass
class History(Opened):
    at: int = 0
    asks: bool = False
    last_key: int = field(init=False)

    def __post_init__(self) -> None:
        self.last_key = self.box.now

    def press(self, key: str) -> None:
        asked, self.asks = self.asks, False
        self.last_key = self.box.now
        if key == "M":
            self._take_back(asked)
        elif key == "G" and self.at + 1 < len(history(self.box)):
            self.at += 1
        elif key == "," and self.at > 0:
            self.at -= 1
        else:
            self.box.refuse_silently()

    def _take_back(self, asked: bool) -> None:
        if self.box.rulebook_undo:  # [F14]
            self.box.refuse("RULEBOOK ONLY")
        elif self.box.count:
            self.box.refuse("FINAL COUNT")
        elif asked:
            move = history(self.box)[self.at]
            self.box.opened = None
            if _goes_back_to_a_bankrupt(self.box, move):
                self.box.refuse("OUT")
            else:
                self.box.take_back(move)
        else:
            self.asks = True

    def big_field(self) -> str:
        return written(history(self.box)[self.at].amount, self.books.edition)

    def message(self) -> str:
        if self.asks:
            return "M = UNDO"
        move = history(self.box)[self.at]
        return f"{_name(move.payer)}>{_name(move.payee)} {move.what} {_ago(move, self)}"


def _goes_back_to_a_bankrupt(box: "Model", move: Move) -> bool:
    payer = account_of(move.payer)
    return payer is not None and box.books.is_out(payer) and move.what != "BANKRUPT"


def _name(party: Party) -> str:
    return party.value if isinstance(party, Till) else str(party.number)


def _ago(move: Move, seen: History) -> str:
    """How long ago a move was at the last key."""
    if move.start != seen.box.starts:
        return "EARLIER"
    seconds = (seen.last_key - move.when) // 1_000
    if seconds < 60:
        return f"{seconds}S"
    return f"{seconds // 60}MIN" if seconds < 3_600 else f"{seconds // 3_600}H"


# What concerns games and cards


@dataclass
class NumberTyped(Opened):
    """A number is typed, and M completes it."""

    name: str
    keys: list[str] = field(default_factory=list)

    def press(self, key: str) -> None:
        if key == "M":
            why = "" if self.keys else "NO AMOUNT"
            why = why or self.take(_number(self.keys))
            self.keys = []
            if why:
                self.box.refuse(why)
            else:
                self.box.opened = None
        elif key.isdigit() and may_follow(self.keys, key):
            self.keys.append(key)
        else:
            self.box.refuse_silently()

    @abstractmethod
    def take(self, number: int) -> str:
        """Do what the number asks for, or say why not."""

    def big_field(self) -> str:
        return entry_text(self.keys) or "0"

    def message(self) -> str:
        return self.name


class Minutes(NumberTyped):
    """A game against the clock [F18]."""

    def __init__(self, box: "Model") -> None:
        super().__init__(box, "CLOCK")

    def take(self, number: int) -> str:
        if number < 1:
            return "MIN 1"
        if number > MOST_MINUTES:
            return f"MAX {MOST_MINUTES}"
        if self.box.kept():
            self.books.next_kind = Kind("CLOCK", number)
            self.box.say(f"NEXT CLOCK {number}")
        return ""


class Forget(NumberTyped):
    """[F19]."""

    def __init__(self, box: "Model") -> None:
        super().__init__(box, "FORGET")

    def take(self, number: int) -> str:
        if number not in self.books.known:
            return "UNKNOWN CARD"
        if self.box.kept():
            self.box.forget(self.books.known[number])
            self.box.sound = "undo"
            self.box.say("FORGOTTEN")
        return ""


class Back(Opened):
    """[F20]."""

    def press(self, key: str) -> None:
        if key == "M":
            self.box.game_back()
        elif key in DIGITS_AND_COMMA:
            self.box.refuse_and_leave()
        else:
            self.box.refuse_silently()

    def big_field(self) -> str:
        return IDLE

    def message(self) -> str:
        return "M = BACK"
