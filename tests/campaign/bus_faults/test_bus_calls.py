"""Each SPI and I²C transfer and each GPIO call fails in turn, and the box plays on.

This is a selection; ``python -m tests.campaign.bus_faults.bus_calls --all`` fails every call.
"""

from functools import partial

import pytest
from gpiozero import Device

from tests.campaign.bus_faults.bus_calls import run_campaign, some_calls, unraisable_errors
from tests.campaign.bus_faults.failing_hardware import Call


@pytest.mark.parametrize("one_in", [5, pytest.param(1, marks=pytest.mark.long)])
@pytest.mark.timeout(600)
def test_box_survives_every_failing_call(one_in: int) -> None:
    summary = run_campaign(partial(some_calls, one_in=one_in))
    assert summary.problems == []
    # Every kind of call must have been tried; otherwise this test is at fault.
    assert min(summary.tried[call] for call in Call) >= 1
    assert summary.single >= 120 // one_in
    assert summary.bursts >= 40 // one_in
    assert summary.start_errors


class RaisesInDel:
    """Raises where Python can only print the exception."""

    def __del__(self) -> None:
        raise OSError("an ignored error")


class UnclosableDevice(Device):  # type: ignore[misc]  # gpiozero has no types
    """A gpiozero device that cannot be closed."""

    def close(self) -> None:
        raise OSError("the pin cannot be released")


def test_unraisable_errors_are_reported_except_gpiozeros_own() -> None:
    with unraisable_errors() as errors:
        discard(UnclosableDevice)
    assert errors == []
    with unraisable_errors() as errors:
        discard(RaisesInDel)
    assert len(errors) == 1
    assert "an ignored error" in errors[0]


def discard(kind: type) -> None:
    """Create it without calling its constructor, and discard it."""
    object.__new__(kind)
