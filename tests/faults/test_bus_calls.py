"""Each SPI and I²C transfer and each GPIO call fails in turn, and the box plays on.

Here every call of the kinds that are few, and some of those that are many; all of them by
``python -m tests.faults.bus_calls --all``.
"""

from gpiozero import Device

from tests.faults.bus_calls import campaign, some_calls, unheard
from tests.faults.failing_hardware import Call


def test_every_call_may_fail() -> None:
    tally = campaign(some_calls)
    assert tally.wrong == []
    # Kinds of which none would be tried any more: this test, and not the drivers, is wrong then.
    assert min(tally.tried[call] for call in Call) >= 1
    assert tally.alone >= 120
    assert tally.bursts >= 40
    assert tally.ended


class Careless:
    """Raises where Python can only print it."""

    def __del__(self) -> None:
        raise OSError("nobody hears this")


class HalfMade(Device):  # type: ignore[misc]  # gpiozero has no types
    """Of gpiozero's, and cannot be closed."""

    def close(self) -> None:
        raise OSError("the pin does not obey")


def test_what_python_would_only_print_is_wrong_but_for_what_gpiozero_throws_away() -> None:
    with unheard() as said:
        throw_away_a(HalfMade)
    assert said == []
    with unheard() as said:
        throw_away_a(Careless)
    assert len(said) == 1
    assert "nobody hears this" in said[0]


def throw_away_a(thing: type) -> None:
    """Half made: its constructor was never called."""
    object.__new__(thing)
