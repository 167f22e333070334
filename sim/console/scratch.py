"""The scratch ledger, which a box uses while its console is open.

It is a file beside the real ledger, which stays untouched, and it is as durable.
"""

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path

from firmware.bank.edition import Edition
from firmware.bank.ledger import Ledger
from firmware.storage import ledger_file
from firmware.storage.ledger_check import LOG
from firmware.storage.ledger_file import LedgerRefused
from firmware.storage.store import Store


def beside(ledger: Path) -> Path:
    return ledger.with_name(f"{ledger.stem}-scratch.db")


class Scratch:
    """The file, open or closed."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._open = ExitStack()

    def opened(self) -> Store:
        """Open it, or open it again. Raises LedgerRefused."""
        self.close()
        return self._open.enter_context(ledger_file.opened_by_box(self.path))

    def replaced(self, edition: Edition, known: Sequence[bytes], names: Mapping[int, str]) -> Store:
        """Replace it by a new ledger that knows these cards. Raises LedgerRefused."""
        self.close()
        with ledger_file.locked(self.path):  # another box may have it open
            self._remove()
        store = self.opened()
        ledger = Ledger(store, edition)
        if known:
            ledger.know(known, names)
        return store

    def _remove(self) -> None:
        try:
            for ending in ("", LOG, "-shm"):
                self.path.with_name(self.path.name + ending).unlink(missing_ok=True)
        except OSError as error:
            raise LedgerRefused(f"{self.path}: cannot be removed: {error.strerror}") from None

    def close(self) -> None:
        self._open.close()
