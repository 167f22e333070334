"""The records of the naive model: cards, moves, games, and transient displays."""

from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple, TypeAlias

from tests.campaign.storm.model.figures import Edition

MINUTE = 60_000


@dataclass(eq=False)
class Account:
    """A card that is known, or was until it was forgotten.

    A forgotten card that returns gets a new account, whatever its number.
    """

    number: int
    uid: bytes
    forgotten: bool = False


@dataclass(eq=False)
class Insertion:
    """A card in a slot, from its insertion to its removal.

    The account is None for an unknown card, and may be forgotten meanwhile.
    """

    slot: str
    uid: bytes
    account: Account | None = None
    refusal: str = ""
    new: bool = False

    @property
    def number(self) -> int | None:
        return self.account.number if self.seated and self.account else None

    @property
    def seated(self) -> bool:
        """Whether the bank accepts it; a refused or forgotten card is not seated [S10, S12]."""
        return self.account is not None and not self.account.forgotten and not self.refusal

    @property
    def plays(self) -> bool:
        """Whether it belongs to a player, including one who is out of this game."""
        known = self.account is not None and not self.account.forgotten
        return known and self.refusal in ("", "OUT")


class BankOrPot(Enum):
    """Parties without a card, as the history names them [F13, N4]."""

    BANK = "B"
    POT = "P"

    # Identity is enough, and faster than the hash of Enum.
    __hash__ = object.__hash__


Party: TypeAlias = Insertion | BankOrPot


def account_of(party: Party) -> Account | None:
    return party.account if isinstance(party, Insertion) else None


def name_of(party: Party) -> str:
    """A party as the history and the status row name it [F13, N4]."""
    if isinstance(party, BankOrPot):
        return party.value
    return str(party.account.number) if party.account else ""


def way(payer: Party, payee: Party) -> str:
    """Who pays whom [N4]."""
    return f"{name_of(payer)}>{name_of(payee)}"


def _holder_of(party: Party) -> "Account | BankOrPot":
    """The account behind an insertion, or the bank or pot itself."""
    if isinstance(party, BankOrPot):
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
        return [account for card in self.cards if (account := card.account)]


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
    moves: list[Move] = field(default_factory=list)
    inserted: list[Account] = field(default_factory=list)
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


class Message(NamedTuple):
    """A transient message, unlike that of a refused card."""

    text: str
    until: int | None
    """None until the next key or card [G2, F25]."""
    refusal: bool


class Number(NamedTuple):
    """A card's number in the big field."""

    number: int
    until: int


class BalanceOf(NamedTuple):
    """The account whose balance shows from an instant on, until the next key or card [S3, C2]."""

    account: Account
    since: int
