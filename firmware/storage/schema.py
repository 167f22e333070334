"""The tables of a ledger file, version by version.

A ledger's version is in its ``user_version``; an empty file has version 0. Each step below
migrates it by one version, so a new ledger and an old one take the same steps. A released step
is never edited.

Tests: tests/unit/firmware/storage/test_old_ledger.py.
"""

import sqlite3
from contextlib import closing
from functools import cache

APPLICATION_ID = 0x54454C42
"""The letters TELB: distinguishes a ledger from other databases."""

NOT_UTF8 = "the schema is not valid UTF-8"
"""The reason for a UnicodeDecodeError: SQLite quoted a definition with a flipped bit."""

_VERSION_1 = """
CREATE TABLE game (
    id INTEGER PRIMARY KEY,
    edition TEXT NOT NULL,
    first_posting INTEGER NOT NULL CHECK (first_posting > 0),
    at INTEGER NOT NULL,
    seal INTEGER NOT NULL
) STRICT;
CREATE TABLE posting (
    id INTEGER PRIMARY KEY,
    game INTEGER NOT NULL REFERENCES game (id),
    payer INTEGER NOT NULL CHECK (payer >= 0),
    payee INTEGER NOT NULL CHECK (payee >= 0 AND payee <> payer),
    amount INTEGER NOT NULL CHECK (amount > 0),
    purpose TEXT NOT NULL,
    reverses INTEGER UNIQUE REFERENCES posting (id),
    at INTEGER NOT NULL,
    seal INTEGER NOT NULL
) STRICT;
CREATE TABLE card (
    id INTEGER PRIMARY KEY,
    what TEXT NOT NULL CHECK (what IN ('known', 'forgotten', 'replacement')),
    number INTEGER NOT NULL CHECK (number > 0),
    uid TEXT CHECK ((uid IS NOT NULL) = (what = 'known')),
    at INTEGER NOT NULL,
    seal INTEGER NOT NULL
) STRICT;
CREATE TABLE setting (
    name TEXT PRIMARY KEY,
    value INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
"""


def _never_changed(*tables: str) -> str:
    return "".join(
        f"CREATE TRIGGER {table}_no_{verb} BEFORE {verb} ON {table} "
        f"BEGIN SELECT RAISE(ABORT, 'a {table} is never changed'); END;\n"
        for table in tables
        for verb in ("UPDATE", "DELETE")
    )


# A bankrupt player may have nothing left to pay, so an amount may now be 0. SQLite cannot change
# a table's checks, so the postings are copied to a new table. The old table is renamed instead of
# the new one: SQLite rewrites a renamed table's definition, and ours is compared literally
# (``faults``).
_VERSION_2 = """
ALTER TABLE posting RENAME TO posting_1;
CREATE TABLE posting (
    id INTEGER PRIMARY KEY,
    game INTEGER NOT NULL REFERENCES game (id),
    payer INTEGER NOT NULL CHECK (payer >= 0),
    payee INTEGER NOT NULL CHECK (payee >= 0 AND payee <> payer),
    amount INTEGER NOT NULL
        CHECK (amount > 0 OR (amount = 0 AND purpose IN ('bankruptcy', 'reversal'))),
    purpose TEXT NOT NULL,
    reverses INTEGER UNIQUE REFERENCES posting (id),
    at INTEGER NOT NULL,
    seal INTEGER NOT NULL
) STRICT;
INSERT INTO posting SELECT * FROM posting_1 ORDER BY id;
DROP TABLE posting_1;
CREATE TABLE event (
    id INTEGER PRIMARY KEY,
    what TEXT NOT NULL CHECK (what IN ('started', 'resumed', 'joined', 'count opened',
        'count left', 'counted', 'forgotten', 'next kind', 'next edition')),
    game INTEGER REFERENCES game (id) CHECK ((game IS NULL) = (what LIKE 'next %')),
    number INTEGER NOT NULL,
    amount INTEGER NOT NULL,
    text TEXT NOT NULL,
    posting INTEGER NOT NULL CHECK (posting >= 0),
    at INTEGER NOT NULL,
    seal INTEGER NOT NULL
) STRICT;
"""

