"""The scratch ledger: what a box banks on while its console is open.

It lies beside the real one and is as durable, so that a test of the power can trust it,
and nobody's game is touched.
"""

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from firmware import ledger_file
from firmware.edition import Edition
from firmware.ledger import Ledger
from firmware.ledger_file import LedgerRefused
from firmware.store import Store


def beside(ledger: Path) -> Path:
    return ledger.with_name(f"{ledger.stem}-scratch.db")


class Scratch:
    """One file, open or not."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._open = ExitStack()

    def opened(self) -> Store:
        """What is on disk, read anew; raises LedgerRefused."""
        self.close()
        return self._open.enter_context(ledger_file.held_by_box(self.path))

    def begun_anew(self, edition: Edition, known: Sequence[bytes]) -> Store:
        """A new one in place of what was there; raises LedgerRefused."""
        self.close()
        with ledger_file.locked(self.path):  # not under the feet of another box
            self._remove()
        store = self.opened()
        ledger = Ledger(store, edition)
        if known:
            ledger.know(known)
        return store

    def _remove(self) -> None:
        try:
            for ending in ("", "-wal", "-shm"):
                self.path.with_name(self.path.name + ending).unlink(missing_ok=True)
        except OSError as error:
            raise LedgerRefused(f"{self.path}: cannot be removed: {error.strerror}") from None

    def close(self) -> None:
        self._open.close()
