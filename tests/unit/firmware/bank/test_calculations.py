"""The figures that the entries of F compute."""

import pytest

from firmware.bank import calculations
from firmware.bank import edition as editions


@pytest.mark.parametrize(
    ("name", "value", "lifting", "interest"),
    [
        ("banking", 750_000, 830_000, 80_000),
        ("banking", 1_000_000, 1_100_000, 100_000),
        ("banking", 1_000, 10_000, 10_000),
        ("europe", 75, 83, 8),
        ("europe", 110, 121, 11),
        ("disney", 1, 2, 1),
        ("france98", 7_500, 8_300, 800),
        ("france98", 11_000, 12_100, 1_100),
    ],
)
def test_mortgages(name: str, value: int, lifting: int, interest: int) -> None:
    edition = editions.load(name)
    assert calculations.lifting(edition, value) == lifting
    assert calculations.interest(edition, value) == interest


def test_the_bank_never_pays_more_than_half() -> None:
    assert [calculations.half(price) for price in (100, 75, 1)] == [50, 37, 0]
