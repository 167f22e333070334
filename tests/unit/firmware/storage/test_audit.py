"""The audit of forged ledgers: the seals are valid, but the rows are wrong."""

import sqlite3

import pytest

from firmware.bank import edition as editions
from firmware.bank.ledger import Ledger
from firmware.bank.purposes import Purpose
from firmware.bank.records import BANK, POT, Kind
from firmware.storage import schema
from firmware.storage.audit import audit
from firmware.storage.rows import INSERT, Row, seal
from firmware.storage.store import Store

BANKING = editions.load("banking")


def two_games() -> sqlite3.Connection:
    """The first game has a move and its reversal, the second a move."""
    store = Store.in_memory(lambda: 0)
    ledger = Ledger(store, BANKING)
    ledger.know([b"\x01" * 4, b"\x02" * 4])
    ledger.reverse(ledger.move(BANK, 1, 1_000_000, Purpose.ENTRY))
    ledger.new_game(BANKING)
    ledger.move(1, 2, 1_000_000, Purpose.ENTRY)
    return store._connection


@pytest.fixture
def ledger() -> sqlite3.Connection:
    return two_games()


def faults(connection: sqlite3.Connection) -> list[str]:
    return [fault for finding in audit(connection) for fault in finding.faults]


def forge(connection: sqlite3.Connection, table: str, *row: object) -> None:
    sealed: Row = (*row, seal(table, row))
    connection.execute(INSERT[table], sealed)


def replace(connection: sqlite3.Connection, table: str, number: int, *row: object) -> None:
    """Change a row in spite of its triggers, and restore them."""
    guard = connection.execute(
        "SELECT sql FROM sqlite_master WHERE name = ?", (f"{table}_no_DELETE",)
    ).fetchone()[0]
    connection.execute(f"DROP TRIGGER {table}_no_DELETE")
    connection.execute(f"DELETE FROM {table} WHERE id = ?", (number,))
    if row:
        forge(connection, table, *row)
    connection.execute(guard)


def test_sound_ledger_lists_all_checks(ledger: sqlite3.Connection) -> None:
    assert faults(ledger) == []
    assert [finding.checked for finding in audit(ledger)] == [
        "SQLite integrity check (8 pages)",
        "schema (version 3)",
        "checksums of all rows (13)",
        "games and their postings (2)",
        "balances after each posting (7)",
        "reversals (1)",
        "other events (2)",
        "changes of cards (2)",
        "settings (0)",
        "checkpoints, recalculated (0)",
    ]


def test_empty_ledger_is_sound() -> None:
    connection = sqlite3.connect(":memory:", isolation_level=None)
    schema.migrate(connection)
    assert faults(connection) == []


@pytest.mark.parametrize(
    ("row", "fault"),
    [
        ((8, 2, 1, BANK, 99_000_000, "entry", None, 0), "card 1 holds -85000000 after posting 8"),
        ((8, 2, BANK, 1, 99_999_000_000, "entry", None, 0), "card 1 holds 100013000000 after"),
        ((8, 1, BANK, 1, 1, "entry", None, 0), "posting 8 names game 1 during game 2"),
        ((8, 2, 2, 1, 5, "reversal", 7, 0), "posting 8 is not a valid reversal of 7"),
        ((8, 2, 1, 2, 1_000_000, "reversal", 7, 0), "posting 8 is not a valid reversal of 7"),
        ((8, 2, 1, BANK, 15_000_000, "reversal", 1, 0), "posting 8 is not a valid reversal of 1"),
        ((8, 2, 1, BANK, 1, "entry", 7, 0), "posting 8 must have both the purpose reversal"),
        ((8, 2, 1, BANK, 1, "reversal", None, 0), "posting 8 must have both the purpose reversal"),
        ((9, 2, BANK, 1, 1, "entry", None, 0), "row 8 of table posting is missing"),
        ((0, 2, BANK, 1, 1, "entry", None, 0), "row 1 of table posting is missing"),
        ((8, 2, BANK, 1, 1, "bribe", None, 0), "'bribe' is not a valid Purpose"),
        ((8, 3, BANK, 1, 1, "entry", None, 0), "posting row 8 refers to a missing game"),
        ((8, 2, POT, 1, 1, "pot", None, 0), "pot holds -1 after posting 8"),
        ((8, 2, BANK, 1, 1, "opening", None, 0), "posting 8 opens card 1, which holds 14000000"),
    ],
)
def test_invalid_posting_is_found(ledger: sqlite3.Connection, row: Row, fault: str) -> None:
    forge(ledger, "posting", *row)
    assert any(fault in found for found in faults(ledger)), faults(ledger)


