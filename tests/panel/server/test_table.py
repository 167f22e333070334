"""A card is in one place, and a key is down while someone holds it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hal.events import Key, Slot
from sim.panel.actions import ActionRefusal, ActionRefused, PressKey, PutCard, ReleaseKey, TakeCard
from sim.panel.table import TableState, script_lines


def table_with(*cards: int) -> TableState:
    table = TableState()
    table.lay_out(cards)
    return table


def test_a_card_in_the_other_slot_is_taken_out_first() -> None:
    table = table_with(1, 2)
    assert table.put(1, Slot.LEFT) == [PutCard(1, Slot.LEFT)]
    assert table.put(1, Slot.LEFT) == []
    assert table.put(1, Slot.RIGHT) == [TakeCard(1), PutCard(1, Slot.RIGHT)]


def test_a_full_slot_refuses_a_card() -> None:
    table = table_with(1, 2)
    table.put(1, Slot.LEFT)
    with pytest.raises(ActionRefused) as refused:
        table.put(2, Slot.LEFT)
    assert refused.value.refusal is ActionRefusal.SLOT_FULL
    assert table.slots == {Slot.LEFT: 1, Slot.RIGHT: None}


def test_an_unknown_card_is_refused() -> None:
    with pytest.raises(ActionRefused) as refused:
        table_with(1).put(7, Slot.LEFT)
    assert refused.value.refusal is ActionRefusal.UNKNOWN


def test_a_card_in_a_slot_stays_when_the_cards_change() -> None:
    table = table_with(1, 8)
    table.put(8, Slot.LEFT)
    table.lay_out((1, 2))
    assert table.cards == (1, 2, 8)
    assert table.take(8) == [TakeCard(8)]


@given(
    st.lists(
        st.tuples(st.sampled_from(("put", "take")), st.integers(1, 3), st.sampled_from(Slot)),
        max_size=30,
    )
)
def test_the_resulting_actions_match_the_slots(
    requests: list[tuple[str, int, Slot]],
) -> None:
    table = table_with(1, 2, 3)
    inside: dict[Slot, int] = {}
    for what, card, slot in requests:
        try:
            actions = table.put(card, slot) if what == "put" else table.take(card)
        except ActionRefused:
            actions = []
        for each in actions:
            match each:
                case PutCard(number, into):
                    assert into not in inside
                    inside[into] = number
                case TakeCard(number):
                    inside = {s: c for s, c in inside.items() if c != number}
    assert inside == {slot: card for slot, card in table.slots.items() if card is not None}


def test_the_last_holder_releases_a_key() -> None:
    table = table_with()
    assert table.press("one", Key.FIVE) == [PressKey(Key.FIVE)]
    assert table.press("two", Key.FIVE) == []
    assert table.release("three", Key.FIVE) == []
    assert table.held_by("one") == [Key.FIVE]
    assert table.release("one", Key.FIVE) == []
    assert table.down == [Key.FIVE]
    assert table.release("two", Key.FIVE) == [ReleaseKey(Key.FIVE)]
    assert table.down == []


def test_a_move_between_slots_is_two_script_lines() -> None:
    before: dict[Slot, int | None] = {Slot.LEFT: 1, Slot.RIGHT: None}
    after: dict[Slot, int | None] = {Slot.LEFT: None, Slot.RIGHT: 1}
    assert script_lines(before, after) == ["remove left", "insert right 1"]
