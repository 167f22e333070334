"""The ledger: double entry, every move a posting from one account to another.

A posting takes an amount from a payer and gives it to a payee, so the sum over all accounts is
always zero. Balances are derived from postings. Nothing is ever changed or deleted: a reversal
is one more posting, and a new game leaves the old one where it is.

The ledger decides and does no I/O. It passes records to a journal, which makes them durable or
raises ``JournalFailed``, and applies them to its state only after that.

Another program may write at the same time. The journal then refuses the later record, and
``Ledger.retrying`` makes the request once more, based on what the other program has written.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import NamedTuple, TypeVar

from firmware.bank import records
from firmware.bank.edition import Edition
from firmware.bank.game import Game
from firmware.bank.ledger_state import LedgerState
from firmware.bank.names import NO_NAMES
from firmware.bank.purposes import Purpose
from firmware.bank.records import (
    BANK,
    POT,
    Journal,
    JournalFailed,
    Kind,
    Overtaken,
    Posting,
    Record,
)
from firmware.bank.refusals import Refusal
from hal.events import is_random_uid

T = TypeVar("T")

CHECKPOINT_EVERY = 256
"""Records between two checkpoints, so about the most that a start has to read."""


@contextmanager
def _refusing_contradictions() -> Iterator[None]:
    """Records that contradict each other were not written by a box: the journal is damaged."""
    try:
        yield
    except AssertionError as error:
        raise JournalFailed(f"the records contradict each other: {error}") from error


class Admission(NamedTuple):
    """The number that an unknown card got, and what it found there."""

    number: int
    found_account: bool = False
    """True if a card with this number, forgotten in another game, left an account in this one."""
    replaced: bytes | None = None
    """The card whose number it took over."""


class ForgottenCard(NamedTuple):
    """All that is needed to restore a forgotten card (F19)."""

    uid: bytes
    name: str
    held: int
    account: records.AccountRestored
    added_before: int
    amounts: tuple[int, ...] | None
    """What was counted for it; None if it was not counted."""
    was_to_be_replaced: bool

    @property
    def number(self) -> int:
        return self.account.number


class Ledger:
    """The current game, and the known cards."""

    def __init__(self, journal: Journal, edition: Edition) -> None:
        """Read the journal; start the first game, in this edition, if there is none."""
        self._journal = journal
        self.in_doubt = False
        """Whether the journal may have other records than are known here, until a refresh."""
        self._replay()
        if self.state.newest_game == 0:
            self.new_game(edition)

    def _replay(self) -> None:
        found = self._journal.replay()
        state = LedgerState()
        with _refusing_contradictions():
            state.apply(*found)
        self.state = state
        self._since_checkpoint = len(found)

    def refresh(self) -> bool:
        """Read what changed in the journal. True if the ledger changed, or if that is uncertain."""
        before, was_in_doubt = self.state, self.in_doubt
        self.in_doubt = self._journal.changed_elsewhere() or self.in_doubt
        if not self.in_doubt:
            return False
        try:
            self._replay()
        except JournalFailed:
            return False
        self.in_doubt = False
        return was_in_doubt or not self.state.agrees_with(before)

    def retrying(self, request: Callable[[], T], still_meant: Callable[[], bool]) -> T:
        """Make a request that writes, and once more if another program has overtaken it (D30).

        ``still_meant`` refreshes the ledger. It returns whether the request still means the same;
        if not, Overtaken is raised. The request must check again what it depends on.
        """
        try:
            return request()
        except Overtaken as error:
            with self._journal.without_other_writers():
                if not still_meant():
                    raise error
                return request()

    @property
    def current(self) -> Game:
        """The game that is being played."""
        return self.state.current

    @property
    def game(self) -> int:
        return self.current.number

    @property
    def edition(self) -> Edition:
        return self.current.edition

    @property
    def untouched(self) -> bool:
        """Whether this game has only opening balances so far."""
        opening = self.edition.opening_balance
        return (
            not self.current.out
            and all(self.balance(number) == opening for number in self.cards)
            and -self.balance(BANK) == opening * len(self.cards)
        )

    @property
    def cards(self) -> dict[int, bytes]:
        """The known cards of this edition, by number."""
        by_number = {number: uid for uid, number in self.state.cards.items()}
        return {n: by_number[n] for n in sorted(by_number) if n <= self.edition.cards}

    @property
    def players(self) -> list[int]:
        """The cards that money has moved with, or that were counted, and that are not out (F16)."""
        return [number for number in self.cards if self.current.is_player(number)]

    @property
    def all_counted(self) -> bool:
        """Whether every player has been counted (F17)."""
        return bool(self.players) and not self.not_counted

    @property
    def not_counted(self) -> list[int]:
        """The players that the final count has still to count."""
        return [number for number in self.players if not self.current.is_counted(number)]

    @property
    def moves(self) -> list[Posting]:
        """The moves that can be undone, newest first."""
        return [posting for posting in self.history if not self.current.is_taken_back(posting)]

    @property
    def history(self) -> list[Posting]:
        """The moves of known cards, newest first, also those that were undone (F13)."""
        known = {BANK, POT, *self.cards}
        return [posting for posting in self.current.history if posting.accounts <= known]

    @property
    def accounts(self) -> dict[int, int]:
        return self.current.accounts

    def balance(self, account: int) -> int:
        return self.current.balance(account)

    def worth(self, number: int) -> int | None:
        """A known card's result in the final count; None if it was not counted."""
        return self.current.worth(number) if number in self.cards else None

    def number_of(self, uid: bytes) -> int | None:
        """A card's number; None for an unknown card. A random UID identifies no card (S11)."""
        number = None if is_random_uid(uid) else self.state.cards.get(uid)
        return number if number is not None and number <= self.edition.cards else None

    # Money

    def refusal(self, payer: int, payee: int, amount: int) -> Refusal | None:
        """Why an amount cannot move (M8); None if it can."""
        return self.current.refusal(payer, payee, amount)

    def move(self, payer: int, payee: int, amount: int, purpose: Purpose) -> Posting:
        """Move an amount that is not refused."""
        assert self.refusal(payer, payee, amount) is None, "a refused move was made"
        posting = self._posting(payer, payee, amount, purpose)
        self._record(posting)
        return posting

    def end_by_bankruptcy(
        self, payer: int, payee: int, amount: int, present: int | None
    ) -> Posting:
        """Move all that a card has, and open the final count: both or neither (F21)."""
        assert self.refusal(payer, payee, amount) is None, "a refused move was made"
        posting = self._posting(payer, payee, amount, Purpose.BANKRUPTCY)
        self._record(posting, *self._count_opening(present, posting.id))
        return posting

    def make_again(self, original: Posting) -> Posting:
        """Make a move once more that was undone, and is not refused (C5)."""
        payer, payee, amount = original.payer, original.payee, original.amount
        assert original in self.history, "a move of a card that was forgotten"
        assert self.current.is_taken_back(original), "a move that was not undone is made again"
        assert self.refusal(payer, payee, amount) is None, "a refused move was made again"
        posting = self._posting(payer, payee, amount, original.purpose)
        self._record(posting, records.MadeAgain(self.game, original.id, posting.id))
        return posting

    def reverse(self, posting: Posting) -> None:
        """Undo a posting; the journal refuses a second reversal."""
        assert posting.game == self.game, "a game that is over cannot be changed"
        payer, payee = posting.payee, posting.payer
        self._record(self._posting(payer, payee, posting.amount, Purpose.REVERSAL, posting.id))

    # Cards

    def admit(self, uid: bytes, *, elsewhere: int | None = None) -> Admission | None:
        """Give an unknown card a number (S10); None if all are taken, or for a random UID (S11).

        A requested replacement comes first, unless the card that was said to be lost is in the
        other slot (``elsewhere`` is the number there), or this edition has no such number.
        """
        assert self.number_of(uid) is None, "a known card needs no number"
        # A card with a number beyond this edition's keeps it, with its money in other games.
        if is_random_uid(uid) or uid in self.state.cards:
            return None
        number = self.state.replacing
        if number is not None and number != elsewhere and number <= self.edition.cards:
            replaced = self.cards[number]
            self._record(records.CardKnown(number, uid))
            return Admission(number, replaced=replaced)
        taken = self.state.cards.values()
        number = next((n for n in range(1, self.edition.cards + 1) if n not in taken), None)
        if number is None:
            return None
        found_account = self.current.has_account(number)
        openings = [] if found_account else self._openings([number])
        self._record(records.CardKnown(number, uid), *openings)
        return Admission(number, found_account)

    def take_back(self, admission: Admission) -> None:
        """Undo an admission (S10, D12). An account that the card found stays as it is."""
        number = admission.number
        if admission.replaced is not None:
            known = records.CardKnown(number, admission.replaced)
            self._record(known, records.ReplacementAsked(number))
        elif admission.found_account:
            self._record(records.CardForgotten(number))
        else:
            self.forget(number)

    def forget(self, number: int) -> ForgottenCard:
        """Free a number, and return its balance in this game to the bank."""
        held, game = self.balance(number), self.current
        forgotten = ForgottenCard(
            uid=self.cards[number],
            name=self.state.names.get(number, ""),
            held=held,
            account=game.account(number),
            added_before=game.added_before(number),
            amounts=game.amounts(number) if game.is_counted(number) else None,
            was_to_be_replaced=self.state.replacing == number,
        )
        back = [self._posting(number, BANK, held, Purpose.RETURN)] if held else []
        closed = records.AccountClosed(self.game, number, self.state.last_posting + len(back))
        self._record(*back, records.CardForgotten(number), closed)
        return forgotten

    def restore(self, card: ForgottenCard) -> None:
        """Restore a card that was forgotten in this game: number, name, money and count (F19)."""
        assert card.number not in self.state.cards.values(), "the number has been taken"
        number, game = card.number, self.game
        restored: list[Record] = []
        if card.held:
            restored.append(self._posting(BANK, number, card.held, Purpose.RESTORED))
        restored += [records.CardKnown(number, card.uid), card.account]
        if card.name:
            restored.append(records.CardNamed(number, card.name))
        if card.was_to_be_replaced:
            restored.append(records.ReplacementAsked(number))
        if card.added_before:
            last = self.state.last_posting
            restored.append(records.Counted(game, number, card.added_before, last))
        if card.amounts is not None:
            restored.append(records.CountedIn(game, number))
            restored += [records.AmountCounted(game, number, amount) for amount in card.amounts]
        self._record(*restored)

    def name(self, number: int, name: str) -> None:
        """Give a known card a name (N6)."""
        if name != self.state.names.get(number, ""):
            self._record(records.CardNamed(number, name))

    def ask_replacement(self, number: int) -> None:
        """Let the next unknown card take over a number and its balance."""
        self._record(records.ReplacementAsked(number))

    def cancel_replacement(self) -> None:
        assert self.state.replacing is not None, "no replacement waits"
        self._record(records.ReplacementCancelled(self.state.replacing))

    def know(self, uids: Iterable[bytes], names: Mapping[int, str] = NO_NAMES) -> None:
        """Give several cards their numbers at once, such as the stock cards of a new box."""
        known = [records.CardKnown(number, uid) for number, uid in enumerate(uids, start=1)]
        named = [records.CardNamed(*given) for given in names.items()]
        self._record(*known, *named, *self._openings([card.number for card in known]))

    # Games

    def new_game(
        self,
        edition: Edition,
        *,
        kind: Kind = Kind.NORMAL,
        minutes: int = 0,
        chosen: bool = False,
    ) -> None:
        """Start a game in which every known card has the opening balance (C4)."""
        game, last = self.state.newest_game + 1, self.state.last_posting
        started = records.GameStarted(game, edition, last + 1, kind, minutes, chosen)
        numbers = sorted(n for n in self.state.cards.values() if n <= edition.cards)
        self._record(started, *_openings(numbers, game, edition, last))

    def next_game(self, asked: Edition) -> None:
        """Start a new game: as chosen on the box, otherwise in the edition asked for (F18)."""
        edition, kind, minutes = self.state.next
        chosen = edition is not None
        self.new_game(edition or asked, kind=kind, minutes=minutes, chosen=chosen)

    def choose_kind(self, kind: Kind, minutes: int = 0) -> None:
        if (kind, minutes) != self.state.next[1:]:
            self._record(records.KindChosen(kind, minutes))

    def choose_edition(self, edition: Edition) -> None:
        if edition != self.state.next.edition:
            self._record(records.EditionChosen(edition))

    def go_back(self) -> None:
        """Resume the game that was played before this one (F20).

        Cards that have no account in it get an opening balance. The account of a card that was
        forgotten since stays as it was left, for the next card that takes the number.
        """
        assert self.state.game_before is not None, "there is no game to go back to"
        with _refusing_contradictions():
            before = Game.of(self._journal.replay(self.state.game_before))
        known = sorted(n for n in self.state.cards.values() if n <= before.edition.cards)
        new = [number for number in known if not before.has_account(number)]
        last = self.state.last_posting
        openings = _openings(new, before.number, before.edition, last)
        resumed: list[Record] = [records.GameResumed(before.number, last), *openings]
        self._append(*resumed)
        self.state.resume(before)
        self.state.apply(*resumed)
        # A start then skips the records between this game's two parts.
        self._set_checkpoint()

    def keep_time(self, milliseconds: int) -> None:
        """Record how long this game has been played."""
        self._record(records.TimePlayed(self.game, milliseconds))

    # The final count

    def open_count(self, present: int | None = None) -> None:
        """Start or continue the final count; the card in the left slot is counted at once."""
        if not self.current.counting:
            self._record(*self._count_opening(present, self.state.last_posting))

    def _count_opening(self, present: int | None, after: int) -> Iterator[Record]:
        yield records.CountOpened(self.game, after)
        if present is not None and not self.current.is_counted(present):
            yield records.CountedIn(self.game, present)

    def leave_count(self) -> None:
        self._record(records.CountLeft(self.game))

    def count_in(self, number: int) -> None:
        """Record that a card was in the left slot while the count was open."""
        if not self.current.is_counted(number):
            self._record(records.CountedIn(self.game, number))

    def count(self, number: int, amount: int) -> None:
        """Add an amount to a card's worth, without moving money."""
        self._record(records.AmountCounted(self.game, number, amount))

    def uncount(self, number: int) -> bool:
        """Take back the last amount that was counted for a card; False if there is none."""
        if self.current.amounts(number):
            self._record(records.AmountUncounted(self.game, number))
        elif self.current.added_before(number):
            last = self.state.last_posting
            self._record(records.Counted(self.game, number, 0, last))
        else:
            return False
        return True

    # Records

    def set_volume(self, level: int) -> None:
        self._record(records.VolumeSet(level))

    def _openings(self, numbers: Iterable[int]) -> list[Posting]:
        """The opening balances of cards that are new in this game."""
        return _openings(numbers, self.game, self.edition, self.state.last_posting)

    def _posting(
        self, payer: int, payee: int, amount: int, purpose: Purpose, reverses: int | None = None
    ) -> Posting:
        number = self.state.last_posting + 1
        return Posting(number, self.game, payer, payee, amount, purpose, reverses)

    def _record(self, *new: Record) -> None:
        self._append(*new)
        self.state.apply(*new)
        self._since_checkpoint += len(new)
        if self._since_checkpoint >= CHECKPOINT_EVERY:
            self._set_checkpoint()

    def _append(self, *new: Record) -> None:
        """Make records durable. Refused while it is in doubt which earlier ones are durable."""
        if self.in_doubt:
            raise JournalFailed("it is not known which records are in the ledger")
        try:
            self._journal.append(*new)
        except JournalFailed:
            self.in_doubt = self._journal.in_doubt
            raise

    def _set_checkpoint(self) -> None:
        """Shorten the next start. A failure is harmless: the start only takes longer."""
        with suppress(JournalFailed):
            self._append(self.state.checkpoint)
            self._since_checkpoint = 0


def _openings(
    numbers: Iterable[int], game: int, edition: Edition, last_posting: int
) -> list[Posting]:
    """The opening balances of some cards in a game; zero is not posted."""
    amount = edition.opening_balance
    return [
        Posting(last_posting + index, game, BANK, number, amount, Purpose.OPENING)
        for index, number in enumerate(numbers if amount else (), start=1)
    ]
