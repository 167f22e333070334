"""The real clock and alarm: time ends a wait, and so does an interruption from any thread."""

import os
import threading

from hal.events import MILLISECOND, SECOND, Instant
from hal.pi.waiter import Waiter


def test_time_ends_the_wait() -> None:
    waiter = Waiter()
    until = Instant(waiter.now() + 20 * MILLISECOND)
    waiter.wait(until)
    assert waiter.now() >= until - MILLISECOND


def test_an_interruption_ends_the_wait_and_is_used_up() -> None:
    waiter = Waiter()
    threading.Timer(0.02, waiter.interrupt).start()
    waiter.wait(None)  # hangs for ever if the interruption is lost
    for _ in range(100_000):
        waiter.interrupt()  # a full pipe blocks nobody
    waiter.wait(Instant(waiter.now() + 3600 * SECOND))


def test_an_edge_keeps_its_own_time_only_if_it_can_be_true() -> None:
    waiter = Waiter()
    waiter.wait(Instant(waiter.now() + 20 * MILLISECOND))
    stamped = waiter._start / 1e9 + 0.010
    assert abs(waiter.instant_of(stamped) - 10 * MILLISECOND) <= 2
    assert waiter.instant_of(1_700_000_000.0) <= waiter.now()


def test_a_second_is_a_second_also_after_a_day() -> None:
    waiter = Waiter()
    waiter._start -= 86_400 * 1_000_000_000
    assert 0 <= waiter.now() - 86_400 * SECOND <= 60 * SECOND
    began = waiter.now()
    waiter.wait(Instant(began + 20 * MILLISECOND))
    assert waiter.now() - began < 60 * SECOND


def test_one_interruption_ends_one_wait() -> None:
    waiter = Waiter()
    waiter.interrupt()
    waiter.wait(None)
    until = Instant(waiter.now() + 50 * MILLISECOND)
    waiter.wait(until)
    assert waiter.now() >= until - MILLISECOND


def test_what_is_over_is_not_waited_for() -> None:
    waiter = Waiter()
    waiter.wait(Instant(-5 * SECOND))


def test_something_to_read_ends_the_wait_until_it_is_read() -> None:
    waiter = Waiter()
    ear, mouth = os.pipe()
    waiter.listen(ear)
    assert not waiter.wait(Instant(waiter.now() + MILLISECOND))
    os.write(mouth, b"!")
    assert waiter.wait(None)
    assert waiter.wait(None)  # nobody has read it
    os.read(ear, 1)
    assert not waiter.wait(Instant(waiter.now() + MILLISECOND))
    waiter.deafen(ear)
    os.write(mouth, b"!")
    assert not waiter.wait(Instant(waiter.now() + MILLISECOND))
