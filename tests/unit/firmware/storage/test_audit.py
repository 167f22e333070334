"""The audit against ledgers that were forged with care: sealed, but wrong."""

import sqlite3

import pytest

from firmware import edition as editions
from firmware import schema
from firmware.audit import audit
from firmware.ledger import Ledger
from firmware.records import BANK, POT, Kind, Purpose
from firmware.rows import INSERT, Row, seal
from firmware.store import Store

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
    connection.execute(INSERT[table], sealed)


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
        "SQLite's own integrity check (8 pages)",
        "the schema (version 3)",
        "the seals of all rows (13)",
        "games and their postings (2)",
        "balances after each posting (7)",
        "the chain of reversals (1)",
        "what else happened (2)",
        "what was said of cards (2)",
        "the settings (0)",
        "the checkpoints, added up again (0)",
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
        ((8, 2, POT, 1, 1, "pot", None, 0), "pot holds -1 after posting 8"),
        ((8, 2, BANK, 1, 1, "opening", None, 0), "card 1 opens in posting 8 and holds 14000000"),
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
    assert faults(ledger) == ["game 2 does not say when it began"]
    replace(ledger, "event", 2, 2, "started", 2, 0, 0, "normal", 39, 0)
    assert "game 1 does not follow the one before it" in faults(ledger)


def test_postings_before_the_first_game(ledger: sqlite3.Connection) -> None:
    replace(ledger, "game", 1, 1, BANKING.source, 3, 0)
    replace(ledger, "event", 1, 1, "started", 1, 0, 0, "normal", 2, 0)
    assert faults(ledger) == ["game 1 is the first, but its postings are not"]


def test_an_edition_that_cannot_be_read(ledger: sqlite3.Connection) -> None:
    replace(ledger, "game", 2, 2, "cards = 6", 5, 0)
    assert any("the key units is missing" in fault for fault in faults(ledger))


def test_a_card_with_an_impossible_number(ledger: sqlite3.Connection) -> None:
    forge(ledger, "card", 3, "known", 77, "01020304", 0)
    assert faults(ledger) == ["card row 3 names the number 77"]


# Games that were gone back to, and what else happens in a game


@pytest.fixture
def resumed() -> sqlite3.Connection:
    """Two games that took turns, with all that can happen in them; seven postings."""
    store = Store.in_memory(lambda: 0)
    books = Ledger(store, BANKING)
    books.know([b"\x01" * 4, b"\x02" * 4])
    books.join(1)
    books.choose_kind(Kind.CLOCK, 90)
    books.next_game(BANKING, present=[2])
    books.keep_time(60_000)
    books.move(1, POT, 500_000, Purpose.FINE)
    books.go_back()
    books.move(1, BANK, 15_000_000, Purpose.BANKRUPTCY)
    books.move(BANK, 2, 2_000_000, Purpose.SALARY)
    books.go_back()
    books.open_count()
    books.count(2, 1_000_000)
    books.leave_count()
    books.set_volume(3)
    return store._connection


def test_games_that_took_turns(resumed: sqlite3.Connection) -> None:
    assert faults(resumed) == []
    checked = [finding.checked for finding in audit(resumed)]
    assert "games and their postings (2)" in checked
    assert "what else happened (10)" in checked
    assert "the settings (2)" in checked


def test_a_forgotten_cards_return_is_sound(resumed: sqlite3.Connection) -> None:
    books = Ledger(Store(resumed, lambda: 0), BANKING)
    books.forget(2)
    books.go_back()
    books.admit(b"\x03" * 4)
    books.go_back()
    assert faults(resumed) == []


