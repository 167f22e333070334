"""One game: its accounts, its players, and its final count.

All of it follows from the records of that game, in their order. A game does no I/O and writes
nothing; the ledger does, and applies records here once they are durable.
"""

from collections.abc import Collection, Iterable

from firmware.bank import records
from firmware.bank.purposes import Purpose
from firmware.bank.records import (
    BANK,
    POT,
    UNDO_LIMIT,
    AccountRestored,
    GameState,
    Posting,
    Record,
)
from firmware.bank.refusals import Refusal


class Game:
    """A game and its state."""

    def __init__(self, state: GameState) -> None:
        self._state = state
        self.number, self.edition, _, self.kind, self.minutes, _ = state.started
        self.milliseconds_played = 0
        self._check_balances(state.balances)

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
            case records.MadeAgain(original=original):
                if original in state.recent:
                    state.made_again.add(original)
            case records.AccountClosed(number=number, after=after):
                self._close(number, after)
                # Not in `_close`, which also runs for postings: a replay applies all postings
                # before the counted amounts.
                state.counted.pop(number, None)
                state.added.pop(number, None)
            case records.AccountRestored():
                self._restore(record)
            case records.TimePlayed(milliseconds=milliseconds):
                self.milliseconds_played = milliseconds
            case _:
                self._apply_to_count(record)

    def _apply_to_count(self, record: records.CountRecord) -> None:
        state = self._state
        match record:
            case records.CountOpened(after=after):
                state.counting = after >= state.last.move
            case records.CountLeft():
                state.counting = False
            case records.Counted(number=number, added=added, after=after):
                if after >= state.last.move:
                    state.added[number] = added
            case records.CountedIn(number=number):
                state.counted.setdefault(number, ())
            case records.AmountCounted(number=number, amount=amount):
                state.counted[number] = (*state.counted.get(number, ()), amount)
            case records.AmountUncounted(number=number):
                assert state.counted.get(number), "nothing was counted for a card"
                state.counted[number] = state.counted[number][:-1]

    def _book(self, posting: Posting) -> None:
        state = self._state
        assert posting.game == self.number, "a posting belongs to another game"
        assert posting.id > state.last.posting, "a posting is out of order"
        assert posting.payer != posting.payee, "an account cannot pay itself"
        assert posting.amount > 0 or posting.purpose.may_be_zero, "a posting moves nothing"
        assert (posting.purpose is Purpose.REVERSAL) == (posting.reverses is not None)
        state.last = state.last._replace(posting=posting.id)
        for account, change in posting.changes:
            state.balances[account] = self.balance(account) + change
        self._check_balances(posting.accounts)
        self._index(posting)
        if posting.purpose.moves_money:
            state.last = state.last._replace(move=posting.id)
            self._end_count()

    def _check_balances(self, accounts: Iterable[int]) -> None:
        balances = self._state.balances
        for account in accounts:
            held = balances[account]
            assert account == BANK or held >= 0, "a card has a negative balance"
            assert account in (BANK, POT) or held <= self.edition.fullest, "a card has too much"
        assert sum(balances.values()) == 0, "the sum of all balances is not zero"

    def _index(self, posting: Posting) -> None:
        """Update the per-account indexes."""
        state = self._state
        match posting.purpose:
            case Purpose.OPENING:
                # In a replay, the event that closed the account comes later.
                self._close(posting.payee, state.used.get(posting.payee, 0))
            case Purpose.RETURN:
                self._close(posting.payer, posting.id)
                return
            case Purpose.BANKRUPTCY:
                state.bankrupt[posting.payer] = posting.id
                state.bankruptcies.add(posting.id)
            case Purpose.REVERSAL:
                assert posting.reverses is not None, "a reversal of an unknown posting"
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
                state.made_again.discard(oldest)

    def _take_back(self, original: int, payer: int) -> None:
        state = self._state
        is_too_old = len(state.recent) == UNDO_LIMIT and original < next(iter(state.recent))
        assert original in state.recent or is_too_old, "a reversal of an unknown posting"
        if not is_too_old:
            state.taken_back.add(original)
        state.bankruptcies.discard(original)
        if state.bankrupt.get(payer) == original:
            del state.bankrupt[payer]

    def _close(self, number: int, after: int) -> None:
        """Detach a number from its earlier postings, which belong to a forgotten card."""
        state = self._state
        if after >= state.started.first_posting:
            state.closed[number] = max(after, state.closed.get(number, 0))
        if state.bankrupt.get(number, 0) <= after:
            state.bankrupt.pop(number, None)

    def _restore(self, record: records.AccountRestored) -> None:
        """Undo ``AccountClosed``; records of their own restore the amounts counted for the card."""
        state, number = self._state, record.number
        if record.closed:
            state.closed[number] = record.closed
        else:
            state.closed.pop(number, None)
        # In a replay, later postings come first: the bankruptcy may have been reversed since, or
        # a later card with this number may be bankrupt, too.
        if record.bankrupt in state.bankruptcies:
            state.bankrupt[number] = max(record.bankrupt, state.bankrupt.get(number, 0))

    def account(self, number: int) -> AccountRestored:
        """The record that restores this account after it was closed."""
        state = self._state
        closed, bankrupt = state.closed.get(number, 0), state.bankrupt.get(number, 0)
        return AccountRestored(self.number, number, closed, bankrupt)

    def _end_count(self) -> None:
        """Close the final count: money has moved, or another game was played."""
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
    def history(self) -> list[Posting]:
        """The players' newest moves, newest first; of a move made again only the newer one.

        Moves of cards that were forgotten since are left out: another card may have the number.
        """
        state = self._state
        return [
            posting
            for posting in reversed(state.recent.values())
            if posting.id not in state.made_again
            and posting.id > max(state.closed.get(n, 0) for n in posting.accounts)
        ]

    def is_taken_back(self, posting: Posting) -> bool:
        return posting.id in self._state.taken_back

    @property
    def has_moves(self) -> bool:
        """Whether money has moved in it, also if all of it was taken back (F20)."""
        return self._state.last.move > 0

    @property
    def last_amount(self) -> int | None:
        """The amount of the newest move that was not undone; None if there is none."""
        amounts = (
            posting.amount
            for posting in reversed(self._state.recent.values())
            if not self.is_taken_back(posting)
        )
        return next((amount for amount in amounts if amount), None)

    # Players and the final count

    @property
    def out(self) -> Collection[int]:
        """The bankrupt players."""
        return self._state.bankrupt.keys()

    def bankruptcy_of(self, number: int) -> int:
        """The posting that made a player bankrupt."""
        return self._state.bankrupt[number]

    @property
    def bankruptcies(self) -> int:
        """The number of bankruptcies that were not undone, also of cards forgotten since."""
        return len(self._state.bankruptcies)

    def is_player(self, number: int) -> bool:
        """Whether a card has played and is not out (F16)."""
        moved = self._state.moved.get(number, 0) > self._state.closed.get(number, 0)
        return (moved or self.is_counted(number)) and number not in self.out

    def is_counted(self, number: int) -> bool:
        return number in self._state.counted or number in self._state.added

    def worth(self, number: int) -> int | None:
        """A card's result in the final count; None if it was not counted."""
        return self.balance(number) + self.added(number) if self.is_counted(number) else None

    def added(self, number: int) -> int:
        """What the final count has added to a card's balance."""
        return self.added_before(number) + sum(self.amounts(number))

    def amounts(self, number: int) -> tuple[int, ...]:
        """The amounts that were counted for a card, the last one at the end."""
        return self._state.counted.get(number, ())

    def added_before(self, number: int) -> int:
        """What was counted for a card under the first edition of the rules (D47)."""
        return self._state.added.get(number, 0)
