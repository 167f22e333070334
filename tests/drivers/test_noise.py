"""Noise on the radio link must not cause card events."""

import pytest

from hal.events import CardIn, Event, Slot, SlotEvent
from tests.drivers.harness import LEFT, MS, RIGHT, bench
from tests.drivers.test_slots import FOUR, SEVEN, put_two_cards

SEEDS = (1, *(pytest.param(seed, marks=pytest.mark.long) for seed in range(2, 21)))
"""One seed finds most errors; the others are for rare ones."""
SECOND = 1_000 * MS
MINUTE = 60 * SECOND


@pytest.mark.timeout(300)
@pytest.mark.parametrize("seed", SEEDS)
def test_one_percent_bit_errors_cause_no_events(seed: int) -> None:
    with bench(seed) as b:
        put_two_cards(b)
        b.hardware.air.bit_errors = 0.01
        assert b.run(10 * MINUTE) == []
        b.board.rest(True)
        assert b.run(10 * MINUTE) == []


@pytest.mark.parametrize("seed", range(1, 21))
def test_state_is_right_a_second_after_heavy_noise(seed: int) -> None:
    with bench(seed) as b:
        put_two_cards(b)
        b.hardware.air.bit_errors = 0.10
        b.run(10 * SECOND)
        b.hardware.air.bit_errors = 0.0
        b.run(1 * SECOND)
        assert final_cards(b.events) == {LEFT: FOUR, RIGHT: SEVEN}


def final_cards(events: list[Event]) -> dict[Slot, bytes | None]:
    """Return the last reported card of each slot."""
    return {
        event.slot: event.uid if isinstance(event, CardIn) else None
        for event in events
        if isinstance(event, SlotEvent)
    }
