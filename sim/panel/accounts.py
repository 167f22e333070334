"""Reads accounts, postings and the chart from the ledger, for the page.

The file is read beside the box that writes it, so the page shows what is on disk.
"""

import sqlite3
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from firmware.bank import edition as editions
from firmware.bank.edition import Edition
from firmware.bank.ledger import Ledger
from firmware.bank.records import BANK, POT, JournalFailed, Posting
from firmware.reports import chart_svg
from firmware.reports.report import report_of
from firmware.storage import ledger_file, rows
from firmware.storage.store import Store
from firmware.wording import written
from sim.board.stock import STOCK

UNREADABLE = (sqlite3.Error, JournalFailed, rows.DamagedRow, *rows.ROW_ERRORS)


class AccountsReader:
    """Reads one ledger file."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file = _identity(path)
        self._open = ExitStack()
        self._connection = self._open.enter_context(ledger_file.reading(path))
        self._version: int | None = None
        """SQLite's number, which every change of the file increases."""
        self._last: dict[str, Any] = {"game": 0}
        """The state as of the last call of ``changes``."""
        self.edition = self.ledger.edition
        """The current game's."""

    def close(self) -> None:
        self._open.close()

    @property
    def replaced(self) -> bool:
        """Whether another file is at the path now."""
        return _identity(self._path) != self._file

    @property
    def ledger(self) -> Ledger:
        return Ledger(Store(self._connection), editions.load(editions.DEFAULT))

    @property
    def readable_ledger(self) -> Ledger | None:
        """The ledger; None if it cannot be read now."""
        try:
            return self.ledger
        except UNREADABLE:
            return None

    def changes(self) -> dict[str, Any] | None:
        """The state and the postings since the last call; None if nothing has changed."""
        try:
            (version,) = self._connection.execute("PRAGMA data_version").fetchone()
            if version == self._version:
                return None
            state = self._state()
        except UNREADABLE:
            # The box itself shows the ledger error; the page keeps its last state.
            return None
        last, self._last, self._version = self._last, state, version
        if state == last:  # some writes move no money, such as the minutes of a timed game
            return None
        known = len(last["postings"]) if last["game"] == state["game"] else 0
        return {**state, "postings": state["postings"][known:]}

    def whole(self) -> dict[str, Any] | None:
        """The whole game, for a new page; ``changes`` is not affected."""
        try:
            return self._state()
        except UNREADABLE:
            return None

    def _state(self) -> dict[str, Any]:
        ledger = self.ledger
        edition = self.edition = ledger.edition
        postings = [
            _posting(edition, rows.posting_of(row), at=row[-1])
            for row in rows.read(self._connection, "posting", "WHERE game = ?", ledger.game)
        ]
        report = report_of(self._connection, ledger.game)
        names, game = report.names, ledger.current
        missing = ledger.not_counted if game.counting else []
        by_uid = {uid: card for card, uid in enumerate(STOCK, start=1)}
        return {
            "game": ledger.game,
            "from": postings[0]["id"] if postings else 0,
            "accounts": [
                {
                    "number": n,
                    "card": by_uid.get(uid),
                    "name": names.by_number.get(n, ""),
                    "after": names.forgotten.get(n, 0),
                    "out": n in game.out,
                    "worth": _worth(ledger, n),
                    "missing": n in missing,
                    **_amount(edition, ledger.balance(n)),
                }
                for n, uid in ledger.cards.items()
            ],
            "winners": report.winners,
            "bank": _amount(edition, ledger.balance(BANK)),
            "pot": _amount(edition, ledger.balance(POT)) if POT in ledger.accounts else None,
            "postings": postings,
            "moves": report.steps,
            "chart": chart_svg.svg(report, chart_svg.SMALL) if report.steps else "",
        }


def opened(path: Path) -> AccountsReader | None:
    """A reader of that ledger; None if it cannot be read."""
    try:
        return AccountsReader(path)
    except UNREADABLE:
        return None


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        stat = path.stat()
    except OSError:
        return None
    return stat.st_dev, stat.st_ino


def _amount(edition: Edition, amount: int, name: str = "balance") -> dict[str, Any]:
    return {name: amount, "written": written(edition, amount)}


def _worth(ledger: Ledger, number: int) -> str | None:
    """A player's result in the final count; None if the card was not counted (F16)."""
    game = ledger.current
    worth = None if number in game.out else game.worth(number)
    return None if worth is None else written(ledger.edition, worth)


def _posting(edition: Edition, posting: Posting, at: int) -> dict[str, Any]:
    return {
        "id": posting.id,
        "payer": posting.payer,
        "payee": posting.payee,
        **_amount(edition, posting.amount, "amount"),
        "purpose": posting.purpose.value,
        "reverses": posting.reverses,
        "at": at,
    }
