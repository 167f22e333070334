"""The real clock: time, an interruption or readable data ends a wait."""

import os
import threading

from hal.events import MILLISECOND, SECOND, Instant
from hal.pi.waiter import Waiter


def test_time_ends_the_wait() -> None:
    waiter = Waiter()
    until = Instant(waiter.now() + 20 * MILLISECOND)
    waiter.wait(until)
    assert waiter.now() >= until - MILLISECOND


def test_many_interruptions_end_the_wait() -> None:
    waiter = Waiter()
    threading.Timer(0.02, waiter.interrupt).start()
    waiter.wait(None)  # would hang if the interruption were lost
    for _ in range(100_000):
        waiter.interrupt()  # a full pipe must not block
    waiter.wait(Instant(waiter.now() + 3600 * SECOND))


def test_implausible_timestamp_is_replaced_by_now() -> None:
    waiter = Waiter()
    waiter.wait(Instant(waiter.now() + 20 * MILLISECOND))
    stamped = waiter._start / 1e9 + 0.010
    assert abs(waiter.instant_of(stamped) - 10 * MILLISECOND) <= 2
    assert waiter.instant_of(1_700_000_000.0) <= waiter.now()


def test_waits_are_right_after_a_day() -> None:
    waiter = Waiter()
    waiter._start -= 86_400 * 1_000_000_000
    assert 0 <= waiter.now() - 86_400 * SECOND <= 60 * SECOND
    start = waiter.now()
    waiter.wait(Instant(start + 20 * MILLISECOND))
    assert waiter.now() - start < 60 * SECOND


def test_one_interruption_ends_one_wait() -> None:
    waiter = Waiter()
    waiter.interrupt()
    waiter.wait(None)
    until = Instant(waiter.now() + 50 * MILLISECOND)
    waiter.wait(until)
    assert waiter.now() >= until - MILLISECOND


def test_wait_for_the_past_returns_at_once() -> None:
    waiter = Waiter()
    waiter.wait(Instant(-5 * SECOND))


def test_readable_data_ends_the_wait_until_it_is_read() -> None:
    waiter = Waiter()
    readable, writable = os.pipe()
    waiter.listen(readable)
    assert not waiter.wait(Instant(waiter.now() + MILLISECOND))
    os.write(writable, b"!")
    assert waiter.wait(None)
    assert waiter.wait(None)  # it has not been read yet
    os.read(readable, 1)
    assert not waiter.wait(Instant(waiter.now() + MILLISECOND))
    waiter.deafen(readable)
    os.write(writable, b"!")
    assert not waiter.wait(Instant(waiter.now() + MILLISECOND))
