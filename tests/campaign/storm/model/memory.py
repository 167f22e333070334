"""What the model remembers: cards, moves, games, and what shows for a while."""

from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple, TypeAlias

from sim.storm.model.figures import Edition

MINUTE = 60_000


@dataclass(eq=False)
class Account:
    """A card that the bank knows, or knew until it was forgotten.

    A card that comes back after that has another account, whatever its number.
    """

    number: int
    uid: bytes
    forgotten: bool = False


@dataclass(eq=False)
class Insertion:
    """A card in a slot, from the moment it is put in until it is taken out.

    Its account may have been forgotten meanwhile; without one it is a stranger's.
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
        """Whether it is there for the bank; a refused or a forgotten one is not [S10, S12]."""
        return self.account is not None and not self.account.forgotten and not self.refusal

    @property
    def plays(self) -> bool:
        """Whether it is a player's, be he out of this game."""
        known = self.account is not None and not self.account.forgotten
        return known and self.refusal in ("", "OUT")


class Till(Enum):
    """Who pays or receives without a card, as the history names them [F13]."""

    BANK = "B"
    POT = "P"

    # Each is itself and nobody else; an Enum's own way to say so takes its time.
    __hash__ = object.__hash__


Party: TypeAlias = Insertion | Till


def account_of(party: Party) -> Account | None:
    return party.account if isinstance(party, Insertion) else None


def _purse_of(party: Party) -> "Account | Till":
    """Whose money it is, whichever visit of a card it was."""
    if isinstance(party, Till):
        return party
    assert party.account is not None, "a stranger's card moves no money"
    return party.account


@dataclass(eq=False)
class Move:
    """Money that changed hands, and what for [F24]."""

    payer: Party
    payee: Party
    amount: int
    what: str
    when: int
    start: int
    """At which start of the box: nobody knows how long the power was off."""
    reversed: bool = False
    from_whom: Account | Till = field(init=False)
    to_whom: Account | Till = field(init=False)

    def __post_init__(self) -> None:
        self.from_whom = _purse_of(self.payer)
        self.to_whom = _purse_of(self.payee)

    @property
    def cards(self) -> list[Insertion]:
        return [party for party in (self.payer, self.payee) if isinstance(party, Insertion)]

    @property
    def accounts(self) -> list[Account]:
        return [account for card in self.cards if (account := card.account)]


class Kind(NamedTuple):
    """What a game is; one against the clock has minutes [F18]."""

    name: str
    minutes: int = 0


NORMAL = Kind("NORMAL")


@dataclass(eq=False)
class Game:
    edition: Edition
    kind: Kind
    moves: list[Move] = field(default_factory=list)
    put_in: list[Account] = field(default_factory=list)
    played: int = 0
    """Milliseconds, in a game against the clock."""
    kept: int = 0
    """How many of them a power cut cannot take away any more: those of whole minutes, and of
    what another game has interrupted [F22]."""

    def keep_time(self) -> None:
        self.kept = self.played

    def lose_time(self) -> None:
        self.played = self.kept

    @property
    def standing(self) -> list[Move]:
        """The moves that have not been taken back."""
        return [move for move in self.moves if not move.reversed]


class Astray(Enum):
    """Whether digits were meant for something that is not open, and one was refused [D26]."""

    NO = 0
    EXPECTED = 1
    REFUSED = 2


class Message(NamedTuple):
    """A message that passes, unlike that of a refused card."""

    text: str
    until: int
    refusal: bool


class Number(NamedTuple):
    """A card's number in the big field."""

    number: int
    until: int


class Payee(NamedTuple):
    """The payee of the last transfer, whose balance shows from an instant on [S3]."""

    account: Account
    since: int
