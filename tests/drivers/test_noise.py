"""Noise on the air: bits that arrive wrong must not look like hands at the cards.

The stand-ins below the drivers are a process's own, so the seeds run in processes, as many
at a time as there are cores.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from multiprocessing import get_context
from pprint import pformat

import pytest

from hal.events import CardIn, Event, Slot, SlotEvent
from tests.drivers.harness import LEFT, MS, RIGHT, bench
from tests.drivers.test_slots import FOUR, SEVEN, rest_two_cards

SEEDS = range(1, 21)
SECOND = 1_000 * MS
MINUTE = 60 * SECOND


@pytest.fixture(scope="module")
def processes() -> Iterator[Executor]:
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as executor:
        yield executor


def test_one_bit_in_a_hundred_wrong_takes_no_card_out(processes: Executor) -> None:
    reported = with_each_seed(light_noise, processes)
    disturbed = {seed: events for seed, events in reported.items() if events}
    assert not disturbed, pformat(disturbed)


def light_noise(seed: int) -> list[Event]:
    """What is reported while nobody touches the cards."""
    with bench(seed) as b:
        rest_two_cards(b)
        b.hardware.air.bit_errors = 0.01
        awake = b.run(10 * MINUTE)
        b.board.rest(True)
        return awake + b.run(10 * MINUTE)


def test_right_again_within_a_second_of_heavy_noise(processes: Executor) -> None:
    reported = with_each_seed(heavy_noise, processes)
    right = {LEFT: FOUR, RIGHT: SEVEN}
    wrong = {seed: events for seed, events in reported.items() if left_in(events) != right}
    assert not wrong, pformat(wrong)


def heavy_noise(seed: int) -> list[Event]:
    """All that is reported until a second after the noise."""
    with bench(seed) as b:
        rest_two_cards(b)
        b.hardware.air.bit_errors = 0.10
        b.run(10 * SECOND)
        b.hardware.air.bit_errors = 0.0
        b.run(1 * SECOND)
        return b.events


def left_in(events: list[Event]) -> dict[Slot, bytes | None]:
    """The card that each slot has in the end, by what was last reported of it."""
    return {
        event.slot: event.uid if isinstance(event, CardIn) else None
        for event in events
        if isinstance(event, SlotEvent)
    }


def with_each_seed(
    act: Callable[[int], list[Event]], processes: Executor
) -> dict[int, list[Event]]:
    return dict(zip(SEEDS, processes.map(act, SEEDS), strict=True))
