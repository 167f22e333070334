"""The tables of a ledger file, version by version.

A ledger is at the version in its ``user_version``; an empty file is at 0. Each
step below brings it one version further, so making a new ledger and opening an
old one are the same walk. A step, once released, is never edited.
"""

import sqlite3
from functools import cache

APPLICATION_ID = 0x54454C42
"""The letters TELB: tells our files from other people's databases."""

NO_TEXT = "what it says of its tables is no text"
"""What Python makes of it when SQLite quotes a definition in which a bit has flipped."""

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


# A bankrupt player may have nothing left to pay, so an amount may now be 0. SQLite cannot
# change a table's checks: the postings move to a new table, row by row as they are. The old
# one is renamed, and not the new one: SQLite words a renamed table's definition in its own
# way, and ours is compared letter by letter (``faults``).
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

STEPS = (
    _VERSION_1 + _never_changed("game", "posting", "card"),
    _VERSION_2 + _never_changed("posting", "event"),
    _VERSION_3 + _never_changed("checkpoint"),
)
VERSION = len(STEPS)


def version_of(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def migrate(connection: sqlite3.Connection) -> None:
    """Bring a ledger to the newest version: all the way, or not at all; or an sqlite3.Error."""
    found = version_of(connection)
    if found == VERSION:
        return
    assert found < VERSION, "a ledger from the future reached the migration"
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
        raise sqlite3.DatabaseError(NO_TEXT) from None


def faults(connection: sqlite3.Connection) -> list[str]:
    """How the tables and guards differ from those that our own steps make."""
    ours, theirs = _our_definitions(), _definitions(connection)
    return [
        f"the {kind} {name} is missing or changed"
        for kind, name in ours
        if theirs.get((kind, name), "missing") != ours[kind, name]
    ] + [f"the {kind} {name} does not belong here" for kind, name in theirs.keys() - ours.keys()]


@cache
def _our_definitions() -> dict[tuple[str, str], str | None]:
    model = sqlite3.connect(":memory:", isolation_level=None)
    migrate(model)
    found = _definitions(model)
    model.close()
    return found


def _definitions(connection: sqlite3.Connection) -> dict[tuple[str, str], str | None]:
    """As bytes first: where a bit has flipped they are no text, and still to be named."""
    columns = ", ".join(f"CAST({column} AS BLOB)" for column in ("type", "name", "sql"))
    found = connection.execute(f"SELECT {columns} FROM sqlite_master ORDER BY type, name")
    return {(_text(kind), _text(name)): sql and _text(sql) for kind, name, sql in found}


def _text(found: bytes) -> str:
    return found.decode(errors="replace")
