"""Reads accounts, postings and the chart from the ledger, for the page.

The file is read beside the box that writes it, so the page shows what is on disk.

What is read for a change, and for a page that joins, is bounded, however long the game is. Only the
chart needs all postings. They are read once, slice by slice, so that keys are served in between.
"""

import sqlite3
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from firmware.bank import edition as editions
from firmware.bank.edition import Edition
from firmware.bank.ledger import Ledger
from firmware.bank.records import BANK, POT, JournalFailed
from firmware.reports.report import ranking, winners
from firmware.storage import ledger_file, rows
from firmware.storage.replay_reader import ForgottenNumbers
from firmware.storage.store import Store
from firmware.wording import written
from sim.board.stock import STOCK
from sim.panel.ledger import postings
from sim.panel.ledger.chart_reader import ChartReader, GameChart
from sim.panel.ledger.postings import DatedPosting, PartOfGame

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
        self._forgotten = ForgottenNumbers()
        ledger = self.ledger
        self._chart = ChartReader(ledger)
        self._last: dict[str, Any] | None = None
        """The state as of the last call of ``changes``."""
        self._sent = 0
        """The last posting that ``changes`` has returned."""
        self.edition = ledger.edition
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
        """The state and the newest postings since the last call; None if nothing has changed."""
        try:
            (version,) = self._connection.execute("PRAGMA data_version").fetchone()
            if version == self._version:
                return None
            state, part = self._read()
        except UNREADABLE:
            # The box itself shows the ledger error; the page keeps its last state.
            return None
        last, self._last, self._version = self._last, state, version
        if state == last:  # some writes move no money, such as the minutes of a timed game
            return None
        if part.postings:
            self._sent = part.postings[-1].posting.id
        return {**state, **_message(self.edition, part)}

    def whole(self) -> dict[str, Any] | None:
        """The state as of the last changes, and the newest postings, for a new page."""
        if not self._last:
            return self.changes()
        newest = self.older(postings.LARGEST_ID)
        return newest and {**self._last, **newest}

    def older(self, before: int) -> dict[str, Any] | None:
        """The postings before one; None if they cannot be read."""
        if not self._last:
            return None
        game = self._last["game"]
        try:
            part = postings.newest(self._connection, game, before=before)
            return {"game": game, **_message(self.edition, part)}
        except UNREADABLE:
            return None

    @property
    def behind(self) -> bool:
        """Whether the chart lacks postings that ``read_on`` would read."""
        return self._chart.behind

    def read_on(self) -> None:
        """Read more postings for the chart. When all are read, it is part of the next changes."""
        try:
            self._chart.read_on(self._connection)
            if not self._chart.behind:
                self._version = None
        except UNREADABLE:
            self._chart.behind = False

    def _read(self) -> tuple[dict[str, Any], PartOfGame]:
        ledger = self.ledger
        if ledger.game != self._chart.game:
            self._chart, self._sent = ChartReader(ledger), 0
        self._forgotten.read_on(self._connection)
        self._chart.read_on(self._connection)
        part = postings.newest(self._connection, ledger.game, after=self._sent)
        self.edition = ledger.edition
        chart = None if self._chart.behind else self._chart.chart(ledger)
        return _state(ledger, self._forgotten.ends, chart), part


def _state(ledger: Ledger, forgotten: dict[int, int], chart: GameChart | None) -> dict[str, Any]:
    edition, game = ledger.edition, ledger.current
    missing = ledger.not_counted if game.counting else []
    by_uid = {uid: card for card, uid in enumerate(STOCK, start=1)}
    ranked, counted = ranking(game, {*ledger.players, *game.out})
    return {
        "game": ledger.game,
        "accounts": [
            {
                "number": n,
                "card": by_uid.get(uid),
                "name": ledger.state.names.get(n, ""),
                "after": forgotten.get(n, 0),
                "out": n in game.out,
                "worth": _worth(ledger, n),
                "missing": n in missing,
                **_amount(edition, ledger.balance(n)),
            }
            for n, uid in ledger.cards.items()
        ],
        "winners": winners(ranked, counted=counted),
        "bank": _amount(edition, ledger.balance(BANK)),
        "pot": _amount(edition, ledger.balance(POT)) if POT in ledger.accounts else None,
        "moves": chart.steps if chart else 0,
        "chart": chart.svg if chart else "",
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


def _message(edition: Edition, part: PartOfGame) -> dict[str, Any]:
    """The content of a message to the page."""
    dated = [_posting(edition, posting) for posting in part.postings]
    return {"after": part.after, "postings": dated}


def _posting(edition: Edition, dated: DatedPosting) -> dict[str, Any]:
    posting = dated.posting
    return {
        "id": posting.id,
        "payer": posting.payer,
        "payee": posting.payee,
        **_amount(edition, posting.amount, "amount"),
        "purpose": posting.purpose.value,
        "reverses": posting.reverses,
        "at": dated.at,
    }