def test_second_reversal_of_a_posting_is_impossible(ledger: sqlite3.Connection) -> None:
    """The unique index forbids it; the schema check finds a ledger without the index."""
    with pytest.raises(sqlite3.IntegrityError):
        forge(ledger, "posting", 8, 2, 1, BANK, 1_000_000, "reversal", 3, 0)


def test_changed_row_is_found(ledger: sqlite3.Connection) -> None:
    ledger.execute("DROP TRIGGER card_no_UPDATE")
    ledger.execute("UPDATE card SET number = 3 WHERE id = 2")
    assert faults(ledger) == ["the trigger card_no_UPDATE is missing or changed"]
    statement = next(line for line in schema.STEPS[0].split("\n") if "card_no_UPDATE" in line)
    ledger.execute(statement)
    assert faults(ledger) == ["row 2 of table card does not match its checksum"]


def test_foreign_table_is_found(ledger: sqlite3.Connection) -> None:
    ledger.execute("CREATE TABLE bribes (amount INTEGER)")
    assert faults(ledger) == ["the table bribes is not part of a ledger"]


def test_games_out_of_order_are_found(ledger: sqlite3.Connection) -> None:
    replace(ledger, "game", 2, 2, BANKING.source, 40, 0)
    assert faults(ledger) == ["game 2 has no start event before posting 40"]
    replace(ledger, "event", 2, 2, "started", 2, 0, 0, "normal", 39, 0)
    assert "game 1 starts at posting 1, which is out of order" in faults(ledger)


def test_posting_before_the_first_game_is_found(ledger: sqlite3.Connection) -> None:
    replace(ledger, "game", 1, 1, BANKING.source, 3, 0)
    replace(ledger, "event", 1, 1, "started", 1, 0, 0, "normal", 2, 0)
    assert faults(ledger) == ["game 1 is the first, but starts at posting 3"]


def test_invalid_edition_is_found(ledger: sqlite3.Connection) -> None:
    replace(ledger, "game", 2, 2, "cards = 6", 5, 0)
    assert any("the key units is missing" in fault for fault in faults(ledger))


def test_invalid_card_number_is_found(ledger: sqlite3.Connection) -> None:
    forge(ledger, "card", 3, "known", 77, "01020304", 0)
    assert faults(ledger) == ["row 3 of table card has the number 77; the highest is 8"]


# Resumed games, and other events


@pytest.fixture
def resumed() -> sqlite3.Connection:
    """Two games, each resumed once, with every kind of event; seven postings."""
    store = Store.in_memory(lambda: 0)
    ledger = Ledger(store, BANKING)
    ledger.know([b"\x01" * 4, b"\x02" * 4])
    ledger.join(1)
    ledger.choose_kind(Kind.CLOCK, 90)
    ledger.next_game(BANKING, present=[2])
    ledger.keep_time(60_000)
    ledger.move(1, POT, 500_000, Purpose.FINE)
    ledger.go_back()
    ledger.move(1, BANK, 15_000_000, Purpose.BANKRUPTCY)
    ledger.move(BANK, 2, 2_000_000, Purpose.SALARY)
    ledger.go_back()
    ledger.open_count()
    ledger.count(2, 1_000_000)
    ledger.leave_count()
    ledger.set_volume(3)
    return store._connection


