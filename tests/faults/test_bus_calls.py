"""Each SPI and I²C transfer and each GPIO call fails in turn, and the box plays on.

Here every call of the kinds that are few, and some of those that are many; all of them by
``python -m tests.faults.bus_calls --all``.
"""

from tests.faults.bus_calls import campaign, some_calls
from tests.faults.failing_hardware import Call


def test_every_call_may_fail() -> None:
    tally = campaign(some_calls)
    assert tally.wrong == []
    # Kinds of which none would be tried any more: this test, and not the drivers, is wrong then.
    assert min(tally.tried[call] for call in Call) >= 1
    assert tally.alone >= 120
    assert tally.bursts >= 40
    assert tally.ended
