"""The ledger: double entry, every move a posting from one account to another.

A posting takes an amount from a payer and gives it to a payee, so the sum over all
accounts is zero, always. Balances are derived from postings. Nothing is ever changed or
deleted: a reversal is one more posting, and a new game leaves the old one where it is.

The ledger decides and remembers; it does no I/O. It hands records to a journal,
which makes them durable or raises ``JournalFailed``, and believes them only
after that.
"""

from collections.abc import Collection, Iterable
from typing import NamedTuple

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
from hal.sounds import LOUDEST
from hal.view import Text

NEW_BOX_VOLUME = 2


class Admission(NamedTuple):
    """How an unknown card came to its number."""

    number: int
    replaces: bool


class NextGame(NamedTuple):
    """What has been chosen on the box for the next new game."""

    edition: Edition | None = None
    kind: Kind = Kind.NORMAL
    minutes: int = 0


class Ledger:
    """The game that is being played, and the cards that the box knows."""

    def __init__(self, journal: Journal, edition: Edition) -> None:
        """Read the journal; a journal without a game starts its first, in this edition."""
        self._journal = journal
        self._stale = False
        self._replay()
        if self._newest_game == 0:
            self.new_game(edition)

    def _replay(self) -> None:
        replay = self._journal.replay()
        self._newest_game = replay.newest_game
        self._game_before = replay.game_before
        self._cards: dict[bytes, int] = {}
        self._replacing: int | None = None
        self._volume = NEW_BOX_VOLUME
        self._next = NextGame()
        for record in replay.records:
            self._believe(record)
        self._last_posting = replay.last_posting

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
    def current(self) -> Game:
        """The game that is being played."""
        return self._current

    @property
    def game(self) -> int:
        return self._current.number

    @property
    def edition(self) -> Edition:
        """The edition that this game is played with."""
        return self._current.edition

    @property
    def last_posting(self) -> int:
        """The number of the newest posting, of whatever game."""
        return self._last_posting

    @property
    def chosen_edition(self) -> Edition | None:
        """The edition that was chosen on the box for the games from the next one on."""
        return self._next.edition

    @property
    def game_before(self) -> int | None:
        """The game that was played before this one, if there is one."""
        return self._game_before

    @property
    def untouched(self) -> bool:
        """True while nothing has moved in this game but opening balances."""
        opening = self.edition.opening_balance
        return (
            not self._current.out
            and all(self.balance(number) == opening for number in self.cards)
            and -self.balance(BANK) == opening * len(self.cards)
        )

    @property
    def volume(self) -> int:
        return self._volume

    @property
    def cards(self) -> dict[int, bytes]:
        """The known cards of this edition, by number."""
        by_number = {number: uid for uid, number in self._cards.items()}
        return {n: by_number[n] for n in sorted(by_number) if n <= self.edition.cards}

    @property
    def players(self) -> list[int]:
        """The cards that have played in this game and are not out (F16)."""
        return [number for number in self.cards if self._current.is_player(number)]

    @property
    def moves(self) -> list[Posting]:
        """What can still be taken back, newest first: the moves of cards that are known."""
        known = {BANK, POT, *self.cards}
        return [posting for posting in self._current.moves if posting.accounts <= known]

    @property
    def replacing(self) -> int | None:
        """The number that the next unknown card takes over."""
        return self._replacing

    @property
    def accounts(self) -> dict[int, int]:
        """Every balance of this game, the bank's and forgotten cards' included."""
        return self._current.accounts

    def balance(self, account: int) -> int:
        return self._current.balance(account)

    def number_of(self, uid: bytes) -> int | None:
        """The number of a card, or None when the box does not know it."""
        number = self._cards.get(uid)
        return number if number is not None and number <= self.edition.cards else None

    # Money

    def refusal(self, payer: int, payee: int, amount: int) -> Text | None:
        """Why an amount cannot move (M8), or None when it can."""
        return self._current.refusal(payer, payee, amount)

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
        """
        assert self.number_of(uid) is None, "a known card needs no number"
        if uid in self._cards:
            # Its number, and its money in other games, are of an edition with more players.
            return None
        if self._replacing is not None and self._replacing != elsewhere:
            number = self._replacing
            self._record(CardKnown(number, uid))
            return Admission(number, replaces=True)
        taken = set(self._cards.values())
        free = [n for n in range(1, self.edition.cards + 1) if n not in taken]
        if not free:
            return None
        number = free[0]
        openings = self._openings([number], self.game, self.edition, self._last_posting)
        self._record(CardKnown(number, uid), *openings, PlayerJoined(self.game, number))
        return Admission(number, replaces=False)

    def forget(self, number: int) -> None:
        """Free a number; what its account holds goes back to the bank."""
        held = self.balance(number)
        back = [self._posting(number, BANK, held, Purpose.RETURN)] if held else []
        closed = AccountClosed(self.game, number, self._last_posting + len(back))
        self._record(*back, CardForgotten(number), closed)

    def ask_replacement(self, number: int) -> None:
        """Let the next unknown card take over a number and its balance."""
        self._record(ReplacementAsked(number))

    def know(self, uids: Iterable[bytes]) -> None:
        """Give several cards their numbers at once, as for a new box's stock cards."""
        numbered = list(enumerate(uids, start=1))
        known = [CardKnown(number, uid) for number, uid in numbered]
        numbers = [number for number, _ in numbered]
        openings = self._openings(numbers, self.game, self.edition, self._last_posting)
        self._record(*known, *openings)

    def join(self, number: int) -> None:
        """A card is put in: from now on it is in the game."""
        if not self._current.has_joined(number):
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
        game = self._newest_game + 1
        started = GameStarted(game, edition, self._last_posting + 1, kind, minutes, chosen)
        numbers = sorted(n for n in self._cards.values() if n <= edition.cards)
        joined = [PlayerJoined(game, n) for n in sorted(present) if n <= edition.cards]
        openings = self._openings(numbers, game, edition, self._last_posting)
        self._record(started, *openings, *joined)

    def next_game(self, asked: Edition, present: Collection[int] = ()) -> None:
        """Start the game that was chosen on the box, or else was asked for otherwise (F18)."""
        edition, kind, minutes = self._next
        self.new_game(
            edition or asked,
            kind=kind,
            minutes=minutes,
            chosen=edition is not None,
            present=present,
        )

    def choose_kind(self, kind: Kind, minutes: int = 0) -> None:
        if (kind, minutes) == self._next[1:]:
            return
        self._record(KindChosen(kind, minutes))

    def choose_edition(self, edition: Edition) -> None:
        if edition == self._next.edition:
            return
        self._record(EditionChosen(edition))

    def go_back(self) -> None:
        """Go on with the game that was played before this one (F20).

        Cards that were forgotten since give back what they had in it, and those that were not
        in it open in it, even if they have such a card's number by now.
        """
        assert self._game_before is not None, "there is no game to go back to"
        before = Game.of(self._journal.replay(self._game_before).records)
        known = sorted(n for n in self._cards.values() if n <= before.edition.cards)
        playing = {number for number in known if before.has_account(number)}
        last = self._last_posting
        returns = [
            Posting(last + index, before.number, number, BANK, held, Purpose.RETURN)
            for index, (number, held) in enumerate(before.held_by_others_than(playing), start=1)
        ]
        new = [number for number in known if number not in playing]
        openings = self._openings(new, before.number, before.edition, last + len(returns))
        records: list[Record] = [GameResumed(before.number, last), *returns, *openings]
        self._journal.append(*records)
        self._game_before, self._current = self.game, before
        for record in records:
            self._believe(record)

    def keep_time(self, milliseconds: int) -> None:
        """Keep how long this game has been played."""
        self._record(TimePlayed(self.game, milliseconds))

    # The final count

    def open_count(self, present: int | None = None) -> None:
        """Begin the final count, or go on with it; a card that is present is counted next."""
        if self._current.counting:
            return
        goes_on = present is not None and self._current.is_counted(present)
        self._record(*self._count_opening(None if goes_on else present, self._last_posting))

    def _count_opening(self, present: int | None, after: int) -> list[Record]:
        opened = CountOpened(self.game, after)
        return [opened] if present is None else [opened, Counted(self.game, present, 0, after)]

    def leave_count(self) -> None:
        self._record(CountLeft(self.game))

    def count(self, number: int, added: int) -> None:
        """A card has come to so much more than its balance."""
        self._record(Counted(self.game, number, added, self._last_posting))

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
        return Posting(self._last_posting + 1, self.game, payer, payee, amount, purpose, reverses)

    def _record(self, *records: Record) -> None:
        self._journal.append(*records)
        for record in records:
            self._believe(record)

    def _believe(self, record: Record) -> None:
        """Take in a record that is durable."""
        match record:
            case GameStarted():
                self._begin(record)
            case Posting():
                self._last_posting = record.id
                self._current.believe(record)
            case CardKnown():
                self._free(record.number)
                self._cards[record.uid] = record.number
            case CardForgotten():
                self._free(record.number)
            case ReplacementAsked():
                self._replacing = record.number
            case KindChosen():
                self._next = self._next._replace(kind=record.kind, minutes=record.minutes)
            case EditionChosen():
                self._next = self._next._replace(edition=record.edition)
            case VolumeSet():
                assert 0 <= record.level <= LOUDEST, f"there is no volume {record.level}"
                self._volume = record.level
            case _:
                self._current.believe(record)

    def _begin(self, started: GameStarted) -> None:
        if started.game > self._newest_game:
            self._game_before = self.game if self._newest_game else None
            self._newest_game = started.game
        self._current = Game(started)
        self._next = NextGame(self._next.edition)

    def _free(self, number: int) -> None:
        self._cards = {uid: n for uid, n in self._cards.items() if n != number}
        if self._replacing == number:
            self._replacing = None
