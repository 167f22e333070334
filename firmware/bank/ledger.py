"""The ledger: double entry, every move a posting from one account to another.

A posting takes an amount from a payer and gives it to a payee, so the sum over all
accounts is zero, always. Balances are derived from postings. Nothing is ever changed or
deleted: a reversal is one more posting, and a new game leaves the old one where it is.

The ledger decides and remembers; it does no I/O. It hands records to a journal,
which makes them durable or raises ``JournalFailed``, and believes them only
after that.
"""

from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import NamedTuple

from firmware.books import Books
from firmware.edition import Edition
from firmware.game import Game
from firmware.records import (
    BANK,
    POT,
    AccountClosed,
    CardForgotten,
    CardKnown,
    Counted,
    CountLeft,
    CountOpened,
    EditionChosen,
    GameResumed,
    GameStarted,
    Journal,
    JournalFailed,
    Kind,
    KindChosen,
    PlayerJoined,
    Posting,
    Purpose,
    Record,
    ReplacementAsked,
    TimePlayed,
    VolumeSet,
)
from hal.view import Text

CHECKPOINT_EVERY = 256
"""Records after which the next checkpoint is due: a start reads about so many, and no more."""


@contextmanager
def _making_sense() -> Iterator[None]:
    """Records that contradict each other were not written by us: the journal is broken."""
    try:
        yield
    except AssertionError as error:
        raise JournalFailed(f"what was written makes no sense: {error}") from error


class Admission(NamedTuple):
    """How an unknown card came to its number."""

    number: int
    replaces: bool


