"""The ledger: double entry, every move a posting from one account to another.

Account 0 is the bank; account n is the card with number n. A posting takes an
amount from a payer and gives it to a payee, so the sum over all accounts is
zero, always. Balances are derived from postings. Nothing is ever changed or
deleted: a reversal is one more posting, and a new game leaves the old one where
it is.

The ledger decides and remembers; it does no I/O. It hands records to a journal,
which makes them durable or raises ``JournalFailed``, and believes them only
after that.
"""

from collections.abc import Iterable
from enum import Enum
from typing import NamedTuple, Protocol, TypeAlias

from firmware.edition import Edition
from hal.sounds import LOUDEST
from hal.view import Text

BANK = 0
NEW_BOX_VOLUME = 2


class Purpose(Enum):
    """What a posting was for."""

    OPENING = "opening"
    ENTRY = "entry"
    SALARY = "salary"
    REVERSAL = "reversal"
    RETURN = "return"
    """What a forgotten card held goes back to the bank."""


class Posting(NamedTuple):
    """An amount that went from one account to another."""

    id: int
    game: int
    payer: int
    payee: int
    amount: int
    purpose: Purpose
    reverses: int | None = None


class GameStarted(NamedTuple):
    """From here on this game is played, with this edition."""

    game: int
    edition: Edition
    first_posting: int
    """The number of its first posting, once there is one."""


class CardKnown(NamedTuple):
    """A card has a number; whoever had the number before has it no more."""

    number: int
    uid: bytes


class CardForgotten(NamedTuple):
    """A number is free again."""

    number: int


class ReplacementAsked(NamedTuple):
    """The next unknown card takes over this number and its balance."""

    number: int


class VolumeSet(NamedTuple):
    """The buzzer's volume."""

    level: int


Record: TypeAlias = GameStarted | Posting | CardKnown | CardForgotten | ReplacementAsked | VolumeSet


class JournalFailed(Exception):
    """A record could not be made durable, and so did not happen."""


class Journal(Protocol):
    """Where records are kept."""

    def append(self, *records: Record) -> None:
        """Make all of the records durable, or none of them and raise JournalFailed."""
        ...

    def replay(self) -> Iterable[Record]:
        """All that is needed to know the newest game, in order, or raise JournalFailed."""
        ...

    def changed_elsewhere(self) -> bool:
        """True when another program has appended records since this was last asked."""
        ...


class Admission(NamedTuple):
    """How an unknown card came to its number."""

    number: int
    replaces: bool


