"""For how long a message, a card's number and the payee's balance show."""

import pytest

from firmware.table.transient import NoticeKind, Transient
from hal.display.messages import Message, Text
from hal.events import SECOND, Instant

FUNDS = Message(Text.NO_FUNDS)
VOLUME = Message(Text.VOLUME, "3")
MOVED = Message(Text.WHOLE_AMOUNT, "2>1 1,4M")


def at(seconds: float) -> Instant:
    return Instant(int(seconds * SECOND))


@pytest.fixture
def transient() -> Transient:
    return Transient()


def test_a_message_shows_for_two_seconds(transient: Transient) -> None:
    transient.say(at(10), VOLUME, NoticeKind.NEWS)
    assert transient.moments() == [at(12)]
    shown = transient.notice(at(11.9))
    assert shown
    assert (shown.message, shown.is_refusal) == (VOLUME, False)
    assert transient.notice(at(12)) is None


@pytest.mark.parametrize("kind", [NoticeKind.REFUSAL, NoticeKind.RESULT])
def test_a_refusal_and_a_result_show_until_they_are_cleared(
    transient: Transient, kind: NoticeKind
) -> None:
    """Only at a refusal does a short C clear the message and nothing else (G3)."""
    transient.say(at(10), FUNDS, kind)
    assert transient.moments() == []
    shown = transient.notice(at(3600))
    assert shown
    assert (shown.message, shown.is_refusal) == (FUNDS, kind is NoticeKind.REFUSAL)
    transient.clear()
    assert transient.notice(at(3600)) is None


def test_what_has_moved_shows_until_it_is_cleared(transient: Transient) -> None:
    transient.status = MOVED
    transient.say(at(10), VOLUME, NoticeKind.NEWS)
    assert transient.status == MOVED
    transient.clear()
    assert transient.status is None


def test_a_number_shows_for_a_second(transient: Transient) -> None:
    transient.show_number(at(10), 3)
    assert transient.moments() == [at(11)]
    assert [transient.number(at(10.9)), transient.number(at(11))] == [3, None]
    assert transient.payee(at(10.5)) is None


def test_the_payee_follows_and_stays(transient: Transient) -> None:
    transient.show_payee(at(10), 4)
    assert [transient.payee(at(11.9)), transient.payee(at(12)), transient.payee(at(99))] == [
        None,
        4,
        4,
    ]


def test_the_big_field_shows_one_thing_and_the_message_another(transient: Transient) -> None:
    transient.say(at(10), VOLUME, NoticeKind.NEWS)
    transient.show_payee(at(10), 4)
    transient.show_number(at(10), 3)
    assert (transient.number(at(10)), transient.payee(at(60))) == (3, None)
    assert transient.moments() == [at(12), at(11)]
    transient.clear()
    assert transient.moments() == []
    assert (transient.notice(at(10)), transient.number(at(10))) == (None, None)


def test_a_number_that_is_drawn_late_shows_for_a_second(transient: Transient) -> None:
    """A message that began earlier does not show longer."""
    transient.say(at(10), VOLUME, NoticeKind.NEWS)
    transient.show_number(at(11), 3)
    transient.postpone(at(11), at(14))
    assert transient.moments() == [at(12), at(15)]
