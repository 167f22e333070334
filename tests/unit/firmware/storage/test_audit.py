"""The audit of forged ledgers: the seals are valid, but the rows are wrong."""

import sqlite3

import pytest

from firmware.bank import edition as editions
from firmware.bank.ledger import Ledger
from firmware.bank.names import NAME_RULE
from firmware.bank.purposes import Purpose
from firmware.bank.records import BANK, POT, Kind
from firmware.storage import schema
from firmware.storage.audit import audit
from firmware.storage.rows import GAME_EVENTS, INSERT, Row, seal
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
        "SQLite integrity check (10 pages)",
        "schema (version 4)",
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
        ((0, 2, BANK, 1, 1, "entry", None, 0), "the id in row 0 of table posting is 0; it must be"),
        ((8, 2, BANK, 100, 1, "entry", None, 0), "the payee in row 8 of table posting is 100; it"),
        ((8, 2, BANK, 1, 10**17, "entry", None, 0), "the amount in row 8 of table posting is 10"),
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
    fault = "the number in row 3 of table card is 77; it must be from 1 to 8"
    assert faults(ledger) == [fault]


@pytest.mark.parametrize("name", ["", "Zoé", "Anne-Marie"])
def test_names_are_sound(ledger: sqlite3.Connection, name: str) -> None:
    forge(ledger, "card", 3, "named", 2, name, 0)
    assert faults(ledger) == []


@pytest.mark.parametrize("name", ["Ana  B", "A" * 11, "Card 2"])
def test_invalid_name_is_found(ledger: sqlite3.Connection, name: str) -> None:
    """D48."""
    forge(ledger, "card", 3, "named", 2, name, 0)
    assert faults(ledger) == [f"row 3 of table card has the name {name!r}; {NAME_RULE}"]


# Resumed games, and other events


@pytest.fixture
def resumed() -> sqlite3.Connection:
    """Two games, each resumed once; eleven postings.

    In the second game, posting 11 makes 9 again, and 7 and 8 forget and restore card 2.
    """
    store = Store.in_memory(lambda: 0)
    ledger = Ledger(store, BANKING)
    ledger.know([b"\x01" * 4, b"\x02" * 4])
    ledger.move(1, 2, 1_000_000, Purpose.ENTRY)
    ledger.choose_kind(Kind.CLOCK, 90)
    ledger.next_game(BANKING)
    ledger.keep_time(60_000)
    ledger.move(1, POT, 500_000, Purpose.FINE)
    ledger.go_back()
    ledger.go_back()
    ledger.open_count(present=2)
    ledger.count(2, 1_000_000)
    ledger.count(2, 2_000_000)
    ledger.uncount(2)
    ledger.restore(ledger.forget(2))
    ledger.leave_count()
    rent = ledger.move(1, 2, 250_000, Purpose.RENT)
    ledger.reverse(rent)
    ledger.make_again(rent)
    ledger.set_volume(3)
    return store._connection


def test_resumed_games_are_sound(resumed: sqlite3.Connection) -> None:
    assert faults(resumed) == []
    checked = [finding.checked for finding in audit(resumed)]
    assert "games and their postings (2)" in checked
    assert "other events (16)" in checked
    assert "settings (2)" in checked