def test_resumed_games_are_sound(resumed: sqlite3.Connection) -> None:
    assert faults(resumed) == []
    checked = [finding.checked for finding in audit(resumed)]
    assert "games and their postings (2)" in checked
    assert "other events (10)" in checked
    assert "settings (2)" in checked


def test_forgotten_card_that_returns_is_sound(resumed: sqlite3.Connection) -> None:
    ledger = Ledger(Store(resumed, lambda: 0), BANKING)
    ledger.forget(2)
    ledger.go_back()
    ledger.admit(b"\x03" * 4)
    ledger.go_back()
    assert faults(resumed) == []


@pytest.mark.parametrize(
    ("row", "fault"),
    [
        ((11, "joined", 1, 1, 0, "", 0, 0), "event 11 names game 1 during game 2"),
        ((11, "joined", 2, 0, 0, "", 0, 0), "event 11 names card 0"),
        ((11, "counted", 2, 99, 5, "", 7, 0), "event 11 names card 99"),
        ((11, "counted", 2, 1, 5, "", 8, 0), "event 11 names posting 8, which does not exist"),
        ((11, "forgotten", 2, 9, 0, "", 7, 0), "event 11 names card 9"),
        ((11, "started", 2, 0, 0, "normal", 7, 0), "event 11 starts game 2 after game 2"),
        ((11, "started", 2, 0, 0, "slow", 7, 0), "'slow' is not a valid Kind"),
        ((11, "next kind", None, 0, 0, "slow", 0, 0), "'slow' is not a valid Kind"),
        ((11, "next edition", None, 0, 0, "x = 1", 0, 0), "the key units is missing"),
        ((11, "resumed", 1, 0, 0, "", 5, 0), "game 2 starts at posting 8, which is out of order"),
        ((11, "joined", 3, 1, 0, "", 0, 0), "event row 11 refers to a missing game"),
        ((12, "joined", 2, 1, 0, "", 0, 0), "row 11 of table event is missing"),
    ],
)
def test_invalid_event_is_found(resumed: sqlite3.Connection, row: Row, fault: str) -> None:
    forge(resumed, "event", *row)
    assert any(fault in found for found in faults(resumed)), faults(resumed)


def test_event_moved_to_another_game_is_found(resumed: sqlite3.Connection) -> None:
    """The postings and events after it then name a game that is not the current one."""
    replace(resumed, "event", 6, 6, "resumed", 2, 0, 0, "", 5, 0)
    assert "posting 6 names game 1 during game 2" in faults(resumed)
    replace(resumed, "event", 6, 6, "resumed", 1, 0, 0, "", 5, 0)
    assert faults(resumed) == []


def test_changed_event_is_found(resumed: sqlite3.Connection) -> None:
    guard = "SELECT sql FROM sqlite_master WHERE name = 'event_no_UPDATE'"
    (statement,) = resumed.execute(guard).fetchone()
    resumed.execute("DROP TRIGGER event_no_UPDATE")
    resumed.execute("UPDATE event SET amount = 5 WHERE what = 'counted'")
    resumed.execute(statement)
    assert any("of table event does not match its checksum" in fault for fault in faults(resumed))


@pytest.mark.parametrize("number", [1, 5, 10])
def test_missing_event_is_found(resumed: sqlite3.Connection, number: int) -> None:
    """Except the last one, which leaves no gap."""
    replace(resumed, "event", number)
    expected = [] if number == 10 else [f"row {number} of table event is missing"]
    assert faults(resumed) == expected


def test_missing_start_event_is_found(ledger: sqlite3.Connection) -> None:
    replace(ledger, "event", 2)
    assert "the start of game 2 is not recorded" in faults(ledger)


