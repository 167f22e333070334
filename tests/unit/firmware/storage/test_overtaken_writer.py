"""A write is refused if another program has written meanwhile; nothing of it is stored."""

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
    Posting,
    Record,
)
from firmware.storage.store import Store

BANKING = editions.load("banking")
OVERTAKEN = "another program has written in the meantime"


@pytest.fixture
def store() -> Store:
    """Two games; the second is being played."""
    store = Store.in_memory(lambda: 0)
    store.append(GameStarted(1, BANKING, 1), opening(1, 1))
    store.append(GameStarted(2, BANKING, 2), opening(2, 2))
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
    with pytest.raises(JournalFailed, match="UNIQUE"):
        store.append(opening(2, 2))


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


def test_all_records_of_an_append_or_none(store: Store) -> None:
    before = store.replay()
    with pytest.raises(JournalFailed):
        store.append(opening(3, 2), CountedIn(1, 1))
    assert store.replay() == before
