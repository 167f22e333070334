"""Reads a box's ledger as another program would, bypassing the simulated disk.

The file is read again only if the card was written since. With ``keep_open`` the connection stays
open between reads, which must make no difference to the bank.
"""

import sqlite3
from contextlib import closing, nullcontext
from pathlib import Path
from urllib.parse import quote

from firmware.bank.edition import Edition
from firmware.bank.ledger import Ledger
from firmware.storage import audit
from firmware.storage.store import Store
from tests.campaign.storm.observation import LedgerSummary, summary_of_ledger


class LedgerReader:
    """Reads a ledger's file. Close it whenever the box loses power."""

    def __init__(self, path: Path, edition: Edition, *, keep_open: bool) -> None:
        # The system's own VFS, which the simulated disk does not intercept.
        self._uri = f"file:{quote(str(path))}?mode=ro&vfs=unix"
        self._edition = edition
        self._keep_open = keep_open
        self._connection: sqlite3.Connection | None = None
        self._read_at = -1
        self._summary: LedgerSummary | None = None

    def summary(self, operation: int) -> LedgerSummary:
        """The ledger's contents after this operation of the card."""
        if self._summary is None or operation != self._read_at:
            with self._open() as connection:
                self._summary = summary_of_ledger(Ledger(Store(connection), self._edition))
            self._read_at = operation
        return self._summary

    def audit(self) -> list[str]:
        """All faults that an audit finds."""
        with self._open() as connection:
            return [fault for finding in audit.audit(connection) for fault in finding.faults]

    def _open(self) -> "closing[sqlite3.Connection] | nullcontext[sqlite3.Connection]":
        if self._connection:
            return nullcontext(self._connection)
        connection = sqlite3.connect(self._uri, uri=True, isolation_level=None)
        if not self._keep_open:
            return closing(connection)
        self._connection = connection
        return nullcontext(connection)

    def close(self) -> None:
        if self._connection:
            self._connection.close()
        self._connection = self._summary = None
