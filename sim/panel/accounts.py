"""What the ledger says, for the page: accounts, postings as they happen, ticks for the chart.

It is read from the file, beside the box that writes it, so the page shows what is on disk.
"""

import sqlite3
from collections.abc import Iterable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from firmware import edition as editions
from firmware import ledger_file
from firmware.edition import Edition
from firmware.ledger import Ledger
from firmware.records import BANK, POT, JournalFailed, Posting
from firmware.rows import NONSENSE, Damaged, posting_of, rows
from firmware.store import Store
from sim.stock import STOCK

MOST_TICKS = 4
UNREADABLE = (sqlite3.Error, JournalFailed, Damaged, *NONSENSE)


class Books:
    """The ledger of one file."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file = _identity(path)
        self._open = ExitStack()
        self._connection = self._open.enter_context(ledger_file.reading(path))
        self._version: int | None = None
        self._told = (0, 0)
        """The game and the last posting that were told as news."""
        self._standing: dict[str, Any] = {}
        """All else that was told with them."""
        self._chart = Chart(0)
        self.edition = self.ledger.edition
        """Of the game that is being played."""

    def close(self) -> None:
        self._open.close()

    @property
    def replaced(self) -> bool:
        """Whether another file has taken the place of the one that is open."""
        return _identity(self._path) != self._file

    @property
    def ledger(self) -> Ledger:
        return Ledger(Store(self._connection), editions.load(editions.DEFAULT))

    def news(self) -> dict[str, Any] | None:
        """What has been written since this was last asked; None when nothing was."""
        try:
            (version,) = self._connection.execute("PRAGMA data_version").fetchone()
            if version == self._version:
                return None
            ledger = self.ledger
            game, last = self._told
            told = self._words_of(ledger, after=last if game == ledger.game else 0)
            unchanged = told == self._standing
            self._version, self._told = version, (ledger.game, self._chart.last)
            self._standing = {**told, "postings": []}
            # A minute of a game against the clock, say, is written and moves no money.
            return None if unchanged else told
        except UNREADABLE:
            # A ledger that cannot be read shows on the box; the page keeps what it has.
            return None

    def whole(self) -> dict[str, Any] | None:
        """All of the game, for who has just come; it is no less news to the others."""
        try:
            return self._words_of(self.ledger, after=0)
        except UNREADABLE:
            return None

    def _words_of(self, ledger: Ledger, after: int) -> dict[str, Any]:
        edition = self.edition = ledger.edition
        if self._chart.game != ledger.game:
            self._chart = Chart(ledger.game)
        # The chart may know less of a game that was resumed than the pages do.
        known = min(after, self._chart.last)
        where = "WHERE game = ? AND id > ?"
        found = [
            (posting_of(row), row[-1])
            for row in rows(self._connection, "posting", where, ledger.game, known)
        ]
        self._chart.follow(posting for posting, _ in found)
        by_uid = {uid: card for card, uid in enumerate(STOCK, start=1)}
        return {
            "game": ledger.game,
            "from": self._chart.first,
            "accounts": [
                {
                    "number": n,
                    "card": by_uid.get(uid),
                    "out": n in ledger.current.out,
                    **_amount(edition, ledger.balance(n)),
                }
                for n, uid in ledger.cards.items()
            ],
            "bank": _amount(edition, ledger.balance(BANK)),
            "pot": _amount(edition, ledger.balance(POT)) if POT in ledger.accounts else None,
            "postings": [
                _words(edition, posting, at) for posting, at in found if posting.id > after
            ],
            "ticks": [_amount(edition, tick, "amount") for tick in ticks(self._chart.peak)],
        }


class Chart:
    """Follows the postings of a game, to know how high its chart reaches."""

    def __init__(self, game: int) -> None:
        self.game = game
        self.first = 0
        self.last = 0
        self.peak = 0
        """The most that any card has had."""
        self._balances: dict[int, int] = {}

    def follow(self, postings: Iterable[Posting]) -> None:
        for posting in postings:
            if posting.id > self.last:
                self.first = self.first or posting.id
                self.last = posting.id
                self._book(posting)

    def _book(self, posting: Posting) -> None:
        for account, change in (
            (posting.payer, -posting.amount),
            (posting.payee, posting.amount),
        ):
            self._balances[account] = self._balances.get(account, 0) + change
        if posting.payee not in (BANK, POT):
            self.peak = max(self.peak, self._balances[posting.payee])


def opened(path: Path) -> Books | None:
    """The books of a ledger; None where it cannot be read."""
    try:
        return Books(path)
    except UNREADABLE:
        return None


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        stat = path.stat()
    except OSError:
        return None
    return stat.st_dev, stat.st_ino


def ticks(peak: int) -> list[int]:
    """Round amounts up to the peak, few enough to be read: steps of 1, 2 or 5 and zeros."""
    if peak <= 0:
        return []
    step = 1
    while peak // step > MOST_TICKS:
        step = step * 2 if str(step)[0] in "15" else step // 2 * 5
    return list(range(step, peak + 1, step))


def _amount(edition: Edition, amount: int, name: str = "balance") -> dict[str, Any]:
    written = edition.units.write(abs(amount))
    text = written.text if written.exact else f"{written.text}…"
    return {name: amount, "written": f"-{text}" if amount < 0 else text}


def _words(edition: Edition, posting: Posting, at: int) -> dict[str, Any]:
    return {
        "id": posting.id,
        "payer": posting.payer,
        "payee": posting.payee,
        **_amount(edition, posting.amount, "amount"),
        "purpose": posting.purpose.value,
        "reverses": posting.reverses,
        "at": at,
    }
