"""One card is in one place, and a key is down while a finger is on it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hal.events import Key, Slot
from sim.panel.actions import Press, Put, Refusal, Refused, Release, Take
from sim.panel.table import Table, moves


def laid(*cards: int) -> Table:
    table = Table()
    table.lay_out(cards)
    return table


def test_a_card_in_the_other_slot_is_taken_out_first() -> None:
    table = laid(1, 2)
    assert table.put(1, Slot.LEFT) == [Put(1, Slot.LEFT)]
    assert table.put(1, Slot.LEFT) == []
    assert table.put(1, Slot.RIGHT) == [Take(1), Put(1, Slot.RIGHT)]


def test_a_slot_that_holds_a_card_takes_no_other() -> None:
    table = laid(1, 2)
    table.put(1, Slot.LEFT)
    with pytest.raises(Refused) as refused:
        table.put(2, Slot.LEFT)
    assert refused.value.refusal is Refusal.SLOT_FULL
    assert table.slots == {Slot.LEFT: 1, Slot.RIGHT: None}


def test_a_card_that_is_not_on_the_table_cannot_be_put_in() -> None:
    with pytest.raises(Refused) as refused:
        laid(1).put(7, Slot.LEFT)
    assert refused.value.refusal is Refusal.UNKNOWN


def test_a_card_that_is_in_stays_when_others_are_laid_out() -> None:
    table = laid(1, 8)
    table.put(8, Slot.LEFT)
    table.lay_out((1, 2))
    assert table.cards == (1, 2, 8)
    assert table.take(8) == [Take(8)]


@given(
    st.lists(
        st.tuples(st.sampled_from(("put", "take")), st.integers(1, 3), st.sampled_from(Slot)),
        max_size=30,
    )
)
def test_what_the_box_is_told_adds_up_to_what_the_table_says(
    wishes: list[tuple[str, int, Slot]],
) -> None:
    table = laid(1, 2, 3)
    inside: dict[Slot, int] = {}
    for what, card, slot in wishes:
        try:
            done = table.put(card, slot) if what == "put" else table.take(card)
        except Refused:
            done = []
        for each in done:
            match each:
                case Put(number, into):
                    assert into not in inside
                    inside[into] = number
                case Take(number):
                    inside = {s: c for s, c in inside.items() if c != number}
    assert inside == {slot: card for slot, card in table.slots.items() if card is not None}


def test_the_last_finger_lets_a_key_go() -> None:
    table = laid()
    assert table.press("one", Key.FIVE) == [Press(Key.FIVE)]
    assert table.press("two", Key.FIVE) == []
    assert table.release("three", Key.FIVE) == []
    assert table.held_by("one") == [Key.FIVE]
    assert table.release("one", Key.FIVE) == []
    assert table.down == [Key.FIVE]
    assert table.release("two", Key.FIVE) == [Release(Key.FIVE)]
    assert table.down == []


def test_a_move_from_slot_to_slot_is_two_lines_of_a_script() -> None:
    before: dict[Slot, int | None] = {Slot.LEFT: 1, Slot.RIGHT: None}
    after: dict[Slot, int | None] = {Slot.LEFT: None, Slot.RIGHT: 1}
    assert moves(before, after) == ["remove left", "insert right 1"]