def test_every_record_of_a_game_is_sound(resumed: sqlite3.Connection) -> None:
    written = {what for (what,) in resumed.execute("SELECT what FROM event")}
    assert written >= {*GAME_EVENTS} - {"counted"}, "only older formats count like that"


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
        ((17, "counted in", 1, 1, 0, "", 0, 0), "event 17 names game 1 during game 2"),
        ((17, "joined", 2, 0, 0, "", 0, 0), "event 17 names card 0"),
        ((17, "counted in", 2, 0, 0, "", 0, 0), "event 17 names card 0"),
        ((17, "amount counted", 2, 9, 5, "", 0, 0), "event 17 names card 9"),
        ((17, "amount counted", 2, 1, -5, "", 0, 0), "the amount in row 17 of table event is -5"),
        ((17, "counted in", 2, 1, 0, "", 2**63 - 1, 0), "the posting in row 17 of table event is"),
        ((17, "next kind", None, 0, 1000, "clock", 0, 0), "the length of a game is 1000; it must"),
        ((17, "started", 2, 0, -1, "clock", 7, 0), "the amount in row 17 of table event is -1"),
        ((17, "started", 2, 0, 1000, "clock", 7, 0), "the length of a game is 1000; it must be"),
        ((17, "amount uncounted", 2, 9, 0, "", 0, 0), "event 17 names card 9"),
        ((17, "amount uncounted", 2, 1, 0, "", 0, 0), "nothing was counted for a card"),
        ((17, "counted", 2, 99, 5, "", 7, 0), "event 17 names card 99"),
        ((17, "counted", 2, 1, 5, "", 12, 0), "event 17 names posting 12, which does not exist"),
        ((17, "forgotten", 2, 9, 0, "", 7, 0), "event 17 names card 9"),
        ((17, "restored", 2, 9, 0, "", 0, 0), "event 17 names card 9"),
        ((17, "restored", 2, 2, 0, "", 0, 0), "event 17 restores card 2, which was not forgotten"),
        ((17, "restored", 2, 1, 9, "", 0, 0), "posting 9, not a bankruptcy of card 1"),
        ((17, "made again", 2, 9, 0, "", 11, 0), "posting 11 does not make 9 again"),
        ((17, "started", 2, 0, 0, "normal", 7, 0), "event 17 starts game 2 after game 2"),
        ((17, "started", 2, 0, 0, "slow", 7, 0), "'slow' is not a valid Kind"),
        ((17, "next kind", None, 0, 0, "slow", 0, 0), "'slow' is not a valid Kind"),
        ((17, "next edition", None, 0, 0, "x = 1", 0, 0), "the key units is missing"),
        ((17, "resumed", 1, 0, 0, "", 5, 0), "game 2 starts at posting 7, which is out of order"),
        ((17, "counted in", 3, 1, 0, "", 0, 0), "event row 17 refers to a missing game"),
        ((18, "counted in", 2, 1, 0, "", 0, 0), "row 17 of table event is missing"),
    ],
)
def test_invalid_event_is_found(resumed: sqlite3.Connection, row: Row, fault: str) -> None:
    forge(resumed, "event", *row)
    assert any(fault in found for found in faults(resumed)), faults(resumed)


@pytest.mark.parametrize(
    ("original", "posting", "game"),
    [
        (99, 11, 2),  # no such move
        (11, 99, 2),
        (6, 11, 2),  # another move, which was not taken back
        (9, 10, 2),  # the reversal
        (9, 9, 2),  # the move itself
        (3, 11, 2),  # a move of another game
        (11, 9, 2),  # the wrong way round
    ],
)
def test_move_that_was_not_made_again_is_found(
    resumed: sqlite3.Connection, original: int, posting: int, game: int
) -> None:
    replace(resumed, "event", 16, 16, "made again", game, original, 0, "", posting, 0)
    assert f"event 16: posting {posting} does not make {original} again" in faults(resumed)


def test_move_made_again_twice_is_found(resumed: sqlite3.Connection) -> None:
    """Each time that it was taken back, the newest posting is the one that is made again."""
    ledger = Ledger(Store(resumed, lambda: 0), BANKING)
    again = ledger.moves[0]
    ledger.reverse(again)
    ledger.make_again(again)
    assert faults(resumed) == []
    replace(resumed, "event", 17, 17, "made again", 2, 9, 0, "", 13, 0)
    assert faults(resumed) == ["event 17: posting 13 does not make 9 again"]


def test_move_made_again_although_it_stands_is_found(resumed: sqlite3.Connection) -> None:
    forge(resumed, "posting", 12, 2, 1, 2, 250_000, "rent", None, 0)
    forge(resumed, "event", 17, "made again", 2, 11, 0, "", 12, 0)
    assert faults(resumed) == ["event 17: posting 12 does not make 11 again"]
    forge(resumed, "posting", 13, 2, 2, 1, 250_000, "reversal", 11, 0)
    assert faults(resumed) == ["event 17: posting 12 does not make 11 again"]


def test_bankruptcy_made_again_is_found(resumed: sqlite3.Connection) -> None:
    """C5."""
    ledger = Ledger(Store(resumed, lambda: 0), BANKING)
    held = ledger.balance(1)
    ledger.reverse(ledger.move(1, 2, held, Purpose.BANKRUPTCY))
    ledger.move(1, 2, held, Purpose.BANKRUPTCY)
    forge(resumed, "event", 17, "made again", 2, 12, 0, "", 14, 0)
    assert faults(resumed) == ["event 17: posting 14 does not make 12 again"]


@pytest.mark.parametrize(
    ("row", "fault"),
    [
        ((BANK, 2, 1, "restored"), "posting 12 restores card 2, which gave back 0"),
        ((BANK, 1, 15_000_000, "restored"), "posting 12 restores card 1, which gave back 0"),
        ((1, BANK, 14_250_000, "return"), ""),
    ],
)
def test_restored_money_was_given_back(
    resumed: sqlite3.Connection, row: tuple[object, ...], fault: str
) -> None:
    forge(resumed, "posting", 12, 2, *row, None, 0)
    assert faults(resumed) == ([fault] if fault else [])


