"""The audit against ledgers that were forged with care: sealed, but wrong."""

import sqlite3

import pytest

from firmware import edition as editions
from firmware import schema
from firmware.audit import audit
from firmware.ledger import BANK, Ledger, Purpose
from firmware.store import _INSERT, Row, Store, seal

BANKING = editions.load("banking")


@pytest.fixture
def ledger() -> sqlite3.Connection:
    """Two games: in the first a move and its reversal, in the second a move."""
    store = Store.in_memory(lambda: 0)
    books = Ledger(store, BANKING)
    books.know([b"\x01" * 4, b"\x02" * 4])
    books.reverse(books.move(BANK, 1, 1_000_000, Purpose.ENTRY))
    books.new_game(BANKING)
    books.move(1, 2, 1_000_000, Purpose.ENTRY)
    return store._connection


def faults(connection: sqlite3.Connection) -> list[str]:
    return [fault for finding in audit(connection) for fault in finding.faults]


def forge(connection: sqlite3.Connection, table: str, *row: object) -> None:
    sealed: Row = (*row, seal(table, row))
    connection.execute(_INSERT[table], sealed)


def replace(connection: sqlite3.Connection, table: str, number: int, *row: object) -> None:
    """Change a row that is never changed, and leave the guards as they were."""
    guard = connection.execute(
        "SELECT sql FROM sqlite_master WHERE name = ?", (f"{table}_no_DELETE",)
    ).fetchone()[0]
    connection.execute(f"DROP TRIGGER {table}_no_DELETE")
    connection.execute(f"DELETE FROM {table} WHERE id = ?", (number,))
    if row:
        forge(connection, table, *row)
    connection.execute(guard)


def test_a_sound_ledger(ledger: sqlite3.Connection) -> None:
    assert faults(ledger) == []
    assert [finding.checked for finding in audit(ledger)] == [
        "SQLite's own integrity check (6 pages)",
        "the schema (version 1)",
        "the seals of all rows (11)",
        "games and their postings (2)",
        "balances after each posting (7)",
        "the chain of reversals (1)",
        "what was said of cards (2)",
        "the settings (0)",
    ]


def test_an_empty_ledger() -> None:
    connection = sqlite3.connect(":memory:", isolation_level=None)
    schema.migrate(connection)
    assert faults(connection) == []


@pytest.mark.parametrize(
    ("row", "fault"),
    [
        ((8, 2, 1, BANK, 99_000_000, "entry", None, 0), "card 1 holds -85000000 after posting 8"),
        ((8, 2, BANK, 1, 99_999_000_000, "entry", None, 0), "card 1 holds 100013000000 after"),
        ((8, 1, BANK, 1, 1, "entry", None, 0), "posting 8 says game 1 and lies in game 2"),
        ((8, 2, 2, 1, 5, "reversal", 7, 0), "posting 8 is no true reversal of 7"),
        ((8, 2, 1, 2, 1_000_000, "reversal", 7, 0), "posting 8 is no true reversal of 7"),
        ((8, 2, 1, BANK, 15_000_000, "reversal", 1, 0), "posting 8 is no true reversal of 1"),
        ((8, 2, 1, BANK, 1, "entry", 7, 0), "posting 8 reverses another, but does not say so"),
        ((8, 2, 1, BANK, 1, "reversal", None, 0), "posting 8 reverses another, but does not"),
        ((9, 2, BANK, 1, 1, "entry", None, 0), "row 8 of table posting is missing"),
        ((8, 2, BANK, 1, 1, "bribe", None, 0), "'bribe' is not a valid Purpose"),
        ((8, 3, BANK, 1, 1, "entry", None, 0), "posting row 8 refers to a missing game"),
    ],
)
def test_a_posting_that_cannot_be(ledger: sqlite3.Connection, row: Row, fault: str) -> None:
    forge(ledger, "posting", *row)
    assert any(fault in found for found in faults(ledger)), faults(ledger)


def test_a_reversal_of_a_reversed_posting(ledger: sqlite3.Connection) -> None:
    """The unique index forbids it; a ledger without the index is found out by its schema."""
    with pytest.raises(sqlite3.IntegrityError):
        forge(ledger, "posting", 8, 2, 1, BANK, 1_000_000, "reversal", 3, 0)


def test_a_row_that_was_changed(ledger: sqlite3.Connection) -> None:
    ledger.execute("DROP TRIGGER card_no_UPDATE")
    ledger.execute("UPDATE card SET number = 3 WHERE id = 2")
    assert faults(ledger) == ["the trigger card_no_UPDATE is missing or changed"]
    statement = next(line for line in schema.STEPS[0].split("\n") if "card_no_UPDATE" in line)
    ledger.execute(statement)
    assert faults(ledger) == ["row 2 of table card is not what was written"]


def test_a_table_that_does_not_belong(ledger: sqlite3.Connection) -> None:
    ledger.execute("CREATE TABLE bribes (amount INTEGER)")
    assert faults(ledger) == ["the table bribes does not belong here"]


def test_games_out_of_order(ledger: sqlite3.Connection) -> None:
    replace(ledger, "game", 2, 2, BANKING.source, 40, 0)
    assert "game 1 does not follow the one before it" in faults(ledger)


def test_an_edition_that_cannot_be_read(ledger: sqlite3.Connection) -> None:
    replace(ledger, "game", 2, 2, "cards = 6", 5, 0)
    assert any("the key units is missing" in fault for fault in faults(ledger))


def test_a_card_with_an_impossible_number(ledger: sqlite3.Connection) -> None:
    forge(ledger, "card", 3, "known", 77, "01020304", 0)
    assert faults(ledger) == ["card row 3 names the number 77"]
