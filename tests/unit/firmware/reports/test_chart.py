"""The ticks of the chart."""

import pytest

from firmware.reports.chart import ticks


@pytest.mark.parametrize(
    ("peak", "expected"),
    [
        (0, []),
        (1, [1]),
        (4, [1, 2, 3, 4]),
        (5, [2, 4]),
        (22, [5, 10, 15, 20]),
        (1_500, [500, 1_000, 1_500]),
        (69_840_000, [20_000_000, 40_000_000, 60_000_000]),
    ],
)
def test_ticks_are_round_and_few(peak: int, expected: list[int]) -> None:
    assert ticks(peak) == expected