def test_resuming_a_later_game_is_found(ledger: sqlite3.Connection) -> None:
    replace(ledger, "event", 2, 2, "resumed", 2, 0, 0, "", 4, 0)
    forge(ledger, "event", 3, "started", 2, 0, 0, "normal", 4, 0)
    assert faults(ledger) == ["event 2 resumes game 2, which has not started yet"]


@pytest.mark.parametrize(
    ("name", "value"),
    [("volume", 4), ("volume", -1), ("bribe", 1), ("milliseconds of game 3", 1)],
)
def test_invalid_setting_is_found(ledger: sqlite3.Connection, name: str, value: int) -> None:
    ledger.execute("INSERT INTO setting VALUES (?, ?)", (name, value))
    assert faults(ledger) == [f"the setting {name} = {value} is not valid"]


def test_control_characters_in_a_setting_are_removed(ledger: sqlite3.Connection) -> None:
    ledger.execute("INSERT INTO setting VALUES (?, 1)", ("\x1b[2J",))
    assert faults(ledger) == ["the setting  [2J = 1 is not valid"]


def test_bankruptcy_of_zero_and_its_reversal_are_sound(ledger: sqlite3.Connection) -> None:
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
    """The same ledger with a checkpoint after every record."""
    monkeypatch.setattr("firmware.bank.ledger.CHECKPOINT_EVERY", 1)
    return two_games()


def newest_checkpoint(connection: sqlite3.Connection) -> list[object]:
    query = "SELECT id, game, posting, event, card, state, at FROM checkpoint ORDER BY id DESC"
    return list(connection.execute(query).fetchone())


def test_checkpoints_are_recalculated(checked: sqlite3.Connection) -> None:
    assert faults(checked) == []
    assert audit(checked)[-1].checked == "checkpoints, recalculated (6)"


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
def test_checkpoint_with_a_wrong_state_is_found(
    checked: sqlite3.Connection, ours: str, theirs: str
) -> None:
    """Even if its seal is valid."""
    *covered, state, at = newest_checkpoint(checked)
    assert ours in str(state), state
    replace(checked, "checkpoint", 6, *covered, str(state).replace(ours, theirs), at)
    assert faults(checked) == ["checkpoint 6 does not match the rows before it"]


def test_checkpoint_of_another_game_is_found(checked: sqlite3.Connection) -> None:
    number, _, *rest = newest_checkpoint(checked)
    replace(checked, "checkpoint", 6, number, 1, *rest)
    assert faults(checked) == ["checkpoint 6 names game 1 and posting 7, not 2 and 7"]


@pytest.mark.parametrize("column", [3, 4])
@pytest.mark.parametrize("last", [-(2**63), -1, 0, 1, 99])
def test_checkpoint_that_covers_wrong_rows_is_found(
    checked: sqlite3.Connection, column: int, last: int
) -> None:
    """A start would read some events or cards twice, or never."""
    row = newest_checkpoint(checked)
    row[column] = last
    replace(checked, "checkpoint", 6, *row)
    assert faults(checked) == ["checkpoint 6 does not cover exactly the rows before it"]


@pytest.mark.parametrize("event", [-(2**63), -1, 0])
@pytest.mark.parametrize("posting", [0, 2])
def test_checkpoint_before_the_first_game_is_found(
    checked: sqlite3.Connection, posting: int, event: int
) -> None:
    """The postings that it covers would belong to no game."""
    _, game, *_, state, at = newest_checkpoint(checked)
    replace(checked, "checkpoint", 1, 1, game, posting, event, 0, state, at)
    assert faults(checked) == ["checkpoint 1 does not cover exactly the rows before it"]


def test_invalid_rows_are_not_blamed_on_a_checkpoint(checked: sqlite3.Connection) -> None:
    forge(checked, "card", 3, "known", 2, "zz", 0)
    row = newest_checkpoint(checked)
    row[4] = 3
    replace(checked, "checkpoint", 6, *row)
    (fault,) = faults(checked)
    assert fault.startswith("the rows cannot be replayed: "), fault
