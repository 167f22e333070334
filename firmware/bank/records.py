"""The records of a ledger: what happened in the bank. A record is written once and never changed.

Account 0 is the bank, account n the card with number n, account 99 the pot of the house rule.
``ledger_state`` and ``game`` interpret the records; a journal makes them durable.
"""

from contextlib import AbstractContextManager
from enum import Enum
from typing import NamedTuple, Protocol, TypeAlias

from firmware.bank.edition import Edition
from firmware.bank.purposes import Purpose

BANK = 0
POT = 99
"""Far above the cards' numbers, so that an edition with more cards does not reach it."""
LONGEST_GAME = 999
"""Minutes of a game against the clock."""


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
    def changes(self) -> tuple[tuple[int, int], ...]:
        """Each account, with the change of its balance."""
        return (self.payer, -self.amount), (self.payee, self.amount)


class Kind(Enum):
    """How a game ends: by the rules of the board, at a bankruptcy, or when time is up."""

    NORMAL = "normal"
    FAST = "fast"
    CLOCK = "clock"


class GameStarted(NamedTuple):
    """A new game becomes the current one."""

    game: int
    edition: Edition
    first_posting: int
    """The number that its first posting has or will have."""
    kind: Kind = Kind.NORMAL
    minutes: int = 0
    """The length of a game against the clock."""
    chosen: bool = False
    """Whether its edition was chosen on the box, not on the command line or in the config file."""


class GameResumed(NamedTuple):
    """An earlier game becomes the current one again."""

    game: int
    after: int
    """The last posting before it, of any game."""


class CardKnown(NamedTuple):
    """A card gets a number, and takes it from the card that had it."""

    number: int
    uid: bytes


class CardForgotten(NamedTuple):
    """A number is free again."""

    number: int


class AccountClosed(NamedTuple):
    """A card was forgotten. Earlier postings of its number in this game belong to no card now."""

    game: int
    number: int
    after: int
    """The last posting before it; the card's balance has been returned by then."""


class AccountRestored(NamedTuple):
    """A forgotten card has its account back (F19)."""

    game: int
    number: int
    closed: int
    """Its ``GameState.closed`` before it was forgotten; 0 for none."""
    bankrupt: int
    """The posting that had made it bankrupt; 0 for none."""


class CardNamed(NamedTuple):
    """A card gets a name; an empty one removes it (N6)."""

    number: int
    name: str


class ReplacementAsked(NamedTuple):
    """The next unknown card takes over this number and its balance."""

    number: int


class ReplacementCancelled(NamedTuple):
    """The replacement for this number was cancelled."""

    number: int


class MadeAgain(NamedTuple):
    """A move that was taken back was made once more, as another posting (C5)."""

    game: int
    original: int
    posting: int


class CountOpened(NamedTuple):
    """The final count starts or continues."""

    game: int
    after: int
    """The last posting before it: a later move makes the count invalid."""


class CountLeft(NamedTuple):
    """The final count is closed; its results are kept."""

    game: int


class Counted(NamedTuple):
    """The final count has added this much to a card's balance, as formats 2 and 3 wrote it.

    A later move makes it invalid (D47).
    """

    game: int
    number: int
    added: int
    after: int


class CountedIn(NamedTuple):
    """A card was in the left slot while the final count was open (F16)."""

    game: int
    number: int


class AmountCounted(NamedTuple):
    """An amount was counted for a card."""

    game: int
    number: int
    amount: int


class AmountUncounted(NamedTuple):
    """The last amount that was counted for a card was taken back."""

    game: int
    number: int


class KindChosen(NamedTuple):
    """The kind of the next new game."""

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


UNDO_LIMIT = 500
"""The number of newest moves of a game that can still be undone."""


class Last(NamedTuple):
    """The newest postings of a game."""

    posting: int = 0
    move: int = 0


