"""A write is refused if another program has written meanwhile; nothing of it is stored."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from firmware.bank import edition as editions
from firmware.bank.purposes import Purpose
from firmware.bank.records import (
    BANK,
    AccountClosed,
    CardKnown,
    CountedIn,
    GameResumed,
    GameStarted,
    JournalFailed,
    Overtaken,
    Posting,
    Record,
    TimePlayed,
    VolumeSet,
)
from firmware.storage.ledger_file import opened_by_box, shared_for_changes
from firmware.storage.store import Store

BANKING = editions.load("banking")
OVERTAKEN = "another program has written in the meantime"


@pytest.fixture
def store() -> Store:
    """Two games; the second is being played."""
    store = Store.in_memory(lambda: 0)
    store.append(GameStarted(1, BANKING, 1), opening(1, 1))
    store.append(GameStarted(2, BANKING, 2), opening(2, 2))
    store.replay()
    return store


def opening(number: int, game: int) -> Posting:
    return Posting(number, game, BANK, 1, 15_000_000, Purpose.OPENING)


@pytest.mark.parametrize(
    "record",
    [GameStarted(3, BANKING, 2), GameResumed(1, 1), AccountClosed(2, 1, 1)],
    ids=lambda record: type(record).__name__,
)
def test_a_posting_that_the_writer_has_not_seen(store: Store, record: Record) -> None:
    before = store.replay()
    with pytest.raises(JournalFailed, match=OVERTAKEN):
        store.append(record)
    assert store.replay() == before


def test_a_number_of_a_posting_that_is_taken(store: Store) -> None:
    with pytest.raises(JournalFailed, match="UNIQUE") as failed:
        store.append(opening(2, 2))
    assert not isinstance(failed.value, Overtaken)


def test_a_game_that_was_left(store: Store) -> None:
    with pytest.raises(JournalFailed, match="game 1 is not being played"):
        store.append(CountedIn(1, 1))
    store.append(GameResumed(1, 2))
    store.append(CountedIn(1, 1))
    with pytest.raises(JournalFailed, match="game 2 is not being played"):
        store.append(CountedIn(2, 1))


def test_a_card_that_the_writer_has_not_seen(store: Store) -> None:
    other = Store(store._connection, lambda: 0)
    other.replay()
    store.replay()
    other.append(CardKnown(1, b"one."))
    with pytest.raises(JournalFailed, match=OVERTAKEN):
        store.append(CardKnown(1, b"two."))
    store.replay()
    store.append(CardKnown(2, b"two."))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "ledger.db"
    with opened_by_box(path) as store:
        store.append(GameStarted(1, BANKING, 1), opening(1, 1))
    return path


@pytest.fixture
def two(path: Path) -> Iterator[tuple[Store, Store]]:
    """The stores of a box and of another program; both have read the same."""
    with opened_by_box(path) as box, shared_for_changes(path) as other:
        box.replay()
        other.replay()
        yield box, other


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (opening(2, 1), opening(2, 1)),
        (CardKnown(1, b"one."), CardKnown(1, b"two.")),
        (CardKnown(1, b"one."), CountedIn(1, 1)),
        (opening(2, 1), AccountClosed(1, 1, 1)),
    ],
    ids=["postings", "cards", "a card and an event", "a posting and an event"],
)
def test_of_two_programs_the_later_one_is_overtaken(
    two: tuple[Store, Store], first: Record, second: Record
) -> None:
    box, other = two
    other.append(first)
    before = other.replay()
    with pytest.raises(Overtaken):
        box.append(second)
    assert other.replay() == before


def test_settings_depend_on_nothing(two: tuple[Store, Store]) -> None:
    box, other = two
    other.append(CardKnown(1, b"one."))
    box.append(VolumeSet(3))
    box.append(TimePlayed(1, 60_000))


def test_other_writers_wait_until_the_first_append(two: tuple[Store, Store], path: Path) -> None:
    box, _ = two
    with closing(sqlite3.connect(path, timeout=0, isolation_level=None)) as impatient:
        with box.without_other_writers():
            with pytest.raises(sqlite3.OperationalError, match="locked"):
                impatient.execute("BEGIN IMMEDIATE")
            box.append(opening(2, 1))
            impatient.execute("BEGIN IMMEDIATE")
            impatient.execute("ROLLBACK")
        with box.without_other_writers():
            assert box.replay()
        impatient.execute("BEGIN IMMEDIATE")


def test_all_records_of_an_append_or_none(store: Store) -> None:
    before = store.replay()
    with pytest.raises(JournalFailed):
        store.append(opening(3, 2), CountedIn(1, 1))
    assert store.replay() == before
