"""Parts that fail at random, for a while, again and again: none of them stays away.

Here a few minutes; hours by ``python -m tests.faults.bus_bursts SEED ROUNDS``.
"""

import pytest

from hal.events import SECOND
from tests.faults.bus_bursts import play


@pytest.mark.parametrize("seed", [1, 2])
def test_after_every_burst_the_box_works_fully(seed: int) -> None:
    evening = play(seed, rounds=30)
    assert len(evening.happened) >= 8
    assert evening.table.alarm.now() >= 200 * SECOND
