"""Records are written as rows and read back; a changed row is detected."""

import sqlite3

import pytest

from firmware.bank import edition as editions
from firmware.bank.records import (
    AccountClosed,
    AccountRestored,
    AmountCounted,
    AmountUncounted,
    CardForgotten,
    CardKnown,
    CardNamed,
    Counted,
    CountedIn,
    CountLeft,
    CountOpened,
    EditionChosen,
    GameResumed,
    GameStarted,
    Kind,
    KindChosen,
    MadeAgain,
    Record,
    ReplacementAsked,
    ReplacementCancelled,
    VolumeSet,
)
from firmware.storage import rows
from firmware.storage.rows import DamagedRow, Event, Row
from firmware.storage.store import Store

BANKING = editions.load("banking")


def event_of(record: Record) -> Event:
    return rows.event_of(record, 1, 0)


@pytest.mark.parametrize(
    "record",
    [
        GameResumed(2, 17),
        MadeAgain(2, 13, 17),
        CountOpened(2, 17),
        CountLeft(2),
        Counted(2, 3, 5_000, 17),
        CountedIn(2, 3),
        AmountCounted(2, 3, 5_000),
        AmountUncounted(2, 3),
        AccountClosed(2, 3, 17),
        AccountRestored(2, 3, 12, 11),
    ],
    ids=lambda record: type(record).__name__,
)
def test_events_of_a_game(record: Record) -> None:
    assert list(rows.event_record(event_of(record))) == [record]


@pytest.mark.parametrize("record", [KindChosen(Kind.CLOCK, 90), EditionChosen(BANKING)])
def test_choices_for_the_next_game(record: Record) -> None:
    assert list(rows.event_record(event_of(record))) == [record]


def test_the_start_of_a_game() -> None:
    started = GameStarted(2, BANKING, 11, Kind.CLOCK, 90, chosen=True)
    events = [event_of(started)]
    assert rows.game_start((2, BANKING.source, 11, 0), events) == started
    assert rows.game_start((1, BANKING.source, 1, 0), events) == GameStarted(1, BANKING, 1)
    assert rows.games_without_start([1, 2], events) == [1]
    assert list(rows.event_record(events[0])) == []


def test_a_card_that_was_put_in_says_nothing_about_who_plays() -> None:
    """Formats 2 and 3 have such rows (D47)."""
    assert list(rows.event_record(Event(1, "joined", 2, 3))) == []


def test_other_records() -> None:
    with pytest.raises(AssertionError, match="is not an event"):
        event_of(VolumeSet(1))


def test_rows_about_cards() -> None:
    assert rows.card_record((1, "known", 3, "a1c0ffee", 0)) == CardKnown(3, b"\xa1\xc0\xff\xee")
    assert rows.card_record((1, "forgotten", 3, None, 0)) == CardForgotten(3)
    assert rows.card_record((1, "named", 3, "Zoé", 0)) == CardNamed(3, "Zoé")
    assert rows.card_record((1, "named", 3, "", 0)) == CardNamed(3, "")
    assert rows.card_record((1, "replacement", 3, None, 0)) == ReplacementAsked(3)
    cancelled = rows.card_record((1, "replacement cancelled", 3, None, 0))
    assert cancelled == ReplacementCancelled(3)


def test_a_row_about_a_card_that_no_box_wrote() -> None:
    with pytest.raises(DamagedRow, match="row 7 of table card has the unknown event '\\?'"):
        rows.card_record((7, "?", 1, "", 0))


@pytest.mark.parametrize("number", [9, 2**63 - 1])
def test_numbers_that_no_box_wrote(connection: sqlite3.Connection, number: int) -> None:
    row: Row = (3, "known", number, "aa", 0)
    connection.execute(rows.INSERT["card"], (*row, rows.seal("card", row)))
    with pytest.raises(DamagedRow, match=f"number in row 3 of table card is {number}; it must be"):
        list(rows.read(connection, "card"))


@pytest.mark.parametrize("value", [-1, 3, 2**70, 1.0, True, None, "1", [1]])
def test_a_number_within_limits(value: object) -> None:
    assert rows.within(2, 0, 2, "it") == 2
    with pytest.raises(DamagedRow, match="it must be from 0 to 2"):
        rows.within(value, 0, 2, "it")


@pytest.mark.parametrize("what", rows.OF_A_CARD)
@pytest.mark.parametrize("card", [0, 9])
def test_events_of_a_card_that_does_not_exist(what: str, card: int) -> None:
    with pytest.raises(DamagedRow, match=f"event 1 names card {card}, which does not exist"):
        list(rows.event_record(Event(1, what, 2, card)))


@pytest.fixture
def connection() -> sqlite3.Connection:
    store = Store.in_memory(lambda: 0)
    store.append(CardKnown(1, b"one."), CardKnown(2, b"two."))
    connection = store._connection
    connection.execute("DROP TRIGGER card_no_UPDATE")
    return connection


def test_rows_are_read_in_order(connection: sqlite3.Connection) -> None:
    assert [row[2] for row in rows.read(connection, "card")] == [1, 2]
    assert [row[2] for row in rows.read(connection, "card", "WHERE id > ?", 1)] == [2]


def test_a_changed_row_does_not_match_its_seal(connection: sqlite3.Connection) -> None:
    connection.execute("UPDATE card SET number = 3 WHERE id = 2")
    with pytest.raises(DamagedRow, match="row 2 of table card does not match its checksum"):
        list(rows.read(connection, "card"))


def test_text_that_is_not_utf8_is_not_quoted(connection: sqlite3.Connection) -> None:
    connection.execute("UPDATE card SET text = CAST(x'ff' AS TEXT) WHERE id = 2")
    with pytest.raises(DamagedRow, match="a row of table card is not valid UTF-8"):
        list(rows.read(connection, "card"))


def test_the_same_row_of_another_table_has_another_seal() -> None:
    assert rows.seal("card", (1, 2)) != rows.seal("event", (1, 2))
