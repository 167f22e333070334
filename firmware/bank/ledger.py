"""The ledger: double entry, every move a posting from one account to another.

A posting takes an amount from a payer and gives it to a payee, so the sum over all accounts is
always zero. Balances are derived from postings. Nothing is ever changed or deleted: a reversal
is one more posting, and a new game leaves the old one where it is.

The ledger decides and does no I/O. It passes records to a journal, which makes them durable or
raises ``JournalFailed``, and applies them to its state only after that.
"""

from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import NamedTuple

from firmware.bank import records
from firmware.bank.edition import Edition
from firmware.bank.game import Game
from firmware.bank.ledger_state import LedgerState
from firmware.bank.purposes import Purpose
from firmware.bank.records import BANK, POT, Journal, JournalFailed, Kind, Posting, Record
from firmware.bank.refusals import Refusal
from hal.events import is_random_uid

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
    """The number that an unknown card got."""

    number: int
    replaces: bool


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
        """The cards that have played in this game and are not out (F16)."""
        return [number for number in self.cards if self.current.is_player(number)]

    @property
    def all_counted(self) -> bool:
        """Whether every player has been counted (F17)."""
        players = self.players
        return bool(players) and all(self.current.is_counted(number) for number in players)

    @property
    def moves(self) -> list[Posting]:
        """The moves that can be undone, newest first: those of known cards."""
        known = {BANK, POT, *self.cards}
        return [posting for posting in self.current.moves if posting.accounts <= known]

    @property
    def accounts(self) -> dict[int, int]:
        return self.current.accounts

    def balance(self, account: int) -> int:
        return self.current.balance(account)

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
            self._record(records.CardKnown(number, uid))
            return Admission(number, replaces=True)
        taken = self.state.cards.values()
        number = next((n for n in range(1, self.edition.cards + 1) if n not in taken), None)
        if number is None:
            return None
        joined = records.PlayerJoined(self.game, number)
        self._record(records.CardKnown(number, uid), *self._openings([number]), joined)
        return Admission(number, replaces=False)

    def forget(self, number: int) -> None:
        """Free a number and return its balance to the bank."""
        held = self.balance(number)
        back = [self._posting(number, BANK, held, Purpose.RETURN)] if held else []
        closed = records.AccountClosed(self.game, number, self.state.last_posting + len(back))
        self._record(*back, records.CardForgotten(number), closed)

    def ask_replacement(self, number: int) -> None:
        """Let the next unknown card take over a number and its balance."""
        self._record(records.ReplacementAsked(number))

    def know(self, uids: Iterable[bytes]) -> None:
        """Give several cards their numbers at once, such as the stock cards of a new box."""
        known = [records.CardKnown(number, uid) for number, uid in enumerate(uids, start=1)]
        self._record(*known, *self._openings([card.number for card in known]))

    def join(self, number: int) -> None:
        """Record that a card was inserted: from now on it is in the game."""
        if not self.current.has_joined(number):
            self._record(records.PlayerJoined(self.game, number))

    # Games

    def new_game(
        self,
        edition: Edition,
        *,
        kind: Kind = Kind.NORMAL,
        minutes: int = 0,
        chosen: bool = False,
        present: Collection[int] = (),
    ) -> None:
        """Start a game in which every known card has the opening balance (C4).

        The cards that are present, in a slot, join it at once.
        """
        game, last = self.state.newest_game + 1, self.state.last_posting
        started = records.GameStarted(game, edition, last + 1, kind, minutes, chosen)
        numbers = sorted(n for n in self.state.cards.values() if n <= edition.cards)
        joined = [records.PlayerJoined(game, n) for n in sorted(present) if n <= edition.cards]
        self._record(started, *_openings(numbers, game, edition, last), *joined)

    def next_game(self, asked: Edition, present: Collection[int] = ()) -> None:
        """Start a new game: as chosen on the box, otherwise in the edition asked for (F18)."""
        edition, kind, minutes = self.state.next
        chosen = edition is not None
        self.new_game(edition or asked, kind=kind, minutes=minutes, chosen=chosen, present=present)

    def choose_kind(self, kind: Kind, minutes: int = 0) -> None:
        if (kind, minutes) != self.state.next[1:]:
            self._record(records.KindChosen(kind, minutes))

    def choose_edition(self, edition: Edition) -> None:
        if edition != self.state.next.edition:
            self._record(records.EditionChosen(edition))

    def go_back(self) -> None:
        """Resume the game that was played before this one (F20).

        Cards that were forgotten since return their balance in it. Cards that were not in it get
        an opening balance, even if they have the number of a forgotten card.
        """
        assert self.state.game_before is not None, "there is no game to go back to"
        with _refusing_contradictions():
            before = Game.of(self._journal.replay(self.state.game_before))
        known = sorted(n for n in self.state.cards.values() if n <= before.edition.cards)
        new = [number for number in known if not before.has_account(number)]
        kept = {BANK, POT, *known}.difference(new)
        left = [(n, held) for n, held in before.accounts.items() if held and n not in kept]
        last = self.state.last_posting
        returns = [
            Posting(last + index, before.number, number, BANK, held, Purpose.RETURN)
            for index, (number, held) in enumerate(left, start=1)
        ]
        openings = _openings(new, before.number, before.edition, last + len(returns))
        resumed: list[Record] = [records.GameResumed(before.number, last), *returns, *openings]
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
        """Start or continue the final count; a card that is present is counted next."""
        if not self.current.counting:
            continues = present is not None and self.current.is_counted(present)
            opening = self._count_opening(None if continues else present, self.state.last_posting)
            self._record(*opening)

    def _count_opening(self, present: int | None, after: int) -> Iterator[Record]:
        yield records.CountOpened(self.game, after)
        if present is not None:
            yield records.Counted(self.game, present, 0, after)

    def leave_count(self) -> None:
        self._record(records.CountLeft(self.game))

    def count(self, number: int, added: int) -> None:
        """Record how much the final count has added to a card's balance."""
        self._record(records.Counted(self.game, number, added, self.state.last_posting))

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