@pytest.mark.parametrize(
    ("row", "fault"),
    [
        ((11, "joined", 1, 1, 0, "", 0, 0), "event 11 says game 1 and lies in game 2"),
        ((11, "joined", 2, 0, 0, "", 0, 0), "event 11 names card 0"),
        ((11, "counted", 2, 99, 5, "", 7, 0), "event 11 names card 99"),
        ((11, "counted", 2, 1, 5, "", 8, 0), "event 11 names posting 8, which is not there"),
        ((11, "forgotten", 2, 9, 0, "", 7, 0), "event 11 names card 9"),
        ((11, "started", 2, 0, 0, "normal", 7, 0), "event 11 starts game 2 after game 2"),
        ((11, "started", 2, 0, 0, "slow", 7, 0), "'slow' is not a valid Kind"),
        ((11, "next kind", None, 0, 0, "slow", 0, 0), "'slow' is not a valid Kind"),
        ((11, "next edition", None, 0, 0, "x = 1", 0, 0), "the key units is missing"),
        ((11, "resumed", 1, 0, 0, "", 5, 0), "game 2 does not follow the one before it"),
        ((11, "joined", 3, 1, 0, "", 0, 0), "event row 11 refers to a missing game"),
        ((12, "joined", 2, 1, 0, "", 0, 0), "row 11 of table event is missing"),
    ],
)
def test_an_event_that_cannot_be(resumed: sqlite3.Connection, row: Row, fault: str) -> None:
    forge(resumed, "event", *row)
    assert any(fault in found for found in faults(resumed)), faults(resumed)


def test_an_event_that_was_moved_to_another_game(resumed: sqlite3.Connection) -> None:
    """Each posting and each event after it then lies in a game that was not being played."""
    replace(resumed, "event", 6, 6, "resumed", 2, 0, 0, "", 5, 0)
    assert "posting 6 says game 1 and lies in game 2" in faults(resumed)
    replace(resumed, "event", 6, 6, "resumed", 1, 0, 0, "", 5, 0)
    assert faults(resumed) == []


def test_an_event_that_was_changed(resumed: sqlite3.Connection) -> None:
    guard = "SELECT sql FROM sqlite_master WHERE name = 'event_no_UPDATE'"
    (statement,) = resumed.execute(guard).fetchone()
    resumed.execute("DROP TRIGGER event_no_UPDATE")
    resumed.execute("UPDATE event SET amount = 5 WHERE what = 'counted'")
    resumed.execute(statement)
    assert any("of table event is not what was written" in fault for fault in faults(resumed))


@pytest.mark.parametrize("number", [1, 5, 10])
def test_an_event_that_is_missing(resumed: sqlite3.Connection, number: int) -> None:
    """Each leaves a gap, but for the last: nobody can tell that there was one more."""
    replace(resumed, "event", number)
    expected = [] if number == 10 else [f"row {number} of table event is missing"]
    assert faults(resumed) == expected


def test_a_game_without_a_start_after_one_that_has_it(ledger: sqlite3.Connection) -> None:
    replace(ledger, "event", 2)
    assert "nothing says when game 2 was started" in faults(ledger)


def test_going_back_to_a_game_that_is_yet_to_come(ledger: sqlite3.Connection) -> None:
    replace(ledger, "event", 2, 2, "resumed", 2, 0, 0, "", 4, 0)
    forge(ledger, "event", 3, "started", 2, 0, 0, "normal", 4, 0)
    assert faults(ledger) == ["event 2 goes back to game 2, which was not played yet"]


@pytest.mark.parametrize(
    ("name", "value"),
    [("volume", 4), ("volume", -1), ("bribe", 1), ("milliseconds of game 3", 1)],
)
def test_settings_that_cannot_be(ledger: sqlite3.Connection, name: str, value: int) -> None:
    ledger.execute("INSERT INTO setting VALUES (?, ?)", (name, value))
    assert faults(ledger) == [f"the setting {name} cannot be {value}"]


def test_no_terminal_obeys_what_a_setting_is_called(ledger: sqlite3.Connection) -> None:
    ledger.execute("INSERT INTO setting VALUES (?, 1)", ("\x1b[2J",))
    assert faults(ledger) == ["the setting  [2J cannot be 1"]