class Ledger:
    """The accounts of the newest game, and the cards that the box knows."""

    def __init__(self, journal: Journal, edition: Edition) -> None:
        """Read the journal; a journal without a game starts its first, in this edition."""
        self._journal = journal
        self._game = 0
        self._stale = False
        self._replay()
        if self._game == 0:
            self.new_game(edition)

    def _replay(self) -> None:
        records = list(self._journal.replay())
        self._last_posting = 0
        self._cards: dict[bytes, int] = {}
        self._replacing: int | None = None
        self._volume = NEW_BOX_VOLUME
        for record in records:
            self._believe(record)

    def refresh(self) -> bool:
        """Take in what another program wrote; True when there was something."""
        self._stale = self._journal.changed_elsewhere() or self._stale
        if not self._stale:
            return False
        try:
            self._replay()
        except JournalFailed:
            return False
        self._stale = False
        return True

    @property
    def game(self) -> int:
        return self._game

    @property
    def edition(self) -> Edition:
        """The edition that the newest game is played with."""
        return self._edition

    @property
    def untouched(self) -> bool:
        """True while nothing has moved in this game but opening balances."""
        opening = self._edition.opening_balance
        return all(self.balance(number) == opening for number in self.cards) and (
            -self.balance(BANK) == opening * len(self.cards)
        )

    @property
    def volume(self) -> int:
        return self._volume

    @property
    def cards(self) -> dict[int, bytes]:
        """The known cards of this edition, by number."""
        by_number = {number: uid for uid, number in self._cards.items()}
        return {n: by_number[n] for n in sorted(by_number) if n <= self._edition.cards}

    @property
    def replacing(self) -> int | None:
        """The number that the next unknown card takes over."""
        return self._replacing

    @property
    def accounts(self) -> dict[int, int]:
        """Every balance of this game, the bank's and forgotten cards' included."""
        return dict(self._balances)

    def balance(self, account: int) -> int:
        return self._balances.get(account, 0)

    def number_of(self, uid: bytes) -> int | None:
        """The number of a card, or None when the box does not know it."""
        number = self._cards.get(uid)
        return number if number is not None and number <= self._edition.cards else None

    def refusal(self, payer: int, payee: int, amount: int) -> Text | None:
        """Why an amount cannot move (M8), or None when it can."""
        if payer != BANK and self.balance(payer) < amount:
            return Text.NO_FUNDS
        if payee != BANK and self.balance(payee) + amount > self._edition.fullest:
            return Text.FULL
        return None

    def move(self, payer: int, payee: int, amount: int, purpose: Purpose) -> Posting:
        """Move an amount that is not refused."""
        assert self.refusal(payer, payee, amount) is None, "a refused move was made"
        posting = self._posting(payer, payee, amount, purpose)
        self._record(posting)
        return posting

    def reverse(self, posting: Posting) -> None:
        """Give back what a posting moved; the journal sees that nobody does so twice."""
        assert posting.game == self._game, "a game that is over stays as it ended"
        back = self._posting(
            posting.payee, posting.payer, posting.amount, Purpose.REVERSAL, posting.id
        )
        self._record(back)

    def admit(self, uid: bytes, *, elsewhere: int | None = None) -> Admission | None:
        """Give an unknown card a number (S10), or None when all are taken.

        A replacement that was asked for comes first, unless the card that was said
        to be lost is in the box after all: ``elsewhere``, the number in the other slot.
        """
        assert self.number_of(uid) is None, "a known card needs no number"
        if self._replacing is not None and self._replacing != elsewhere:
            number = self._replacing
            self._record(CardKnown(number, uid))
            return Admission(number, replaces=True)
        taken = set(self._cards.values())
        free = [n for n in range(1, self._edition.cards + 1) if n not in taken]
        if not free:
            return None
        self._record(CardKnown(free[0], uid), *self._openings([free[0]], self._game))
        return Admission(free[0], replaces=False)

    def forget(self, number: int) -> None:
        """Free a number; what its account holds goes back to the bank."""
        held = self.balance(number)
        back = [self._posting(number, BANK, held, Purpose.RETURN)] if held else []
        self._record(*back, CardForgotten(number))

    def ask_replacement(self, number: int) -> None:
        """Let the next unknown card take over a number and its balance."""
        self._record(ReplacementAsked(number))

    def know(self, uids: Iterable[bytes]) -> None:
        """Give several cards their numbers at once, as for a new box's stock cards."""
        numbered = list(enumerate(uids, start=1))
        known = [CardKnown(number, uid) for number, uid in numbered]
        self._record(*known, *self._openings([number for number, _ in numbered], self._game))

    def new_game(self, edition: Edition) -> None:
        """Start a game in which every known card has the opening balance (C4)."""
        game = self._game + 1
        numbers = sorted(n for n in self._cards.values() if n <= edition.cards)
        openings = self._openings(numbers, game, edition)
        self._record(GameStarted(game, edition, self._last_posting + 1), *openings)

    def set_volume(self, level: int) -> None:
        self._record(VolumeSet(level))

    def _openings(
        self, numbers: list[int], game: int, edition: Edition | None = None
    ) -> list[Posting]:
        amount = (edition or self._edition).opening_balance
        if amount == 0:
            return []
        first = self._last_posting + 1
        return [
            Posting(first + index, game, BANK, number, amount, Purpose.OPENING)
            for index, number in enumerate(numbers)
        ]

    def _posting(
        self, payer: int, payee: int, amount: int, purpose: Purpose, reverses: int | None = None
    ) -> Posting:
        return Posting(self._last_posting + 1, self._game, payer, payee, amount, purpose, reverses)

    def _record(self, *records: Record) -> None:
        self._journal.append(*records)
        for record in records:
            self._believe(record)

    def _believe(self, record: Record) -> None:
        """Take in a record that is durable."""
        match record:
            case Posting():
                self._book(record)
            case GameStarted():
                self._game = record.game
                self._edition = record.edition
                self._last_posting = record.first_posting - 1
                self._balances = {BANK: 0}
            case CardKnown():
                self._cards = {u: n for u, n in self._cards.items() if n != record.number}
                self._cards[record.uid] = record.number
                if self._replacing == record.number:
                    self._replacing = None
            case CardForgotten():
                self._cards = {u: n for u, n in self._cards.items() if n != record.number}
                if self._replacing == record.number:
                    self._replacing = None
            case ReplacementAsked():
                self._replacing = record.number
            case VolumeSet():
                assert 0 <= record.level <= LOUDEST, f"there is no volume {record.level}"
                self._volume = record.level

    def _book(self, posting: Posting) -> None:
        assert posting.game == self._game, "a posting belongs to another game"
        assert posting.id == self._last_posting + 1, "a posting is missing"
        assert posting.payer != posting.payee, "an account cannot pay itself"
        assert posting.amount > 0, "a posting moves something"
        assert (posting.purpose is Purpose.REVERSAL) == (posting.reverses is not None)
        self._last_posting = posting.id
        for account, change in (
            (posting.payer, -posting.amount),
            (posting.payee, posting.amount),
        ):
            self._balances[account] = self.balance(account) + change
            assert account == BANK or 0 <= self._balances[account] <= self._edition.fullest
        assert sum(self._balances.values()) == 0, "the books do not balance"
