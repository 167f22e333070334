"""Reads what the chart shows: the balances of a game from its first posting on.

A game's postings are read once, slice by slice, because a long game has hundreds of thousands.
"""

import sqlite3
from typing import NamedTuple

from firmware.bank.edition import Edition
from firmware.bank.ledger import Ledger
from firmware.bank.records import BANK, POT
from firmware.reports import chart_svg
from firmware.reports.balances_over_time import Balance, BalancesOverTime
from firmware.storage import rows
from firmware.wording import written_exactly

SLICE = 200
"""Rows that are read at once, in a millisecond or two."""


class ChartReader:
    """Reads one game."""

    def __init__(self, ledger: Ledger) -> None:
        self.game = ledger.game
        self._balances = BalancesOverTime()
        self._moved: set[int] = set()
        """The accounts that players' moves have paid or been paid from."""
        self._next = ledger.current.state.started.first_posting
        """The first posting that has not been read."""
        self.behind = True
        """Whether there are more postings."""

    def read_on(self, connection: sqlite3.Connection) -> None:
        """Read a slice."""
        newest = rows.last_id(connection, "posting")
        last = min(self._next + SLICE - 1, newest)
        where = "WHERE id BETWEEN ? AND ? AND game = ?"
        found = rows.read(connection, "posting", where, self._next, last, self.game)
        for posting in [rows.posting_of(row) for row in found]:  # all of them, or none
            self._balances.add(posting)
            if posting.purpose.is_move:
                self._moved |= posting.accounts
        self._next = last + 1
        self.behind = last < newest

    def chart(self, ledger: Ledger) -> "GameChart":
        """The chart of the cards that have played."""
        counted = {number for number in ledger.cards if ledger.current.is_counted(number)}
        played = sorted((self._moved | counted) - {BANK, POT})
        found = self._balances.lines()
        lines = {number: found.get(number, []) for number in played}
        return GameChart(
            edition=ledger.edition,
            steps=self._balances.moves if played else 0,
            peak=max((held for line in lines.values() for _, held in line), default=0),
            lines=lines,
        )


class GameChart(NamedTuple):
    """Implements ``chart.Game``."""

    edition: Edition
    steps: int
    peak: int
    lines: dict[int, list[Balance]]

    def amount(self, amount: int) -> str:
        return written_exactly(self.edition, amount)

    @property
    def svg(self) -> str:
        """The drawing; empty without a move."""
        return chart_svg.svg(self, chart_svg.SMALL) if self.steps else ""