def test_restored_money_is_what_was_given_back(resumed: sqlite3.Connection) -> None:
    forge(resumed, "posting", 12, 2, 1, BANK, 14_250_000, "return", None, 0)
    forge(resumed, "posting", 13, 2, BANK, 1, 14_000_000, "restored", None, 0)
    assert faults(resumed) == ["posting 13 restores card 1, which gave back 14250000"]
    replace(resumed, "posting", 13, 13, 2, BANK, 1, 14_250_000, "restored", None, 0)
    assert faults(resumed) == []
    forge(resumed, "posting", 14, 2, BANK, 1, 14_250_000, "restored", None, 0)
    assert faults(resumed) == ["posting 14 restores card 1, which gave back 0"]


def test_event_moved_to_another_game_is_found(resumed: sqlite3.Connection) -> None:
    """The postings and events after it then name a game that is not the current one."""
    replace(resumed, "event", 5, 5, "resumed", 1, 0, 0, "", 6, 0)
    assert "posting 7 names game 2 during game 1" in faults(resumed)
    assert "event 6 names game 2 during game 1" in faults(resumed)
    replace(resumed, "event", 5, 5, "resumed", 2, 0, 0, "", 6, 0)
    assert faults(resumed) == []


def test_changed_event_is_found(resumed: sqlite3.Connection) -> None:
    guard = "SELECT sql FROM sqlite_master WHERE name = 'event_no_UPDATE'"
    (statement,) = resumed.execute(guard).fetchone()
    resumed.execute("DROP TRIGGER event_no_UPDATE")
    resumed.execute("UPDATE event SET amount = 5 WHERE what = 'amount counted'")
    resumed.execute(statement)
    assert any("of table event does not match its checksum" in fault for fault in faults(resumed))


@pytest.mark.parametrize("number", [1, 5, 16])
def test_missing_event_is_found(resumed: sqlite3.Connection, number: int) -> None:
    """Except the last one, which leaves no gap."""
    replace(resumed, "event", number)
    expected = [] if number == 16 else [f"row {number} of table event is missing"]
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
    [("volume", 4), ("volume", -1), ("bribe", 1), ("milliseconds of game 3", 1)]
    + [("milliseconds of game 2", milliseconds) for milliseconds in (-1, 999 * 60_000 + 1)],
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
        ('"counted":[]', '"counted":[[1,[]]]'),
        ('"made again":[]', '"made again":[3]'),
        ('"played":[1]', '"played":[]'),
        ('"names":[]', '"names":[[1,"Ana"]]'),
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
@pytest.mark.parametrize("last", [0, 1, 99])
def test_checkpoint_that_covers_wrong_rows_is_found(
    checked: sqlite3.Connection, column: int, last: int
) -> None:
    """A start would read some events or cards twice, or never."""
    row = newest_checkpoint(checked)
    row[column] = last
    replace(checked, "checkpoint", 6, *row)
    assert faults(checked) == ["checkpoint 6 does not cover exactly the rows before it"]


@pytest.mark.parametrize("column", [2, 3, 4])
@pytest.mark.parametrize("last", [-(2**63), -1, 10**12 + 1, 2**63 - 1])
def test_checkpoint_that_covers_impossible_rows_is_found(
    checked: sqlite3.Connection, column: int, last: int
) -> None:
    row = newest_checkpoint(checked)
    row[column] = last
    replace(checked, "checkpoint", 6, *row)
    name = ("posting", "event", "card")[column - 2]
    rule = "it must be from 0 to 1000000000000"
    assert faults(checked) == [f"the {name} in row 6 of table checkpoint is {last}; {rule}"]


@pytest.mark.parametrize("posting", [0, 2])
def test_checkpoint_before_the_first_game_is_found(
    checked: sqlite3.Connection, posting: int
) -> None:
    """The postings that it covers would belong to no game."""
    _, game, *_, state, at = newest_checkpoint(checked)
    replace(checked, "checkpoint", 1, 1, game, posting, 0, 0, state, at)
    assert faults(checked) == ["checkpoint 1 does not cover exactly the rows before it"]


def test_invalid_rows_are_not_blamed_on_a_checkpoint(checked: sqlite3.Connection) -> None:
    forge(checked, "card", 3, "known", 2, "zz", 0)
    row = newest_checkpoint(checked)
    row[4] = 3
    replace(checked, "checkpoint", 6, *row)
    (fault,) = faults(checked)
    assert fault.startswith("the rows cannot be replayed: "), fault
