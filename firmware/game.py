"""One game: its accounts, who is in it and who is out, and its final count.

All of it is derived from the records of that game, in their order. It does no I/O and
writes nothing; the ledger does, and tells the game what has become durable.
"""

from collections.abc import Collection, Iterable, Iterator
from typing import TypeAlias

from firmware.edition import Edition
from firmware.records import (
    BANK,
    POT,
    REACH,
    AccountClosed,
    Checkpoint,
    Counted,
    CountLeft,
    CountOpened,
    GameResumed,
    GameStarted,
    GameState,
    Kind,
    PlayerJoined,
    Posting,
    Purpose,
    Record,
    TimePlayed,
)
from hal.view import Text

GameRecord: TypeAlias = (
    Posting
    | GameResumed
    | PlayerJoined
    | AccountClosed
    | CountOpened
    | CountLeft
    | Counted
    | TimePlayed
)


class Game:
    """What is known of a game that is being played."""

    def __init__(self, state: GameState) -> None:
        """The game, gone on with from what it had come to."""
        self._started = state.started
        self.milliseconds_played = 0
        self.counting = state.counting
        self._balances = dict(state.balances)
        self._recent = {posting.id: posting for posting in state.recent}
        self._taken_back = set(state.taken_back)
        self._last_posting = state.last_posting
        self._last_move = state.last_move
        self._joined = set(state.joined)
        self._bankrupt = dict(state.bankrupt)
        self._used = dict(state.used)
        self._moved = dict(state.moved)
        self._closed = dict(state.closed)
        self._bankruptcies = set(state.bankruptcies)
        self._added = dict(state.added)
        assert sum(self._balances.values()) == 0, "the books do not balance"

    @property
    def state(self) -> GameState:
        """What it has come to by now; but for how long it was played, which is kept elsewhere."""
        return GameState(
            started=self._started,
            balances=tuple(sorted(self._balances.items())),
            recent=tuple(self._recent.values()),
            taken_back=tuple(sorted(self._taken_back)),
            last_posting=self._last_posting,
            last_move=self._last_move,
            joined=tuple(sorted(self._joined)),
            bankrupt=tuple(sorted(self._bankrupt.items())),
            used=tuple(sorted(self._used.items())),
            moved=tuple(sorted(self._moved.items())),
            closed=tuple(sorted(self._closed.items())),
            bankruptcies=tuple(sorted(self._bankruptcies)),
            added=tuple(self._added.items()),
            counting=self.counting,
        )

    @property
    def number(self) -> int:
        return self._started.game

    @property
    def edition(self) -> Edition:
        return self._started.edition

    @property
    def kind(self) -> Kind:
        return self._started.kind

    @property
    def minutes(self) -> int:
        return self._started.minutes

    @property
    def edition_chosen(self) -> bool:
        return self._started.chosen

    @classmethod
    def of(cls, records: Iterable[Record]) -> "Game":
        """The game that some records tell of, whatever else they tell."""
        game: Game | None = None
        for record in records:
            if isinstance(record, GameStarted):
                game = cls(GameState(record))
            elif isinstance(record, Checkpoint):
                game = cls(record.game)
            elif game and isinstance(record, GameRecord):
                game.believe(record)
        assert game, "a game that was played has no beginning"
        return game

    def believe(self, record: GameRecord) -> None:
        """Take in a record that is durable."""
        match record:
            case Posting():
                self._book(record)
            case GameResumed():
                self._end_count()
            case PlayerJoined(number=number):
                self._joined.add(number)
            case AccountClosed(number=number, after=after):
                self._close(number, after)
            case CountOpened(after=after):
                self.counting = after >= self._last_move
            case CountLeft():
                self.counting = False
            case Counted(number=number, added=added, after=after):
                if after >= self._last_move:
                    self._added.pop(number, None)
                    self._added[number] = added
            case TimePlayed(milliseconds=milliseconds):
                self.milliseconds_played = milliseconds

    def _book(self, posting: Posting) -> None:
        assert posting.game == self.number, "a posting belongs to another game"
        assert posting.id > self._last_posting, "a posting came twice"
        assert posting.payer != posting.payee, "an account cannot pay itself"
        assert posting.amount > 0 or posting.may_be_nothing, "a posting moves something"
        assert (posting.purpose is Purpose.REVERSAL) == (posting.reverses is not None)
        self._last_posting = posting.id
        for account, change in (
            (posting.payer, -posting.amount),
            (posting.payee, posting.amount),
        ):
            self._balances[account] = self.balance(account) + change
            assert account == BANK or self._balances[account] >= 0, "a card owes money"
            assert account in (BANK, POT) or self._balances[account] <= self.edition.fullest
        assert sum(self._balances.values()) == 0, "the books do not balance"
        self._mark(posting)
        if posting.purpose not in (Purpose.OPENING, Purpose.RETURN):
            self._last_move = posting.id
            self._end_count()

    def _mark(self, posting: Posting) -> None:
        """Remember of whom a posting says what."""
        match posting.purpose:
            case Purpose.OPENING:
                self._close(posting.payee, posting.id - 1)
            case Purpose.RETURN:
                self._close(posting.payer, posting.id)
                return
            case Purpose.BANKRUPTCY:
                self._bankrupt[posting.payer] = posting.id
                self._bankruptcies.add(posting.id)
            case Purpose.REVERSAL:
                assert posting.reverses is not None, "a reversal of nothing"
                self._take_back(posting.reverses, posting.payee)
        if posting.purpose.is_move:
            self._keep_within_reach(posting)
        for account in posting.accounts:
            self._used[account] = posting.id
            if posting.purpose.is_move:
                self._moved[account] = posting.id

    def _take_back(self, original: int, payer: int) -> None:
        beyond = len(self._recent) == REACH and original < next(iter(self._recent))
        assert original in self._recent or beyond, "a reversal of nothing"
        if not beyond:
            self._taken_back.add(original)
        self._bankruptcies.discard(original)
        if self._bankrupt.get(payer) == original:
            del self._bankrupt[payer]

    def _keep_within_reach(self, move: Posting) -> None:
        self._recent[move.id] = move
        if len(self._recent) > REACH:
            oldest = next(iter(self._recent))
            del self._recent[oldest]
            self._taken_back.discard(oldest)

    def _close(self, number: int, after: int) -> None:
        """Whatever a number did until then was another card's, which has been forgotten."""
        if after >= self._started.first_posting:
            self._closed[number] = max(after, self._closed.get(number, 0))
        self._joined.discard(number)
        self._added.pop(number, None)
        if self._bankrupt.get(number, 0) <= after:
            self._bankrupt.pop(number, None)

    def _end_count(self) -> None:
        """Money has moved, or another game was played: what was counted is no longer true."""
        self._added.clear()
        self.counting = False

    # Money

    @property
    def accounts(self) -> dict[int, int]:
        """Every balance, the bank's and forgotten cards' included."""
        return dict(self._balances)

    def balance(self, account: int) -> int:
        return self._balances.get(account, 0)

    def has_account(self, number: int) -> bool:
        """Whether the card that has this number now has ever had money in this game."""
        return self._used.get(number, 0) > self._closed.get(number, 0)

    def held_by_others_than(self, numbers: Collection[int]) -> list[tuple[int, int]]:
        """The cards' accounts that hold something, but for some, each with what it holds."""
        kept = {BANK, POT, *numbers}
        return [(n, held) for n, held in self._balances.items() if held and n not in kept]

    def refusal(self, payer: int, payee: int, amount: int) -> Text | None:
        """Why an amount cannot move (M8), or None when it can."""
        if payer != BANK and self.balance(payer) < amount:
            return Text.NO_FUNDS
        if payee not in (BANK, POT) and self.balance(payee) + amount > self.edition.fullest:
            return Text.FULL
        return None

    @property
    def moves(self) -> list[Posting]:
        """What the people at the table moved and did not take back, newest first.

        But for what belongs to a card that has been forgotten since: another one may have its
        number by now.
        """
        return [
            posting
            for posting in self._standing()
            if posting.id > max(self._closed.get(n, 0) for n in posting.accounts)
        ]

    def _standing(self) -> Iterator[Posting]:
        """Every move within reach that was not taken back, newest first."""
        for posting in reversed(self._recent.values()):
            if posting.id not in self._taken_back:
                yield posting

    @property
    def last_amount(self) -> int | None:
        """What the newest move moved that was not taken back; None before there is one."""
        return next((posting.amount for posting in self._standing() if posting.amount), None)

    # Players, and what they are worth

    @property
    def out(self) -> Collection[int]:
        """The bankrupt."""
        return self._bankrupt.keys()

    @property
    def bankruptcies(self) -> int:
        """How many have not been taken back, also of cards that have been forgotten since."""
        return len(self._bankruptcies)

    def has_joined(self, number: int) -> bool:
        return number in self._joined

    def is_player(self, number: int) -> bool:
        """Whether a card has played and is not out (F16)."""
        moved = self._moved.get(number, 0) > self._closed.get(number, 0)
        return (number in self._joined or moved) and number not in self.out

    def is_counted(self, number: int) -> bool:
        return number in self._added

    def worth(self, number: int) -> int | None:
        """What a card has come to in the final count; None when it was not counted."""
        added = self._added.get(number)
        return None if added is None else self.balance(number) + added

    @property
    def last_counted(self) -> int | None:
        """The card that was counted last, or is being counted."""
        return next(reversed(self._added), None)

    def added(self, number: int) -> int:
        return self._added.get(number, 0)
