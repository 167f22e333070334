"""Parts fail at random, again and again; all of them must recover.

This plays minutes; ``python -m tests.campaign.bus_faults.bus_bursts SEED ROUNDS`` plays hours.
"""

import pytest

from hal.events import SECOND
from tests.campaign.bus_faults.bus_bursts import play


@pytest.mark.parametrize(
    "seed", [1, *(pytest.param(s, marks=pytest.mark.long) for s in range(2, 21))]
)
def test_box_recovers_from_every_burst(seed: int) -> None:
    evening = play(seed, rounds=30)
    assert len(evening.happened) >= 8
    assert evening.table.alarm.now() >= 200 * SECOND
