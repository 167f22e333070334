"""Looks into a box's ledger from outside, as another program would, and never through its disk.

It reads again only when the box's card was written to since. Mostly it closes the ledger after
each look. As an onlooker it keeps it open, which a program that only reads may do, and which
must make no difference to the bank.
"""

import sqlite3
from contextlib import closing, nullcontext
from pathlib import Path
from urllib.parse import quote

from firmware import audit
from firmware.edition import Edition
from firmware.ledger import Ledger
from firmware.store import Store
from sim.storm.seen import Books, books_of_ledger


class LedgerReader:
    """What is in a ledger's file now; to be told whenever the box's power goes."""

    def __init__(self, path: Path, edition: Edition, *, stays: bool) -> None:
        # By its name, the system's own way to files: what the box's disk refuses is not asked.
        self._uri = f"file:{quote(str(path))}?mode=ro&vfs=unix"
        self._edition = edition
        self._stays = stays
        self._connection: sqlite3.Connection | None = None
        self._read_at = -1
        self._books: Books | None = None

    def books(self, operation: int) -> Books:
        """What it says, after that operation of the card."""
        if self._books is None or operation != self._read_at:
            with self._opened() as connection:
                self._books = books_of_ledger(Ledger(Store(connection), self._edition))
            self._read_at = operation
        return self._books

    def faults(self) -> list[str]:
        """Everything that an audit finds wrong."""
        with self._opened() as connection:
            return [fault for finding in audit.audit(connection) for fault in finding.faults]

    def _opened(self) -> "closing[sqlite3.Connection] | nullcontext[sqlite3.Connection]":
        if self._connection:
            return nullcontext(self._connection)
        connection = sqlite3.connect(self._uri, uri=True, isolation_level=None)
        if not self._stays:
            return closing(connection)
        self._connection = connection
        return nullcontext(connection)

    def close(self) -> None:
        if self._connection:
            self._connection.close()
        self._connection = self._books = None
