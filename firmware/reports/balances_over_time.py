"""The balances of a game over time, kept up to date posting by posting, for a chart of any length.

However long the game, this has a bounded size: the moves are divided into stretches, and of each
stretch an account keeps its lowest, its highest and its last balance.
"""

from collections import deque
from collections.abc import Iterable, Iterator
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple

from firmware.bank.purposes import Purpose
from firmware.bank.records import UNDO_LIMIT, Posting

MAX_STRETCHES = 400
"""When there are more, two become one. A chart has room for half as many."""


class Balance(NamedTuple):
    """An account's balance from a move on; the openings are before move 1."""

    move: int
    amount: int


_AMOUNT = attrgetter("amount")


class BalancesOverTime:
    """The balances of all accounts of a game, without moves that were taken back at once."""

    def __init__(self) -> None:
        self._untaken: deque[Posting] = deque()
        """The newest postings: each may still be taken back at once."""
        self._settled = _Lines()
        """Up to the posting before them."""

    def add(self, posting: Posting) -> None:
        if posting.purpose is Purpose.OPENING:
            # Whatever was before it can no longer be taken back at once.
            self._settle(len(self._untaken))
            self._settled.add(posting)
        elif self._untaken and is_undone_by(self._untaken[-1], posting):
            self._untaken.pop()
        else:
            self._untaken.append(posting)
            self._settle(len(self._untaken) - UNDO_LIMIT)

    def _settle(self, count: int) -> None:
        for _ in range(count):
            self._settled.add(self._untaken.popleft())

    @property
    def moves(self) -> int:
        return self._settled.moves + len(self._untaken)

    def lines(self) -> dict[int, list[Balance]]:
        """The balances of each account, oldest first."""
        return self._settled.continued_by(self._untaken)


class _Lines:
    """The balances of each account in stretches of equal length."""

    def __init__(self) -> None:
        self.moves = 0
        self._moves_a_stretch = 1
        self._closed: dict[int, list[Balance]] = {}
        self._open: dict[int, list[Balance]] = {}
        """In the stretch of each account's last change."""

    def add(self, posting: Posting) -> None:
        if posting.purpose is not Purpose.OPENING:
            self.moves += 1
        for account, change in posting.changes:
            self._note(account, Balance(self.moves, self._held(account) + change))
        if self.moves >= MAX_STRETCHES * self._moves_a_stretch:
            self._widen()

    def _held(self, account: int) -> int:
        known = self._open.get(account)
        return known[-1].amount if known else 0

    def _note(self, account: int, balance: Balance) -> None:
        stretch = self._open.get(account, [])
        if stretch and self._is_elsewhere(stretch[-1], balance):
            self._closed.setdefault(account, []).extend(stretch)
            stretch = []
        earlier = [each for each in stretch if each.move != balance.move]
        self._open[account] = extremes([*earlier, balance])

    def _is_elsewhere(self, one: Balance, other: Balance) -> bool:
        return one.move // self._moves_a_stretch != other.move // self._moves_a_stretch

    def _widen(self) -> None:
        self._moves_a_stretch *= 2
        for account, stretch in self._open.items():
            whole = [*self._closed.get(account, []), *stretch]
            *closed, self._open[account] = stretches(whole, self._moves_a_stretch)
            self._closed[account] = [balance for each in closed for balance in each]

    def continued_by(self, postings: Iterable[Posting]) -> dict[int, list[Balance]]:
        """The lines, and the balances after more postings."""
        lines = {
            account: [*self._closed.get(account, []), *stretch]
            for account, stretch in self._open.items()
        }
        for move, posting in enumerate(postings, start=self.moves + 1):
            for account, change in posting.changes:
                line = lines.setdefault(account, [])
                line.append(Balance(move, (line[-1].amount if line else 0) + change))
        return lines


def is_undone_by(posting: Posting, later: Posting) -> bool:
    """Whether this posting is undone by the one right after it.

    That is a move by its reversal, or a forgotten card's return by its restoration (F19).
    """
    restores = later.purpose is Purpose.RESTORED and posting.purpose is Purpose.RETURN
    return later.reverses == posting.id or (restores and later.payee == posting.payer)


def stretches(line: Iterable[Balance], moves: int) -> Iterator[list[Balance]]:
    """The extremes of each stretch of so many moves, without empty stretches."""
    for _, stretch in groupby(line, key=lambda balance: balance.move // moves):
        yield extremes(list(stretch))


def extremes(stretch: list[Balance]) -> list[Balance]:
    """The lowest, the highest and the last of some balances, in their order."""
    if len(stretch) == 1:
        return stretch
    lowest, highest = min(stretch, key=_AMOUNT), max(stretch, key=_AMOUNT)
    return sorted({lowest, highest, stretch[-1]})