def test_a_bankruptcy_of_nothing_and_its_reversal(ledger: sqlite3.Connection) -> None:
    forge(ledger, "posting", 8, 2, 1, BANK, 14_000_000, "bankruptcy", None, 0)
    forge(ledger, "posting", 9, 2, 1, BANK, 0, "bankruptcy", None, 0)
    forge(ledger, "posting", 10, 2, BANK, 1, 0, "reversal", 9, 0)
    assert faults(ledger) == []
    for purpose in ("entry", "return", "opening"):
        with pytest.raises(sqlite3.IntegrityError):
            forge(ledger, "posting", 11, 2, 1, BANK, 0, purpose, None, 0)


# Checkpoints


@pytest.fixture
def checked(monkeypatch: pytest.MonkeyPatch) -> sqlite3.Connection:
    """A ledger with a checkpoint after every record."""
    monkeypatch.setattr("firmware.ledger.CHECKPOINT_EVERY", 1)
    store = Store.in_memory(lambda: 0)
    books = Ledger(store, BANKING)
    books.know([b"\x01" * 4, b"\x02" * 4])
    books.reverse(books.move(BANK, 1, 1_000_000, Purpose.ENTRY))
    books.new_game(BANKING)
    books.move(1, 2, 1_000_000, Purpose.ENTRY)
    return store._connection


def newest_checkpoint(connection: sqlite3.Connection) -> list[object]:
    query = "SELECT id, game, posting, event, card, state, at FROM checkpoint ORDER BY id DESC"
    return list(connection.execute(query).fetchone())


def test_checkpoints_are_added_up_again(checked: sqlite3.Connection) -> None:
    assert faults(checked) == []
    assert audit(checked)[-1].checked == "the checkpoints, added up again (6)"


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ('"balances":[[0,-30000000],[1,14000000]', '"balances":[[0,-31000000],[1,15000000]'),
        ('"joined":[]', '"joined":[1]'),
        ('"game before":1', '"game before":null'),
        ('"cards":[[1,"01010101"]', '"cards":[[1,"01010102"]'),
        ('"next kind":["normal",0]', '"next kind":["fast",0]'),
    ],
)
def test_a_checkpoint_that_says_something_else(
    checked: sqlite3.Connection, ours: str, theirs: str
) -> None:
    """However well it is sealed."""
    *covered, state, at = newest_checkpoint(checked)
    assert ours in str(state), state
    replace(checked, "checkpoint", 6, *covered, str(state).replace(ours, theirs), at)
    assert faults(checked) == ["checkpoint 6 does not say what the rows before it come to"]


def test_a_checkpoint_of_another_game(checked: sqlite3.Connection) -> None:
    number, _, *rest = newest_checkpoint(checked)
    replace(checked, "checkpoint", 6, number, 1, *rest)
    assert faults(checked) == ["checkpoint 6 says game 1 after posting 7"]


@pytest.mark.parametrize("column", [3, 4])
@pytest.mark.parametrize("last", [-(2**63), -1, 0, 1, 99])
def test_a_checkpoint_that_covers_other_rows(
    checked: sqlite3.Connection, column: int, last: int
) -> None:
    """Of the events, or of the cards: a start would read some of them twice, or never."""
    row = newest_checkpoint(checked)
    row[column] = last
    replace(checked, "checkpoint", 6, *row)
    assert faults(checked) == ["checkpoint 6 does not say which rows come before it"]


@pytest.mark.parametrize("event", [-(2**63), -1, 0])
@pytest.mark.parametrize("posting", [0, 2])
def test_a_first_checkpoint_of_before_any_game(
    checked: sqlite3.Connection, posting: int, event: int
) -> None:
    """The postings that it covers would be of no game."""
    _, game, *_, state, at = newest_checkpoint(checked)
    replace(checked, "checkpoint", 1, 1, game, posting, event, 0, state, at)
    assert faults(checked) == ["checkpoint 1 does not say which rows come before it"]


def test_rows_that_make_no_sense_are_not_a_checkpoints_fault(checked: sqlite3.Connection) -> None:
    forge(checked, "card", 3, "known", 2, "zz", 0)
    row = newest_checkpoint(checked)
    row[4] = 3
    replace(checked, "checkpoint", 6, *row)
    (fault,) = faults(checked)
    assert fault.startswith("the rows cannot be added up: "), fault