class GameState:
    """The state of a game. A field of a game is one line here, and its use in ``Game``.

    Checkpoints are written from these attributes, in this order (``storage/checkpoint.py``).
    """

    def __init__(self, started: GameStarted) -> None:
        self.started = started
        self.balances: dict[int, int] = {BANK: 0}
        self.recent: dict[int, Posting] = {}
        """The newest moves, by number; older ones cannot be undone."""
        self.taken_back: set[int] = set()
        """The moves in ``recent`` that were undone."""
        self.made_again: set[int] = set()
        """Those of them that were made again later, as other moves."""
        self.last = Last()
        self.bankrupt: dict[int, int] = {}
        """The posting that made each card bankrupt."""
        self.used: dict[int, int] = {}
        """The newest posting of each account."""
        self.moved: dict[int, int] = {}
        """The newest move of each account."""
        self.closed: dict[int, int] = {}
        """By number: postings up to this one belong to a card that was forgotten since."""
        self.bankruptcies: set[int] = set()
        """Postings that made a player bankrupt, also of cards that were forgotten since."""
        self.counted: dict[int, tuple[int, ...]] = {}
        """The amounts that the final count has added to each counted card's balance."""
        self.added: dict[int, int] = {}
        """The same as one sum, as formats 2 and 3 counted."""
        self.counting = False
        """Whether the final count is open."""

    def copy(self) -> "GameState":
        snapshot = GameState(self.started)
        for name, value in vars(self).items():
            setattr(snapshot, name, value.copy() if isinstance(value, dict | set) else value)
        return snapshot

    def __eq__(self, other: object) -> bool:
        return isinstance(other, GameState) and vars(self) == vars(other)

    __hash__ = None  # type: ignore[assignment]  # it changes


class NextGame(NamedTuple):
    """The choices made on the box for the next new game."""

    edition: Edition | None = None
    kind: Kind = Kind.NORMAL
    minutes: int = 0


class Checkpoint(NamedTuple):
    """A snapshot of the ledger's state; older records need not be read."""

    game: GameState
    """The current game."""
    newest_game: int = 0
    played: tuple[int, ...] = ()
    """The games before the current one in which money moved, the one played last at the end."""
    last_posting: int = 0
    """Of all games: their postings share one sequence of numbers."""
    cards: tuple[CardKnown, ...] = ()
    names: tuple[CardNamed, ...] = ()
    replacing: int | None = None
    next: NextGame = NextGame()


CountRecord: TypeAlias = (
    CountOpened | CountLeft | Counted | CountedIn | AmountCounted | AmountUncounted
)
AccountRecord: TypeAlias = AccountClosed | AccountRestored
GameRecord: TypeAlias = Posting | MadeAgain | GameResumed | AccountRecord | CountRecord | TimePlayed
"""Changes the state of the current game."""
CardRecord: TypeAlias = (
    CardKnown | CardForgotten | CardNamed | ReplacementAsked | ReplacementCancelled
)
Choice: TypeAlias = KindChosen | EditionChosen | VolumeSet
Record: TypeAlias = GameStarted | GameRecord | CardRecord | Choice | Checkpoint


class JournalFailed(Exception):
    """A record was not made durable, or it is in doubt whether it was."""


class Overtaken(JournalFailed):
    """Nothing was written: another program has written since the journal was last replayed."""


class Journal(Protocol):
    """Where records are kept."""

    def append(self, *records: Record) -> None:
        """Make all of the records durable, or raise JournalFailed: none is, unless in doubt.

        Raises Overtaken if another program has written what they should have been based on.
        """

    def without_other_writers(self) -> AbstractContextManager[None]:
        """Keep other programs from writing until the first append. Raises JournalFailed."""

    def replay(self, game: int | None = None) -> tuple[Record, ...]:
        """The records of the current game, or of another one, and of the cards, in order.

        The first is a checkpoint, unless no game was ever started. A replay of another game does
        not count for ``changed_elsewhere``. Raises JournalFailed.
        """

    def changed_elsewhere(self) -> bool:
        """Whether the journal may differ from what was last appended or replayed.

        Another program has appended records, or the outcome of a failed append became known.
        """

    @property
    def in_doubt(self) -> bool:
        """Whether it is unknown if the records of a failed append are durable."""