class Ledger:
    """The game that is being played, and the cards that the box knows."""

    def __init__(self, journal: Journal, edition: Edition) -> None:
        """Read the journal; a journal without a game starts its first, in this edition."""
        self._journal = journal
        self._stale = False
        self._replay()
        if self._books.newest_game == 0:
            self.new_game(edition)

    def _replay(self) -> None:
        replay = self._journal.replay()
        books = Books()
        with _making_sense():
            for record in replay.records:
                books.believe(record)
        books.newest_game, books.game_before = replay.newest_game, replay.game_before
        books.last_posting = replay.last_posting
        self._books = books
        self._since_checkpoint = len(replay.records)

    def refresh(self) -> bool:
        """Take in what the journal has that is not known here; True when there was something.

        Also when nobody knew whether there was.
        """
        before, in_doubt = self._books, self._stale
        self._stale = self._journal.changed_elsewhere() or self._stale
        if not self._stale:
            return False
        try:
            self._replay()
        except JournalFailed:
            return False
        self._stale = False
        return in_doubt or not self._books.agree_with(before)

    @property
    def in_doubt(self) -> bool:
        """Whether the journal may have more, or less, than is known here; until a refresh."""
        return self._stale

    @property
    def current(self) -> Game:
        """The game that is being played."""
        return self._books.current

    @property
    def game(self) -> int:
        return self._books.current.number

    @property
    def edition(self) -> Edition:
        """The edition that this game is played with."""
        return self._books.current.edition

    @property
    def last_posting(self) -> int:
        """The number of the newest posting, of whatever game."""
        return self._books.last_posting

    @property
    def chosen_edition(self) -> Edition | None:
        """The edition that was chosen on the box for the games from the next one on."""
        return self._books.next.edition

    @property
    def game_before(self) -> int | None:
        """The game that was played before this one, if there is one."""
        return self._books.game_before

    @property
    def untouched(self) -> bool:
        """True while nothing has moved in this game but opening balances."""
        opening = self.edition.opening_balance
        return (
            not self._books.current.out
            and all(self.balance(number) == opening for number in self.cards)
            and -self.balance(BANK) == opening * len(self.cards)
        )

    @property
    def volume(self) -> int:
        return self._books.volume

    @property
    def cards(self) -> dict[int, bytes]:
        """The known cards of this edition, by number."""
        by_number = {number: uid for uid, number in self._books.cards.items()}
        return {n: by_number[n] for n in sorted(by_number) if n <= self.edition.cards}

    @property
    def players(self) -> list[int]:
        """The cards that have played in this game and are not out (F16)."""
        return [number for number in self.cards if self._books.current.is_player(number)]

    @property
    def moves(self) -> list[Posting]:
        """What can still be taken back, newest first: the moves of cards that are known."""
        known = {BANK, POT, *self.cards}
        return [posting for posting in self._books.current.moves if posting.accounts <= known]

    @property
    def replacing(self) -> int | None:
        """The number that the next unknown card takes over."""
        return self._books.replacing

    @property
    def accounts(self) -> dict[int, int]:
        """Every balance of this game, the bank's and forgotten cards' included."""
        return self._books.current.accounts

    def balance(self, account: int) -> int:
        return self._books.current.balance(account)

    def number_of(self, uid: bytes) -> int | None:
        """The number of a card, or None when the box does not know it."""
        number = self._books.cards.get(uid)
        return number if number is not None and number <= self.edition.cards else None

    # Money

    def refusal(self, payer: int, payee: int, amount: int) -> Text | None:
        """Why an amount cannot move (M8), or None when it can."""
        return self._books.current.refusal(payer, payee, amount)

    def move(self, payer: int, payee: int, amount: int, purpose: Purpose) -> Posting:
        """Move an amount that is not refused."""
        assert self.refusal(payer, payee, amount) is None, "a refused move was made"
        posting = self._posting(payer, payee, amount, purpose)
        self._record(posting)
        return posting

    def end_by_bankruptcy(
        self, payer: int, payee: int, amount: int, present: int | None
    ) -> Posting:
        """All that a card has moves, and the final count is open: both, or neither (F21)."""
        assert self.refusal(payer, payee, amount) is None, "a refused move was made"
        posting = self._posting(payer, payee, amount, Purpose.BANKRUPTCY)
        self._record(posting, *self._count_opening(present, posting.id))
        return posting

    def refusal_to_reverse(self, posting: Posting) -> Text | None:
        """Why a posting cannot be taken back, or None when it can."""
        return self.refusal(posting.payee, posting.payer, posting.amount)

    def reverse(self, posting: Posting) -> None:
        """Give back what a posting moved; the journal sees that nobody does so twice."""
        assert posting.game == self.game, "a game that is over stays as it ended"
        back = self._posting(
            posting.payee, posting.payer, posting.amount, Purpose.REVERSAL, posting.id
        )
        self._record(back)

    # Cards

    def admit(self, uid: bytes, *, elsewhere: int | None = None) -> Admission | None:
        """Give an unknown card a number (S10), or None when all are taken.

        A replacement that was asked for comes first, unless the card that was said
        to be lost is in the box after all: ``elsewhere``, the number in the other slot.
        Nor is it one for a game whose edition has no such number.
        """
        assert self.number_of(uid) is None, "a known card needs no number"
        if uid in self._books.cards:
            # Its number, and its money in other games, are of an edition with more players.
            return None
        number = self._books.replacing
        if number is not None and number != elsewhere and number <= self.edition.cards:
            self._record(CardKnown(number, uid))
            return Admission(number, replaces=True)
        taken = set(self._books.cards.values())
        free = [n for n in range(1, self.edition.cards + 1) if n not in taken]
        if not free:
            return None
        number = free[0]
        openings = self._openings([number], self.game, self.edition, self._books.last_posting)
        self._record(CardKnown(number, uid), *openings, PlayerJoined(self.game, number))
        return Admission(number, replaces=False)

    def forget(self, number: int) -> None:
        """Free a number; what its account holds goes back to the bank."""
        held = self.balance(number)
        back = [self._posting(number, BANK, held, Purpose.RETURN)] if held else []
        closed = AccountClosed(self.game, number, self._books.last_posting + len(back))
        self._record(*back, CardForgotten(number), closed)

    def ask_replacement(self, number: int) -> None:
        """Let the next unknown card take over a number and its balance."""
        self._record(ReplacementAsked(number))

    def know(self, uids: Iterable[bytes]) -> None:
        """Give several cards their numbers at once, as for a new box's stock cards."""
        numbered = list(enumerate(uids, start=1))
        known = [CardKnown(number, uid) for number, uid in numbered]
        numbers = [number for number, _ in numbered]
        openings = self._openings(numbers, self.game, self.edition, self._books.last_posting)
        self._record(*known, *openings)

    def join(self, number: int) -> None:
        """A card is put in: from now on it is in the game."""
        if not self._books.current.has_joined(number):
            self._record(PlayerJoined(self.game, number))

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

        The cards that are present, in a slot, are in the game from the start.
        """
        game = self._books.newest_game + 1
        started = GameStarted(game, edition, self._books.last_posting + 1, kind, minutes, chosen)
        numbers = sorted(n for n in self._books.cards.values() if n <= edition.cards)
        joined = [PlayerJoined(game, n) for n in sorted(present) if n <= edition.cards]
        openings = self._openings(numbers, game, edition, self._books.last_posting)
        self._record(started, *openings, *joined)

    def next_game(self, asked: Edition, present: Collection[int] = ()) -> None:
        """Start the game that was chosen on the box, or else was asked for otherwise (F18)."""
        edition, kind, minutes = self._books.next
        self.new_game(
            edition or asked,
            kind=kind,
            minutes=minutes,
            chosen=edition is not None,
            present=present,
        )

    def choose_kind(self, kind: Kind, minutes: int = 0) -> None:
        if (kind, minutes) == self._books.next[1:]:
            return
        self._record(KindChosen(kind, minutes))

    def choose_edition(self, edition: Edition) -> None:
        if edition == self._books.next.edition:
            return
        self._record(EditionChosen(edition))

    def go_back(self) -> None:
        """Go on with the game that was played before this one (F20).

        Cards that were forgotten since give back what they had in it, and those that were not
        in it open in it, even if they have such a card's number by now.
        """
        assert self._books.game_before is not None, "there is no game to go back to"
        with _making_sense():
            before = Game.of(self._journal.replay(self._books.game_before).records)
        known = sorted(n for n in self._books.cards.values() if n <= before.edition.cards)
        playing = {number for number in known if before.has_account(number)}
        last = self._books.last_posting
        returns = [
            Posting(last + index, before.number, number, BANK, held, Purpose.RETURN)
            for index, (number, held) in enumerate(before.held_by_others_than(playing), start=1)
        ]
        new = [number for number in known if number not in playing]
        openings = self._openings(new, before.number, before.edition, last + len(returns))
        records: list[Record] = [GameResumed(before.number, last), *returns, *openings]
        self._append(*records)
        self._books.resume(before)
        for record in records:
            self._books.believe(record)
        # What is played from here on need not be told from what lies between.
        self._set_checkpoint()

    def keep_time(self, milliseconds: int) -> None:
        """Keep how long this game has been played."""
        self._record(TimePlayed(self.game, milliseconds))

    # The final count

    def open_count(self, present: int | None = None) -> None:
        """Begin the final count, or go on with it; a card that is present is counted next."""
        if self._books.current.counting:
            return
        goes_on = present is not None and self._books.current.is_counted(present)
        self._record(*self._count_opening(None if goes_on else present, self._books.last_posting))

    def _count_opening(self, present: int | None, after: int) -> list[Record]:
        opened = CountOpened(self.game, after)
        return [opened] if present is None else [opened, Counted(self.game, present, 0, after)]

    def leave_count(self) -> None:
        self._record(CountLeft(self.game))

    def count(self, number: int, added: int) -> None:
        """A card has come to so much more than its balance."""
        self._record(Counted(self.game, number, added, self._books.last_posting))

    # Records

    def set_volume(self, level: int) -> None:
        self._record(VolumeSet(level))

    @staticmethod
    def _openings(numbers: list[int], game: int, edition: Edition, after: int) -> list[Posting]:
        amount = edition.opening_balance
        if amount == 0:
            return []
        return [
            Posting(after + index, game, BANK, number, amount, Purpose.OPENING)
            for index, number in enumerate(numbers, start=1)
        ]

    def _posting(
        self, payer: int, payee: int, amount: int, purpose: Purpose, reverses: int | None = None
    ) -> Posting:
        number = self._books.last_posting + 1
        return Posting(number, self.game, payer, payee, amount, purpose, reverses)

    def _record(self, *records: Record) -> None:
        self._append(*records)
        for record in records:
            self._books.believe(record)
        self._since_checkpoint += len(records)
        if self._since_checkpoint >= CHECKPOINT_EVERY:
            self._set_checkpoint()

    def _append(self, *records: Record) -> None:
        """Make records durable; not before it is known again what the ones before came to."""
        if self._stale:
            raise JournalFailed("it is not known what the ledger has come to")
        try:
            self._journal.append(*records)
        except JournalFailed:
            self._stale = self._journal.in_doubt
            raise

    def _set_checkpoint(self) -> None:
        """Spare the next start what has been read by now; without one it only takes longer."""
        with suppress(JournalFailed):
            self._append(self._books.checkpoint)
            self._since_checkpoint = 0
