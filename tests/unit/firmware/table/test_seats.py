"""The cards in the two slots, as the bank sees them."""

import pytest

from firmware.table.seats import Forgotten, RefusedCard, Seated, Seats, Vacant
from hal.display.messages import Message, Text
from hal.display.view import Occupant
from hal.events import Slot

ONE, TWO = b"one.", b"two."
LEFT, RIGHT = Slot.LEFT, Slot.RIGHT


@pytest.fixture
def seats() -> Seats:
    return Seats()


def refused(text: Text, visit: int = 1, uid: bytes | None = ONE) -> RefusedCard:
    return RefusedCard(visit, uid, Message(text))


def test_empty_slots(seats: Seats) -> None:
    assert not seats.occupied
    assert seats.payer_or_only is None
    assert seats.blocking is None
    assert [seats.occupant(slot) for slot in Slot] == [Occupant.NONE] * 2


def test_the_right_card_pays(seats: Seats) -> None:
    seats.put(LEFT, Seated(1, ONE, 4))
    assert seats.payer_or_only == Seated(1, ONE, 4)
    seats.put(RIGHT, Seated(2, TWO, 5))
    assert seats.payer_or_only == Seated(2, TWO, 5)
    assert seats.all_seated() == [(LEFT, Seated(1, ONE, 4)), (RIGHT, Seated(2, TWO, 5))]
    assert [seats.occupant(slot) for slot in Slot] == [4, 5]


def test_the_newest_refused_card_determines_the_message(seats: Seats) -> None:
    seats.put(LEFT, refused(Text.SAME_CARD, visit=8))
    seats.put(RIGHT, refused(Text.ONE_CARD, visit=7, uid=None))
    assert seats.blocking == Message(Text.SAME_CARD)
    assert seats.occupied
    assert seats.all_seated() == []
    assert seats.occupant(RIGHT) is Occupant.REFUSED


def test_the_slot_of_a_forgotten_card_counts_as_empty(seats: Seats) -> None:
    seats.put(LEFT, Forgotten(ONE))
    assert not seats.occupied
    assert seats.holds(LEFT, ONE)
    assert not seats.holds(LEFT, TWO)
    assert not seats.holds(RIGHT, ONE)
    seats.put(LEFT, Vacant())
    assert not seats.holds(LEFT, ONE)


def test_a_bankrupt_card_belongs_to_a_player_and_an_unknown_one_does_not(seats: Seats) -> None:
    seats.put(LEFT, refused(Text.OUT))
    seats.put(RIGHT, refused(Text.UNKNOWN_CARD, uid=TWO))
    assert seats.players_in() == [(LEFT, ONE)]


def test_cards_refused_because_of_the_disk_can_be_admitted_later(seats: Seats) -> None:
    seats.put(LEFT, refused(Text.ERROR))
    seats.put(RIGHT, refused(Text.UNKNOWN_CARD, uid=TWO))
    assert seats.not_admitted() == [(LEFT, ONE)]


def test_a_card_is_new_until_money_moves_in_its_visit(seats: Seats) -> None:
    seats.put(LEFT, Seated(2, ONE, 1, is_new=True))
    seats.put(RIGHT, Seated(1, TWO, 2, is_new=True))
    seats.moved({2})
    assert [seat.is_new for _slot, seat in seats.all_seated()] == [False, True]
    seats.moved({1, 2})
    assert [seat.is_new for _slot, seat in seats.all_seated()] == [False, False]


def test_a_salary_is_marked_by_visit(seats: Seats) -> None:
    first, second = seats.next_visit(), seats.next_visit()
    seats.put(LEFT, Seated(first, ONE, 1))
    seats.put(RIGHT, Seated(second, TWO, 2))
    seats.mark_salary({first}, paid=True)
    assert [seat.salary_paid for _slot, seat in seats.all_seated()] == [True, False]
    seats.mark_salary({first, second}, paid=False)
    assert [seat.salary_paid for _slot, seat in seats.all_seated()] == [False, False]
