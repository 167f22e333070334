"""One game: its accounts, its players, and its final count.

All of it follows from the records of that game, in their order. A game does no I/O and writes
nothing; the ledger does, and applies records here once they are durable.
"""

from collections.abc import Collection, Iterable, Iterator

from firmware.bank import records
from firmware.bank.purposes import Purpose
from firmware.bank.records import BANK, POT, UNDO_LIMIT, GameState, Posting, Record
from firmware.bank.refusals import Refusal


class Game:
    """A game and its state."""

    def __init__(self, state: GameState) -> None:
        self._state = state
        self.number, self.edition, _, self.kind, self.minutes, _ = state.started
        self.milliseconds_played = 0
        assert sum(state.balances.values()) == 0, "the sum of all balances is not zero"

    @property
    def state(self) -> GameState:
        """A snapshot, without the time played, which is stored elsewhere."""
        return self._state.copy()

    @property
    def counting(self) -> bool:
        """Whether the final count is open."""
        return self._state.counting

    @classmethod
    def of(cls, found: Iterable[Record]) -> "Game":
        """The game that these records start; records of cards and choices are skipped."""
        game: Game | None = None
        for record in found:
            match record:
                case records.GameStarted():
                    game = cls(GameState(record))
                case records.Checkpoint():
                    game = cls(record.game)
                case _ if game and isinstance(record, records.GameRecord):
                    game.apply(record)
        assert game, "a game has no beginning"
        return game

    def apply(self, record: records.GameRecord) -> None:
        """Update the state by a durable record."""
        state = self._state
        match record:
            case Posting():
                self._book(record)
            case records.GameResumed():
                self._end_count()
            case records.PlayerJoined(number=number):
                state.joined.add(number)
            case records.AccountClosed(number=number, after=after):
                self._close(number, after)
            case records.CountOpened(after=after):
                state.counting = after >= state.last.move
            case records.CountLeft():
                state.counting = False
            case records.Counted(number=number, added=added, after=after):
                if after >= state.last.move:
                    # The card that was counted last comes last.
                    state.added.pop(number, None)
                    state.added[number] = added
            case records.TimePlayed(milliseconds=milliseconds):
                self.milliseconds_played = milliseconds

    def _book(self, posting: Posting) -> None:
        state = self._state
        assert posting.game == self.number, "a posting belongs to another game"
        assert posting.id > state.last.posting, "a posting came twice"
        assert posting.payer != posting.payee, "an account cannot pay itself"
        assert posting.amount > 0 or posting.purpose.may_be_zero, "a posting moves something"
        assert (posting.purpose is Purpose.REVERSAL) == (posting.reverses is not None)
        state.last = state.last._replace(posting=posting.id)
        for account, change in posting.changes:
            held = state.balances[account] = self.balance(account) + change
            assert account == BANK or held >= 0, "a card owes money"
            assert account in (BANK, POT) or held <= self.edition.fullest
        assert sum(state.balances.values()) == 0, "the sum of all balances is not zero"
        self._index(posting)
        if posting.purpose not in (Purpose.OPENING, Purpose.RETURN):
            state.last = state.last._replace(move=posting.id)
            self._end_count()

    def _index(self, posting: Posting) -> None:
        """Update the per-account indexes."""
        state = self._state
        match posting.purpose:
            case Purpose.OPENING:
                self._close(posting.payee, posting.id - 1)
            case Purpose.RETURN:
                self._close(posting.payer, posting.id)
                return
            case Purpose.BANKRUPTCY:
                state.bankrupt[posting.payer] = posting.id
                state.bankruptcies.add(posting.id)
            case Purpose.REVERSAL:
                assert posting.reverses is not None, "a reversal of nothing"
                self._take_back(posting.reverses, posting.payee)
        for account in posting.accounts:
            state.used[account] = posting.id
        if posting.purpose.is_move:
            state.moved.update(dict.fromkeys(posting.accounts, posting.id))
            state.recent[posting.id] = posting
            if len(state.recent) > UNDO_LIMIT:
                oldest = next(iter(state.recent))
                del state.recent[oldest]
                state.taken_back.discard(oldest)

    def _take_back(self, original: int, payer: int) -> None:
        state = self._state
        is_too_old = len(state.recent) == UNDO_LIMIT and original < next(iter(state.recent))
        assert original in state.recent or is_too_old, "a reversal of nothing"
        if not is_too_old:
            state.taken_back.add(original)
        state.bankruptcies.discard(original)
        if state.bankrupt.get(payer) == original:
            del state.bankrupt[payer]

    def _close(self, number: int, after: int) -> None:
        """Separate a number from its postings so far: they belong to a card that was forgotten."""
        state = self._state
        if after >= state.started.first_posting:
            state.closed[number] = max(after, state.closed.get(number, 0))
        state.joined.discard(number)
        state.added.pop(number, None)
        if state.bankrupt.get(number, 0) <= after:
            state.bankrupt.pop(number, None)

    def _end_count(self) -> None:
        """Discard the final count: money has moved, or another game was played."""
        self._state.added.clear()
        self._state.counting = False

    # Money

    @property
    def accounts(self) -> dict[int, int]:
        """Every balance, including those of the bank and of forgotten cards."""
        return dict(self._state.balances)

    def balance(self, account: int) -> int:
        return self._state.balances.get(account, 0)

    def has_account(self, number: int) -> bool:
        """Whether the card that has this number now has ever had money in this game."""
        return self._state.used.get(number, 0) > self._state.closed.get(number, 0)

    def refusal(self, payer: int, payee: int, amount: int) -> Refusal | None:
        """Why an amount cannot move (M8); None if it can."""
        if payer != BANK and self.balance(payer) < amount:
            return Refusal.NO_FUNDS
        if payee not in (BANK, POT) and self.balance(payee) + amount > self.edition.fullest:
            return Refusal.FULL
        return None

    @property
    def moves(self) -> list[Posting]:
        """The players' moves that can be undone, newest first.

        Moves of cards that were forgotten since are left out: another card may have the number.
        """
        return [
            posting
            for posting in self._not_undone()
            if posting.id > max(self._state.closed.get(n, 0) for n in posting.accounts)
        ]

    def _not_undone(self) -> Iterator[Posting]:
        for posting in reversed(self._state.recent.values()):
            if posting.id not in self._state.taken_back:
                yield posting

    @property
    def last_amount(self) -> int | None:
        """The amount of the newest move that was not undone; None if there is none."""
        return next((posting.amount for posting in self._not_undone() if posting.amount), None)

    # Players and the final count

    @property
    def out(self) -> Collection[int]:
        """The bankrupt players."""
        return self._state.bankrupt.keys()

    @property
    def bankruptcies(self) -> int:
        """The number of bankruptcies that were not undone, also of cards forgotten since."""
        return len(self._state.bankruptcies)

    def has_joined(self, number: int) -> bool:
        return number in self._state.joined

    def is_player(self, number: int) -> bool:
        """Whether a card has played and is not out (F16)."""
        moved = self._state.moved.get(number, 0) > self._state.closed.get(number, 0)
        return (number in self._state.joined or moved) and number not in self.out

    def is_counted(self, number: int) -> bool:
        return number in self._state.added

    def worth(self, number: int) -> int | None:
        """A card's result in the final count; None if it was not counted."""
        return self.balance(number) + self.added(number) if self.is_counted(number) else None

    @property
    def last_counted(self) -> int | None:
        """The card that was counted last, or is being counted."""
        return next(reversed(self._state.added), None)

    def added(self, number: int) -> int:
        return self._state.added.get(number, 0)