_VERSION_3 = """
CREATE TABLE checkpoint (
    id INTEGER PRIMARY KEY,
    game INTEGER NOT NULL REFERENCES game (id),
    posting INTEGER NOT NULL,
    event INTEGER NOT NULL,
    card INTEGER NOT NULL,
    state TEXT NOT NULL,
    at INTEGER NOT NULL,
    seal INTEGER NOT NULL
) STRICT;
"""

# The second edition of the rules: cards have names, a replacement can be cancelled, the final count
# keeps each amount, a move can be made again, and a forgotten card can be restored. The checkpoints
# lack all that, and say more about players than the rules do now. They only save time at a start,
# so they are dropped; the box writes new ones.
_VERSION_4 = """
ALTER TABLE card RENAME TO card_3;
CREATE TABLE card (
    id INTEGER PRIMARY KEY,
    what TEXT NOT NULL
        CHECK (what IN ('known', 'forgotten', 'named', 'replacement', 'replacement cancelled')),
    number INTEGER NOT NULL CHECK (number > 0),
    text TEXT CHECK ((text IS NOT NULL) = (what IN ('known', 'named'))),
    at INTEGER NOT NULL,
    seal INTEGER NOT NULL
) STRICT;
INSERT INTO card SELECT * FROM card_3 ORDER BY id;
DROP TABLE card_3;
ALTER TABLE event RENAME TO event_3;
CREATE TABLE event (
    id INTEGER PRIMARY KEY,
    what TEXT NOT NULL CHECK (what IN ('started', 'resumed', 'joined', 'count opened',
        'count left', 'counted', 'counted in', 'amount counted', 'amount uncounted', 'made again',
        'forgotten', 'restored', 'next kind', 'next edition')),
    game INTEGER REFERENCES game (id) CHECK ((game IS NULL) = (what LIKE 'next %')),
    number INTEGER NOT NULL,
    amount INTEGER NOT NULL,
    text TEXT NOT NULL,
    posting INTEGER NOT NULL CHECK (posting >= 0),
    at INTEGER NOT NULL,
    seal INTEGER NOT NULL
) STRICT;
INSERT INTO event SELECT * FROM event_3 ORDER BY id;
DROP TABLE event_3;
DROP TABLE checkpoint;
"""

STEPS = (
    _VERSION_1 + _never_changed("game", "posting", "card"),
    _VERSION_2 + _never_changed("posting", "event"),
    _VERSION_3 + _never_changed("checkpoint"),
    # The table of checkpoints is made anew as it was.
    _VERSION_4 + _VERSION_3 + _never_changed("card", "event", "checkpoint"),
)
VERSION = len(STEPS)


def version_of(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def migrate(connection: sqlite3.Connection) -> None:
    """Migrate a ledger to the newest version in one transaction. Raises sqlite3.Error."""
    found = version_of(connection)
    if found == VERSION:
        return
    assert found < VERSION, "the ledger is newer than this program"
    steps = "".join(STEPS[found:])
    try:
        connection.executescript(
            f"BEGIN IMMEDIATE;\n{steps}"
            f"PRAGMA application_id = {APPLICATION_ID};\n"
            f"PRAGMA user_version = {VERSION};\nCOMMIT;"
        )
    except sqlite3.Error:
        connection.rollback()
        raise
    except UnicodeDecodeError:
        connection.rollback()
        raise sqlite3.DatabaseError(NOT_UTF8) from None


def faults(connection: sqlite3.Connection) -> list[str]:
    """How tables and triggers differ from those of a new ledger."""
    ours, theirs = _our_definitions(), _definitions(connection)
    return [
        f"the {kind} {name} is missing or changed"
        for kind, name in ours
        if theirs.get((kind, name), "missing") != ours[kind, name]
    ] + [f"the {kind} {name} is not part of a ledger" for kind, name in theirs.keys() - ours.keys()]


@cache
def _our_definitions() -> dict[tuple[str, str], str | None]:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as model:
        migrate(model)
        return _definitions(model)


def _definitions(connection: sqlite3.Connection) -> dict[tuple[str, str], str | None]:
    """Read as bytes: after a flipped bit they may not be UTF-8, but must still be named."""
    columns = ", ".join(f"CAST({column} AS BLOB)" for column in ("type", "name", "sql"))
    found = connection.execute(f"SELECT {columns} FROM sqlite_master ORDER BY type, name")
    texts = ([part and part.decode(errors="replace") for part in row] for row in found)
    return {(kind, name): sql for kind, name, sql in texts}
