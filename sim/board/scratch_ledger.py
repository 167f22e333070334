"""A scratch ledger for a while, in a folder of its own; the ledger of the game stays untouched."""

import tempfile
from pathlib import Path

from firmware.bank.edition import Edition
from firmware.bank.ledger import Ledger
from firmware.storage import ledger_file
from sim.board import stock


class ScratchLedger:
    """A new ledger; it is removed with its folder."""

    def __init__(self, edition: Edition, *, stock_known: bool) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="tellerbox-")
        self.path = Path(self._folder.name) / "scratch.db"
        with ledger_file.opened_by_box(self.path) as store:
            ledger = Ledger(store, edition)
            if stock_known:
                ledger.know(stock.players(edition))

    def remove(self) -> None:
        self._folder.cleanup()
