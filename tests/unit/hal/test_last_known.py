"""What a bank that begins late is told of what the parts saw before."""

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
from hal.standing import Standing

LEFT, RIGHT = Slot.LEFT, Slot.RIGHT
THEN, NOW = Instant(1), Instant(9)


def after(*events: Event) -> list[Event]:
    standing = Standing()
    for event in events:
        standing.take_in(event)
    return standing.again(NOW)


def test_cards_that_are_in_are_told_as_just_put_in_the_left_one_first() -> None:
    assert after(CardIn(THEN, RIGHT, b"two!"), CardIn(THEN, LEFT, b"one!")) == [
        CardIn(NOW, LEFT, b"one!"),
        CardIn(NOW, RIGHT, b"two!"),
    ]


def test_what_has_passed_is_not_told() -> None:
    assert after(CardIn(THEN, LEFT, b"one!"), CardOut(THEN, LEFT)) == []
    assert after(ReaderLost(THEN, LEFT), ReaderBack(THEN, LEFT)) == []
    assert after(PowerLow(THEN), PowerGood(THEN)) == []
    assert after(KeyDown(THEN, Key.ONE)) == []


def test_trouble_is_told() -> None:
    assert after(CardIn(THEN, LEFT, b"one!"), ReaderLost(THEN, LEFT), PowerLow(THEN)) == [
        PowerLow(NOW),
        ReaderLost(NOW, LEFT),
    ]


def test_only_cards_occupy_a_slot() -> None:
    standing = Standing()
    standing.take_in(ReaderLost(THEN, LEFT))
    standing.take_in(CardsClash(THEN, RIGHT))
    assert standing.occupied == [RIGHT]
