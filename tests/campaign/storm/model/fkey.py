"""What F opens in the naive model: section 9 of the rules.

The menu, its payments, the history, games and cards. Counting is in ``count.py``.
"""

from abc import abstractmethod
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

from tests.campaign.storm.model.count import Balances
from tests.campaign.storm.model.dialog import Dialog, Page, Pages
from tests.campaign.storm.model.figures import (
    DIGITS_AND_COMMA,
    EDITIONS,
    IDLE,
    entry_amount,
    entry_error,
    entry_text,
    format_amount,
    may_follow,
    round_up,
)
from tests.campaign.storm.model.memory import (
    BankOrPot,
    Card,
    GameKind,
    Insertion,
    Move,
    Party,
    account_of,
    way,
)

if TYPE_CHECKING:
    from tests.campaign.storm.model.model import Model

FIRST_PAGE: Page = {
    "1": "BANKRUPT",
    "2": "MORTGAGE",
    "3": "INTEREST",
    "4": "UTILITY",
    "5": "FINE",
    "6": "SELL",
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
EDITION_PAGE: Page = {str(digit): name for digit, name in enumerate(EDITIONS, start=1)}

IN_COUNT = frozenset({"HISTORY", "COUNT", "GAME"})
"""The entries that may be offered during the final count [F3]."""

MAX_MINUTES = 999


def after_f(box: "Model") -> Dialog:
    """F turns the pages of its menu, or opens it [F1, F2]."""
    dialog = box.dialog
    if isinstance(dialog, FList):
        dialog.page = (dialog.page + 1) % len(dialog.pages())
        return dialog
    return FList(box)


# Menus


@dataclass
class ListDialog(Dialog):
    page: int = 0

    @property
    def closes_by_itself(self) -> bool:
        return True

    def press(self, key: str) -> None:
        shown = self.pages()[self.page]
        if key in shown:
            self.choose(shown[key])
        elif key in DIGITS_AND_COMMA:
            self.box.interrupt()
        else:
            self.box.refuse_without_message()

    @abstractmethod
    def choose(self, name: str) -> None: ...


class FList(ListDialog):
    def pages(self) -> Pages:
        possible = _offered(self.box)
        pages = [
            {digit: name for digit, name in page.items() if name in possible}
            for page in (FIRST_PAGE, SECOND_PAGE)
        ]
        return [page for page in pages if page]

    def choose(self, name: str) -> None:
        self.box.dialog = _dialog_for(self.box, name)


def _offered(box: "Model") -> set[str]:
    """The entries that the menu offers now [F3]."""
    left, right = box.seated("left"), box.seated("right")
    names = {"GAME"}
    if right:
        names |= {"MORTGAGE", "INTEREST", "FINE"}
    if right and right.account and not box.ledger.is_out(right.account):
        names |= {"BANKRUPT"}
    if left and right:
        names |= {"UTILITY"} | ({"FIGHT LOST"} if box.ledger.edition.fights else set())
    if left:
        names |= {"SELL"}
    if (left or right) and _repeatable(box):
        names |= {"AGAIN"}
    if history(box):
        names |= {"HISTORY"}
    if box.ledger.known:
        names |= {"COUNT"}
    if box.has_pot and (not left or box.ledger.in_pot() > 0):  # [F23]
        names |= {"POT"}
    return names & IN_COUNT if box.count else names


def _repeatable(box: "Model") -> list[Move]:
    """The moves that AGAIN can repeat; it repeats the newest [F11]."""
    return [move for move in box.ledger.game.active_moves if move.amount]


def _dialog_for(box: "Model", name: str) -> Dialog:
    if name == "HISTORY":
        return History(box)
    if name == "COUNT":
        return Balances(box)
    if name == "GAME":
        return GameList(box)
    if name == "UTILITY":
        return Utility(box)
    if name == "BANKRUPT":
        return Bankrupt(box, name, _payment(box, name))
    if name in ("FINE", "AGAIN") or (name == "POT" and box.seated("left")):
        return ConfirmDialog(box, name, _payment(box, name))
    return AmountDialog(box, name, *_parties(box, name))


class GameList(ListDialog):
    def pages(self) -> Pages:
        missing = set() if self.ledger.known else {"FORGET"}
        missing |= set() if self.ledger.before else {"BACK"}
        return [{digit: name for digit, name in GAME_PAGE.items() if name not in missing}]

    def choose(self, name: str) -> None:
        if name in ("NORMAL", "FAST"):
            self.box.dialog = None
            if self.box.commit_or_refuse():
                self.ledger.next_kind = GameKind(name)
                self.box.show_message(f"NEXT GAME {name}")
        elif name == "EDITION":
            self.box.dialog = EditionList(self.box)
        elif name == "BACK":
            self.box.dialog = Back(self.box)
        else:
            self.box.dialog = Minutes(self.box) if name == "CLOCK" else Forget(self.box)


class EditionList(ListDialog):
    def pages(self) -> Pages:
        return [EDITION_PAGE]

    def choose(self, name: str) -> None:
        self.box.dialog = None
        if self.box.commit_or_refuse():
            self.box.choose_edition(name)
            self.box.show_message(f"NEXT {name}")


# Payments by F


class Payment(NamedTuple):
    payer: Party
    payee: Party
    amount: int
    what: str


def _payment(box: "Model", name: str) -> Payment:
    """The payment of an entry that needs no amount."""
    payer, payee = box.payer_and_payee()
    if name == "BANKRUPT":
        assert isinstance(payer, Insertion)
        assert payer.account is not None
        return Payment(payer, payee, box.ledger.holds(payer.account), "BANKRUPT")
    if name == "FINE":
        till = BankOrPot.POT if box.has_pot else BankOrPot.BANK
        return Payment(payer, till, box.ledger.edition.fine, "FINE")
    if name == "AGAIN":
        return Payment(payer, payee, _repeatable(box)[-1].amount, "PAID")
    return Payment(BankOrPot.POT, payee, box.ledger.in_pot(), "POT")


def _parties(box: "Model", name: str) -> tuple[Party, Party]:
    """Payer and payee of an entry for which an amount is typed; they are settled at once [N3]."""
    payer, payee = box.payer_and_payee()
    if name in ("MORTGAGE", "INTEREST"):
        return payer, BankOrPot.BANK
    if name == "SELL":
        return BankOrPot.BANK, payee
    return payer, BankOrPot.POT if name == "POT" else payee


def _amount_and_purpose(box: "Model", name: str, typed: int, payer: Party) -> tuple[int, str]:
    """What moves for an amount that was typed, and what for."""
    interest, rounding = Fraction(typed, 10), box.ledger.edition.rounding
    if name == "MORTGAGE":
        return round_up(typed + interest, rounding), "MORTGAGE"
    if name == "INTEREST":
        return round_up(interest, rounding), "INTEREST"
    if name == "SELL":
        return typed // 2, "SALE"
    if name == "FIGHT LOST":
        return 10 * typed, "FIGHT"
    return typed, "POT" if payer is BankOrPot.BANK else "TAX"  # [F23]


def _cards(*parties: Party) -> list[Insertion]:
    return [party for party in parties if isinstance(party, Insertion)]


@dataclass
class ConfirmDialog(Dialog):
    """Shows a payment; M confirms it [F4]."""

    name: str
    payment: Payment

    @property
    def needs(self) -> list[Insertion]:
        return _cards(self.payment.payer, self.payment.payee)

    @property
    def way(self) -> str:
        return way(self.payment.payer, self.payment.payee)

    def press(self, key: str) -> None:
        if key == "M":
            self.confirm()
        elif key in DIGITS_AND_COMMA:
            self.box.interrupt()
        else:
            self.box.refuse_without_message()

    def confirm(self) -> None:
        carry_out(self.box, self.payment)

    def big_field(self) -> str:
        return format_amount(self.payment.amount, self.ledger.edition)

    def message(self) -> str:
        return f"{self.name}? M"


class Bankrupt(ConfirmDialog):
    """A bankruptcy; M must be held for a second [F5]."""

    m_down_since: int | None = None

    def confirm(self) -> None:
        self.m_down_since = self.box.now

    def let_go(self) -> None:
        """M is released before its time, or counts as released because of another key."""
        if self.m_down_since is not None:
            self.m_down_since = None
            self.box.refuse_without_message()

    def held_long_enough(self) -> None:
        carry_out(self.box, self.payment)

    def message(self) -> str:
        return "BANKRUPT? HOLD M"


def carry_out(box: "Model", payment: Payment) -> None:
    box.dialog = None
    if box.pay(*payment) and payment.what == "BANKRUPT":
        _after_bankruptcy(box)


def _after_bankruptcy(box: "Model") -> None:
    if box.ledger.bankruptcy_ends_game():  # [F21]
        box.sound = "alarm"
        box.open_count()
    elif box.ledger.game.kind.name != "FAST" and len(box.ledger.players()) == 1:  # [F25]
        box.sound = "alarm"
        box.show_message(f"WINNER {box.ledger.players()[0].number}", lasts=True)


@dataclass
class AmountDialog(Dialog):
    """An amount is typed; then the payment shows until M or another key [F4]."""

    name: str
    payer: Party
    payee: Party
    keys: list[str] = field(default_factory=list)
    payment: Payment | None = None
    takes = DIGITS_AND_COMMA

    @property
    def needs(self) -> list[Insertion]:
        return _cards(self.payer, self.payee)

    @property
    def way(self) -> str:
        return way(self.payer, self.payee)

    def press(self, key: str) -> None:
        if key in self.takes:
            self._type(key)
        elif key == "M" and self.payment:
            carry_out(self.box, self.payment)
        elif key in "MK" and not self.payment:
            self._complete(key)
        else:
            self.box.refuse_without_message()

    def _type(self, key: str) -> None:
        if self.payment:
            self.keys, self.payment = [], None
        if may_follow(self.keys, key):
            self.keys.append(key)
        else:
            self.box.refuse_without_message()

    def _complete(self, unit: str) -> None:
        outcome = self.compute(unit)
        self.keys = []
        if isinstance(outcome, str):
            self.box.refuse(outcome)
        else:
            self.payment = outcome

    def compute(self, unit: str) -> Payment | str:
        """The payment, or the message that refuses it."""
        edition = self.ledger.edition
        why = entry_error(self.keys, edition.units[unit], edition)
        if why:
            return why
        typed = int(entry_amount(self.keys, edition.units[unit]))
        amount, what = _amount_and_purpose(self.box, self.name, typed, self.payer)
        return Payment(self.payer, self.payee, amount, what) if amount else "NO AMOUNT"

    def big_field(self) -> str:
        if self.payment:
            return format_amount(self.payment.amount, self.ledger.edition)
        return entry_text(self.keys) or "0"

    def message(self) -> str:
        return f"{self.name}? M" if self.payment else self.name


class Utility(AmountDialog):
    """The total of the dice is typed; the unit key says how many utilities [F8]."""

    takes = "0123456789"

    def __init__(self, box: "Model") -> None:
        super().__init__(box, "UTILITY", *_parties(box, "UTILITY"))

    def compute(self, unit: str) -> Payment | str:
        edition, total = self.ledger.edition, _number(self.keys)
        if not 2 <= total <= 2 * edition.sides:
            return f"DICE 2-{2 * edition.sides}"
        one, both = edition.rents
        rent = one if unit == "K" else both
        return Payment(self.payer, self.payee, total * rent, "RENT")


def _number(keys: list[str]) -> int:
    return int(entry_text(keys) or "0")


# History


def history(box: "Model") -> list[Move]:
    """The moves in the history, newest first; those that were taken back, too [F13]."""
    shown = [
        move
        for move in box.ledger.game.moves
        if not move.made_again and all(map(box.ledger.has_card, move.accounts))
    ]
    return shown[::-1]


@dataclass
class History(Dialog):
    at: int = 0
    asks: bool = False
    last_key: int = field(init=False)

    def __post_init__(self) -> None:
        self.last_key = self.box.now

    @property
    def closes_by_itself(self) -> bool:
        return not self.asks

    @property
    def way(self) -> str:
        """The way that the money would go, back or once more."""
        move = self._move
        if not self.asks:
            return ""
        return way(move.payer, move.payee) if move.reversed else way(move.payee, move.payer)

    @property
    def _move(self) -> Move:
        return history(self.box)[self.at]

    def press(self, key: str) -> None:
        asked, self.asks = self.asks, False
        self.last_key = self.box.now
        if key == "M":
            self._ask_or_do(asked)
        elif key == "G" and self.at + 1 < len(history(self.box)):
            self.at += 1
        elif key == "," and self.at > 0:
            self.at -= 1
        elif key.isdigit():
            self.box.interrupt()  # [N3]
        else:
            self.box.refuse_without_message()

    def _ask_or_do(self, asked: bool) -> None:
        move = self._move
        if self.box.rulebook_undo:  # [F14]
            self.box.refuse("RULEBOOK ONLY")
        elif self.box.count:
            self.box.refuse("FINAL COUNT")
        elif move.reversed and move.what == "BANKRUPT":
            self.box.refuse_without_message()
        elif not asked:
            self.asks = True
        else:
            self.box.dialog = None
            if move.reversed:
                self.box.make_again(move)
            else:
                self._take_back(move)

    def _take_back(self, move: Move) -> None:
        if _refunds_bankrupt(self.box, move):
            self.box.refuse("OUT")
            return
        self.box.take_back(move)
        if move.reversed:
            self.box.offer_again(move)

    def big_field(self) -> str:
        return format_amount(self._move.amount, self.ledger.edition)

    def message(self) -> str:
        move = self._move
        if self.asks:
            return "AGAIN? M" if move.reversed else "UNDO? M"
        when = "UNDONE" if move.reversed else _ago(move, self)
        return f"{way(move.payer, move.payee)} {move.what} {when}"


def _refunds_bankrupt(box: "Model", move: Move) -> bool:
    payer = account_of(move.payer)
    return payer is not None and box.ledger.is_out(payer) and move.what != "BANKRUPT"


def _ago(move: Move, dialog: History) -> str:
    """The age of a move at the last key."""
    if move.start != dialog.box.starts:
        return "EARLIER"
    seconds = (dialog.last_key - move.when) // 1_000
    if seconds < 60:
        return f"{seconds}S"
    return f"{seconds // 60}MIN" if seconds < 3_600 else f"{seconds // 3_600}H"


# Games and cards


@dataclass
class NumberDialog(Dialog):
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
        elif key.isdigit() and may_follow(self.keys, key):
            self.keys.append(key)
        else:
            self.box.refuse_without_message()

    @abstractmethod
    def take(self, number: int) -> str:
        """Accept the number, or return the message that refuses it."""

    def big_field(self) -> str:
        return entry_text(self.keys) or "0"

    def message(self) -> str:
        return self.name


class Minutes(NumberDialog):
    """The minutes of a game against the clock [F18]."""

    def __init__(self, box: "Model") -> None:
        super().__init__(box, "CLOCK")

    def take(self, number: int) -> str:
        if number < 1:
            return "MIN 1"
        if number > MAX_MINUTES:
            return f"MAX {MAX_MINUTES}"
        self.box.dialog = None
        if self.box.commit_or_refuse():
            self.ledger.next_kind = GameKind("CLOCK", number)
            self.box.show_message(f"NEXT GAME {number} MIN")
        return ""


class Forget(NumberDialog):
    """Forgets a card, after showing its balance [F19]."""

    card: Card | None = None
    """The card that M forgets."""

    def __init__(self, box: "Model") -> None:
        super().__init__(box, "FORGET")

    @property
    def way(self) -> str:
        return f"{self.card.number}>B" if self.card else ""

    def press(self, key: str) -> None:
        if self.card and key == "M":
            self._forget(self.card)
            return
        if key.isdigit():  # a digit types a new number [F4]
            self.card = None
        if self.card:
            self.box.refuse_without_message()
        else:
            super().press(key)

    def _forget(self, card: Card) -> None:
        self.box.dialog = None
        if self.box.commit_or_refuse():
            self.box.status_shown = f"{self.way} {self.big_field()}"  # [N4]
            self.box.forget(card)
            self.box.sound = "undo"
            self.box.show_message("FORGOTTEN")

    def take(self, number: int) -> str:
        if number not in self.ledger.known:
            return "UNKNOWN CARD"
        self.card = self.ledger.known[number]
        return ""

    def big_field(self) -> str:
        if self.card:
            held = self.ledger.balances[self.card.number]
            return format_amount(held, self.ledger.edition)
        return super().big_field()

    def message(self) -> str:
        return f"FORGET {self.card.number}? M" if self.card else super().message()


class Back(Dialog):
    """Goes back to the game played last before this one [F20]."""

    def press(self, key: str) -> None:
        if key == "M":
            self.box.game_back()
        elif key in DIGITS_AND_COMMA:
            self.box.interrupt()
        else:
            self.box.refuse_without_message()

    def big_field(self) -> str:
        return IDLE

    def message(self) -> str:
        return f"GAME {self.ledger.before.number}? M" if self.ledger.before else ""
