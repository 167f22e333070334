"""The events that a bank gets at its start about the state of the parts."""

from hal.events import (
    CardIn,
    CardOut,
    CardsClash,
    Event,
    Instant,
    Key,
    KeyDown,
    PowerGood,
    PowerLow,
    ReaderBack,
    ReaderLost,
    Slot,
)
from hal.last_known import LastKnown

LEFT, RIGHT = Slot.LEFT, Slot.RIGHT
THEN, NOW = Instant(1), Instant(9)


def after(*events: Event) -> list[Event]:
    last_known = LastKnown()
    for event in events:
        last_known.update(event)
    return last_known.again(NOW)


def test_cards_are_reported_as_just_put_in_left_first() -> None:
    assert after(CardIn(THEN, RIGHT, b"two!"), CardIn(THEN, LEFT, b"one!")) == [
        CardIn(NOW, LEFT, b"one!"),
        CardIn(NOW, RIGHT, b"two!"),
    ]


def test_events_of_the_past_are_not_reported() -> None:
    assert after(CardIn(THEN, LEFT, b"one!"), CardOut(THEN, LEFT)) == []
    assert after(ReaderLost(THEN, LEFT), ReaderBack(THEN, LEFT)) == []
    assert after(PowerLow(THEN), PowerGood(THEN)) == []
    assert after(KeyDown(THEN, Key.ONE)) == []


def test_faults_are_reported() -> None:
    assert after(CardIn(THEN, LEFT, b"one!"), ReaderLost(THEN, LEFT), PowerLow(THEN)) == [
        PowerLow(NOW),
        ReaderLost(NOW, LEFT),
    ]


def test_only_cards_occupy_a_slot() -> None:
    last_known = LastKnown()
    last_known.update(ReaderLost(THEN, LEFT))
    last_known.update(CardsClash(THEN, RIGHT))
    assert last_known.occupied == [RIGHT]
