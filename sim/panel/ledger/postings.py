"""Reads a part of a game's postings: the newest ones for a page, or older ones on demand."""

import sqlite3
from typing import NamedTuple

from firmware.bank.records import Posting
from firmware.storage import rows

PART = 200
"""The most postings that a page gets at once."""
LARGEST_ID = 2**63 - 1
"""SQLite's."""


class DatedPosting(NamedTuple):
    posting: Posting
    at: int
    """Seconds since 1970."""


class PartOfGame(NamedTuple):
    """Successive postings of a game, oldest first."""

    after: int
    """The last posting of the game before them; 0 if there is none."""
    postings: list[DatedPosting]


def newest(
    connection: sqlite3.Connection, game: int, *, after: int = 0, before: int = LARGEST_ID
) -> PartOfGame:
    """The newest postings between two, at most PART."""
    chosen = "SELECT id FROM posting WHERE game = ? AND id > ? AND id < ? ORDER BY id DESC LIMIT ?"
    where, before = f"WHERE id IN ({chosen})", min(max(before, 0), LARGEST_ID)
    found = list(rows.read(connection, "posting", where, game, after, before, PART + 1))
    if len(found) > PART:
        (after, *_), *found = found
    return PartOfGame(after, [DatedPosting(rows.posting_of(row), row[-1]) for row in found])
