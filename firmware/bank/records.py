"""The records of a ledger: what has happened in the bank, each written once and never changed.

Account 0 is the bank; account n is the card with number n; one more is the pot of the
house rule. The ledger says what records mean; a journal makes them durable.
"""

from enum import Enum
from typing import NamedTuple, Protocol, TypeAlias

from firmware.edition import Edition

BANK = 0
POT = 99
"""Far beyond the cards: an edition with more of them must not run into it."""


class Purpose(Enum):
    """What a posting was for."""

    OPENING = "opening"
    ENTRY = "entry"
    SALARY = "salary"
    REVERSAL = "reversal"
    RETURN = "return"
    """What a forgotten card held goes back to the bank."""
    BANKRUPTCY = "bankruptcy"
    """All that a card has; alone among the postings it may be nothing."""
    MORTGAGE = "mortgage"
    INTEREST = "interest"
    RENT = "rent"
    FINE = "fine"
    SALE = "sale"
    FIGHT = "fight"
    TAX = "tax"
    POT = "pot"

    @property
    def is_move(self) -> bool:
        """Whether somebody at the table moved the money, and did not merely take it back."""
        return self not in (Purpose.OPENING, Purpose.REVERSAL, Purpose.RETURN)


class Posting(NamedTuple):
    """An amount that went from one account to another."""

    id: int
    game: int
    payer: int
    payee: int
    amount: int
    purpose: Purpose
    reverses: int | None = None

    @property
    def accounts(self) -> frozenset[int]:
        return frozenset((self.payer, self.payee))

    @property
    def may_be_nothing(self) -> bool:
        return self.purpose in (Purpose.BANKRUPTCY, Purpose.REVERSAL)


class Kind(Enum):
    """How a game ends: by the rules of the board, at a bankruptcy, or when time is up."""

    NORMAL = "normal"
    FAST = "fast"
    CLOCK = "clock"


class GameStarted(NamedTuple):
    """From here on this game is played, with this edition."""

    game: int
    edition: Edition
    first_posting: int
    """The number of its first posting, once there is one."""
    kind: Kind = Kind.NORMAL
    minutes: int = 0
    """How long a game against the clock lasts."""
    chosen: bool = False
    """Whether its edition was chosen on the box, and not by those who started the box."""


class GameResumed(NamedTuple):
    """From here on a game goes on that was played before."""

    game: int
    after: int
    """The last posting before it, of whatever game."""


class CardKnown(NamedTuple):
    """A card has a number; whoever had the number before has it no more."""

    number: int
    uid: bytes


class CardForgotten(NamedTuple):
    """A number is free again."""

    number: int


class AccountClosed(NamedTuple):
    """A card was forgotten: what its number did until then, in any game, is nobody's now."""

    game: int
    """The one that was being played."""
    number: int
    after: int
    """The last posting before it; what the card held has gone back by then."""


class ReplacementAsked(NamedTuple):
    """The next unknown card takes over this number and its balance."""

    number: int


class PlayerJoined(NamedTuple):
    """A card was put in for the first time in a game."""

    game: int
    number: int


class CountOpened(NamedTuple):
    """The final count begins, or goes on."""

    game: int
    after: int
    """The last posting before it: once money moves, a count is worth nothing."""


class CountLeft(NamedTuple):
    """The final count is left; what was counted is kept."""

    game: int


class Counted(NamedTuple):
    """In the final count a card has come to this much more than its balance."""

    game: int
    number: int
    added: int
    after: int


class KindChosen(NamedTuple):
    """What the next new game will be."""

    kind: Kind
    minutes: int = 0


class EditionChosen(NamedTuple):
    """The edition of the next new game."""

    edition: Edition


class TimePlayed(NamedTuple):
    """How long a game against the clock has lasted."""

    game: int
    milliseconds: int


class VolumeSet(NamedTuple):
    """The buzzer's volume."""

    level: int


REACH = 500
"""The newest moves of a game that can still be taken back: nobody looks for older ones."""

Figures: TypeAlias = tuple[tuple[int, int], ...]
"""A figure for each of some numbers."""


class GameState(NamedTuple):
    """What a game has come to."""

    started: GameStarted
    balances: Figures = ((BANK, 0),)
    recent: tuple[Posting, ...] = ()
    """The moves within reach."""
    taken_back: tuple[int, ...] = ()
    """Those of them that do not stand."""
    last_posting: int = 0
    """The newest of this game, as is the newest move below."""
    last_move: int = 0
    joined: tuple[int, ...] = ()
    bankrupt: Figures = ()
    """By number, as the three below: the newest posting that says so."""
    used: Figures = ()
    moved: Figures = ()
    closed: Figures = ()
    """What is not newer than this was a card's that has been forgotten since."""
    bankruptcies: tuple[int, ...] = ()
    """The postings by which somebody is out, also of cards that have been forgotten since."""
    added: Figures = ()
    """What the cards counted so far have beyond their balances, the newest last."""
    counting: bool = False
    """Whether the final count is open."""


class Checkpoint(NamedTuple):
    """What the ledger has come to: whoever reads this need not read what was before it."""

    game: GameState
    """The one that is being played."""
    newest_game: int = 0
    game_before: int | None = None
    last_posting: int = 0
    cards: tuple[CardKnown, ...] = ()
    replacing: int | None = None
    next_edition: Edition | None = None
    next_kind: KindChosen = KindChosen(Kind.NORMAL)


Record: TypeAlias = (
    GameStarted
    | GameResumed
    | Posting
    | CardKnown
    | CardForgotten
    | AccountClosed
    | ReplacementAsked
    | PlayerJoined
    | CountOpened
    | CountLeft
    | Counted
    | KindChosen
    | EditionChosen
    | TimePlayed
    | VolumeSet
    | Checkpoint
)


class JournalFailed(Exception):
    """A record could not be made durable: it did not happen, or the journal is in doubt."""


class Replay(NamedTuple):
    """All that is needed to know a game, and where it stands among the others."""

    records: tuple[Record, ...]
    """In order, from a checkpoint on if there is one; none where no game was ever started."""
    newest_game: int = 0
    game_before: int | None = None
    """The one that was played before; None for the first."""
    last_posting: int = 0
    """Of all games: their postings are numbered in one row."""


class Journal(Protocol):
    """Where records are kept."""

    def append(self, *records: Record) -> None:
        """Make all of the records durable, or raise JournalFailed: none is, unless in doubt."""
        ...

    def replay(self, game: int | None = None) -> Replay:
        """All there is, or one game of it, which takes nothing else for read; or JournalFailed."""
        ...

    def changed_elsewhere(self) -> bool:
        """True when there may be other records than were last appended or replayed.

        Another program has appended some, or it has become known what came of a failure.
        """
        ...

    @property
    def in_doubt(self) -> bool:
        """True while nobody can tell whether the records of a failed append are durable."""
        ...
