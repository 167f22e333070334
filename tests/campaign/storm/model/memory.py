"""The records of the naive model: cards, accounts, moves, games, and transient displays."""

from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple, TypeAlias

from tests.campaign.storm.model.figures import Edition

MINUTE = 60_000


@dataclass(eq=False)
class Card:
    """A card that is known, or was until it was forgotten [S10, N6]."""

    number: int
    uid: bytes
    name: str = ""
    forgotten: bool = False


@dataclass(eq=False)
class Account:
    """What a number has in one game, until its card is forgotten in that game [F19].

    It stays when the card is forgotten in another game, for the next card with the number [S10].
    """

    number: int
    counted: list[int] | None = None
    """The amounts that were counted for it, or None until it was counted [F16]."""


@dataclass(eq=False)
class Insertion:
    """A card in a slot, from its insertion to its removal.

    An unknown card has neither number nor account; a card may be forgotten meanwhile.
    """

    slot: str
    uid: bytes
    card: Card | None = None
    account: Account | None = None
    refusal: str = ""
    new: bool = False
    """Whether it took its number in this insertion."""
    opened: bool = False
    """Whether it opened its account then, and did not find one [S10]."""

    @property
    def number(self) -> int | None:
        return self.card.number if self.seated and self.card else None

    @property
    def seated(self) -> bool:
        """Whether the bank accepts it; a refused or forgotten card is not seated [S10, S12]."""
        return self.card is not None and not self.card.forgotten and not self.refusal

    @property
    def plays(self) -> bool:
        """Whether it belongs to a player, including one who is out of this game."""
        known = self.card is not None and not self.card.forgotten
        return known and self.refusal in ("", "OUT")


class BankOrPot(Enum):
    """Parties without a card, as the history names them [F13, N4]."""

    BANK = "B"
    POT = "P"

    # Identity is enough, and faster than the hash of Enum.
    __hash__ = object.__hash__


Party: TypeAlias = Insertion | Account | BankOrPot
"""An account moves money without its card when a move is made again [D44]."""


def account_of(party: Party) -> Account | None:
    if isinstance(party, Account):
        return party
    return party.account if isinstance(party, Insertion) else None


def name_of(party: Party) -> str:
    """A party as the history and the status row name it [F13, N4]."""
    if isinstance(party, BankOrPot):
        return party.value
    account = account_of(party)
    return str(account.number) if account else ""


def way(payer: Party, payee: Party) -> str:
    """Who pays whom [N4]."""
    return f"{name_of(payer)}>{name_of(payee)}"


def _holder_of(party: Party) -> "Account | BankOrPot":
    """The account behind an insertion, or the bank or pot itself."""
    if not isinstance(party, Insertion):
        return party
    assert party.account is not None, "an unknown card cannot move money"
    return party.account


@dataclass(eq=False)
class Move:
    """A move of money, and its purpose [F24]."""

    payer: Party
    payee: Party
    amount: int
    what: str
    when: int
    start: int
    """The start of the box at which it was made; the time between two starts is unknown."""
    reversed: bool = False
    made_again: bool = False
    """Whether it was made again after it had been taken back [C5]."""
    card_left: bool = False
    """Whether one of its cards has left its slot since [C2]."""
    payer_holder: Account | BankOrPot = field(init=False)
    payee_holder: Account | BankOrPot = field(init=False)

    def __post_init__(self) -> None:
        self.payer_holder = _holder_of(self.payer)
        self.payee_holder = _holder_of(self.payee)

    @property
    def cards(self) -> list[Insertion]:
        return [party for party in (self.payer, self.payee) if isinstance(party, Insertion)]

    @property
    def accounts(self) -> list[Account]:
        parties = (self.payer, self.payee)
        return [account for party in parties if (account := account_of(party))]


class GameKind(NamedTuple):
    """The kind of a game; only a game against the clock has minutes [F18]."""

    name: str
    minutes: int = 0


NORMAL = GameKind("NORMAL")


@dataclass(eq=False)
class Game:
    edition: Edition
    kind: GameKind
    number: int = 1
    """Games are numbered in the order in which they began [F20]."""
    accounts: dict[int, Account] = field(default_factory=dict)
    """By number, also those whose cards were forgotten in another game."""
    moves: list[Move] = field(default_factory=list)
    played: int = 0
    """Milliseconds, in a game against the clock."""
    saved: int = 0
    """The milliseconds that survive a power cut: whole minutes, and the time before another game
    interrupted this one [F22].
    """

    def save_time(self) -> None:
        self.saved = self.played

    def restore_time(self) -> None:
        self.played = self.saved

    @property
    def active_moves(self) -> list[Move]:
        """The moves that have not been taken back."""
        return [move for move in self.moves if not move.reversed]


class Forgotten(NamedTuple):
    """A card that FORGET just forgot; C restores it [F19, D46]."""

    card: Card
    account: Account


class Message(NamedTuple):
    """A transient message, unlike that of a refused card."""

    text: str
    until: int | None
    """None until the next key or card [G2, C5, F25]."""
    refusal: bool


class Number(NamedTuple):
    """A card's number in the big field."""

    number: int
    name: str
    """Shown beside it on the message line [N6]."""
    until: int


class BalanceOf(NamedTuple):
    """The account whose balance shows from an instant on, until the next key or card [S3, C2]."""

    account: Account
    since: int
