"""The keypad driver: one event for each press and release."""

from collections import Counter
from itertools import pairwise

import pytest

from hal.events import SECOND, Event, Instant, Key, KeyDown, KeyUp
from tests.drivers.harness import (
    LIBRARY,
    MS,
    NANOS,
    Bench,
    bench,
    intercept,
    load_packages,
    needs_edges,
)
from tests.drivers.rpi_gpio import GpioLibrary

BOUNCE = 20 * MS * NANOS


def keys(events: list[Event]) -> str:
    """Format the key events: ``+1 -1`` is key 1 down, then up."""
    signs = {KeyDown: "+", KeyUp: "-"}
    return " ".join(
        signs[type(event)] + event.key.value
        for event in events
        if isinstance(event, KeyDown | KeyUp)
    )


def tap(b: Bench, key: Key, bounce: int = 0, hold: int = 60 * MS) -> None:
    b.hardware.press(key, bounce)
    b.run(hold)
    b.hardware.let_go(key, bounce)
    b.run(60 * MS)


def wait_interval(b: Bench, duration: int) -> int:
    """Return the most common interval between the deadlines that the loop waits for."""
    original, ends = b.alarm.wait, []

    def wait(until: Instant | None) -> bool:
        assert until is not None
        ends.append(until)
        return original(until)

    intercept(b.alarm, "wait", wait)
    b.run(duration)
    ((length, _),) = Counter(later - sooner for sooner, later in pairwise(ends)).most_common(1)
    return length


@pytest.mark.parametrize("key", Key)
def test_each_key_is_reported_once(key: Key) -> None:
    with bench() as b:
        b.run(100 * MS)
        tap(b, key)
        assert keys(b.events) == f"+{key.value} -{key.value}"


@pytest.mark.parametrize("seed", range(10))
def test_20_ms_of_bounce_are_one_press(seed: int) -> None:
    with bench(seed) as b:
        b.run(100 * MS)
        for _ in range(5):
            tap(b, Key.FIVE, BOUNCE)
        assert keys(b.events) == " ".join(["+5 -5"] * 5)


@needs_edges
def test_event_has_the_time_of_the_first_contact() -> None:
    """A key event has the time of the first contact, also while the loop is busy."""
    # RPi.GPIO has no timestamps; gpiozero takes the time of its callback.
    late = 0 if LIBRARY is GpioLibrary.LGPIO else MS
    exact = 0
    with bench() as b:
        for offset in range(0, 60, 3):
            b.run((500 + offset) * MS)
            b.events.clear()
            pressed = b.now
            b.hardware.press(Key.CANCEL, BOUNCE)
            b.run(999 * MS)
            released = b.now
            b.hardware.let_go(Key.CANCEL, BOUNCE)
            b.run(100 * MS)
            down, up = b.events
            assert pressed <= down.at <= pressed + late
            # An edge during a scan is ignored; the next scan finds the key.
            assert released <= up.at <= released + 20 * MS
            exact += up.at <= released + late
        assert exact >= 10, "of 20"


@needs_edges
def test_missed_tap_does_not_change_the_time_of_the_next_key() -> None:
    """A C with the time of a tap four seconds earlier would start a new game."""
    with bench() as b:
        b.run(500 * MS)
        time, start = b.hardware.time, b.hardware.time.now
        for delay, act in (
            (100, lambda: b.hardware.press(Key.NINE, BOUNCE)),
            (200, lambda: b.hardware.let_go(Key.NINE, BOUNCE)),
            (3_900, lambda: b.hardware.press(Key.CANCEL, BOUNCE)),
        ):
            time.plan(start + delay * MS * NANOS, act)
        time.pass_until(start + 4_000 * MS * NANOS)
        b.run(100 * MS)
        (down,) = b.events
        assert down.at - start // NANOS >= 3_900 * MS


def test_release_is_never_too_early() -> None:
    """Also if the contact opens during a scan: C held for three seconds must not be shorter."""
    with bench() as b:
        for step in range(120):
            b.run(100 * MS)
            b.events.clear()
            b.hardware.press(Key.CANCEL)
            released = b.now + 60 * MS + step * 53
            b.hardware.time.plan(released * NANOS, lambda: b.hardware.let_go(Key.CANCEL))
            b.run(130 * MS)
            _down, up = b.events
            assert released <= up.at, f"{released - up.at} µs too early, step {step}"


def test_no_scans_at_rest() -> None:
    with bench() as b:
        b.run(1_000 * MS)
        b.board.rest(True)
        b.run(1_000 * MS)
        scans = b.hardware.pin_writes
        b.run(10_000 * MS)
        assert b.hardware.pin_writes == scans


@pytest.mark.parametrize("fourth", ["1", "2", "4", "5"])
def test_three_keys_make_no_ghost(fourth: str) -> None:
    """1, 2, 4 and 5 are the corners of a rectangle: any three of them close the fourth."""
    with bench() as b:
        b.run(100 * MS)
        three = [Key(letter) for letter in "1245" if letter != fourth]
        for key in three:
            b.hardware.press(key)
            b.run(50 * MS)
        assert f"+{fourth}" not in keys(b.events)
        assert keys(b.events) == f"+{three[0].value} +{three[1].value}"
        for key in three:
            b.hardware.let_go(key)
            b.run(50 * MS)
        assert f"+{fourth}" not in keys(b.events)
        assert b.hardware.matrix.shorts == 0


def test_two_keys_at_once_are_both_reported() -> None:
    with bench() as b:
        b.run(100 * MS)
        b.hardware.press(Key.CANCEL)
        b.run(50 * MS)
        b.hardware.press(Key.NINE)  # in the same row
        b.run(50 * MS)
        b.hardware.let_go(Key.CANCEL)
        b.run(50 * MS)
        b.hardware.let_go(Key.NINE)
        b.run(50 * MS)
        assert keys(b.events) == "+C +9 -C -9"


@needs_edges
def test_scan_every_10_ms_while_a_key_is_down() -> None:
    with bench() as b:
        b.run(100 * MS)
        b.board.rest(True)
        b.run(100 * MS)
        b.hardware.press(Key.ONE)
        assert wait_interval(b, 1_000 * MS) == pytest.approx(10 * MS, abs=200)


def test_scan_ignores_the_edges_that_it_causes() -> None:
    """They come late, from a thread of the library; a held key must not cause endless scans."""
    with bench() as b:
        b.run(100 * MS)
        b.hardware.press(Key.CANCEL, BOUNCE)
        b.run(100 * MS)
        writes = b.hardware.pin_writes
        b.run(1_000 * MS)
        assert b.hardware.pin_writes - writes <= 100 * 12 + 12


@pytest.mark.parametrize("offset", range(0, 1_500, 100))
def test_key_that_closes_during_a_scan_is_reported(offset: int) -> None:
    """A scan takes a millisecond; an edge during it is ignored."""
    with bench() as b:
        b.run(100 * MS)
        b.hardware.press(Key.ONE)
        b.run(100 * MS)
        b.hardware.let_go(Key.ONE)
        due = b.board.keypad.due
        assert due is not None
        # During the scans that follow the release, the last of which finds nothing.
        for scan in range(4):
            moment = (due + scan * 10 * MS + offset) * NANOS
            b.hardware.time.plan(moment, lambda: b.hardware.press(Key.NINE))
            b.hardware.time.plan(moment + 80 * MS * NANOS, lambda: b.hardware.let_go(Key.NINE))
            b.run(200 * MS)
            due = Instant(b.now + 10 * MS)
        assert keys(b.events).count("+9") == 4


@needs_edges
def test_stuck_key_is_scanned_less_often(monkeypatch: pytest.MonkeyPatch) -> None:
    with bench() as b:
        monkeypatch.setattr("hal.pi.debounce.STUCK_AFTER", 1 * SECOND)
        b.hardware.press(Key.ONE)
        b.run(2_000 * MS)
        b.board.rest(True)
        woken = b.alarm.waits
        b.run(10_000 * MS)
        assert b.alarm.waits - woken < 300, "it is scanned as often as for a key that is not stuck"
        assert wait_interval(b, 1_000 * MS) == pytest.approx(50 * MS, abs=200)


def test_stuck_key_is_released_and_the_others_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """The ten minutes are shortened to ten seconds, because the keypad is scanned meanwhile."""
    with bench() as b:
        from hal.pi import debounce

        assert debounce.STUCK_AFTER == 600 * SECOND
        monkeypatch.setattr(debounce, "STUCK_AFTER", 10 * SECOND)
        b.run(100 * MS)
        b.hardware.press(Key.ONE)
        b.run(9_900 * MS)
        assert keys(b.events) == "+1"
        b.run(200 * MS)
        assert keys(b.events) == "+1 -1"
        tap(b, Key.SEVEN)
        tap(b, Key.TWO)
        assert keys(b.events) == "+1 -1 +7 -7 +2 -2"
        b.hardware.let_go(Key.ONE)
        b.run(100 * MS)
        tap(b, Key.ONE)
        assert keys(b.events) == "+1 -1 +7 -7 +2 -2 +1 -1"


@pytest.mark.skipif(
    LIBRARY is not GpioLibrary.LGPIO, reason="for RPi.GPIO there is a stand-in without edges"
)
def test_keypad_is_scanned_without_edges(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """On a kernel without edges every key works, with a small delay."""
    load_packages()
    refusal = "Failed to add edge detection"

    def refuse(*_: object, **__: object) -> None:
        raise RuntimeError(refusal)

    monkeypatch.setattr("gpiozero.pins.pi.PiPin._set_when_changed", refuse)
    monkeypatch.setattr("gpiozero.pins.lgpio.LGPIOPin._set_edges", refuse)
    with bench() as b:
        assert refusal in caplog.text
        assert not b.board.keypad.has_edges
        b.run(100 * MS)
        for key in Key:
            before = b.now
            b.hardware.press(key, BOUNCE)
            b.run(60 * MS)
            b.hardware.let_go(key, BOUNCE)
            b.run(60 * MS)
            down, up = b.events[-2:]
            assert keys([down, up]) == f"+{key.value} -{key.value}"
            assert down.at - before <= 45 * MS  # a scan, the bounce, and a scan of a slot
        assert len(b.events) == 2 * len(Key)
        b.board.rest(True)
        assert wait_interval(b, 1_000 * MS) == pytest.approx(15 * MS, abs=200)


@needs_edges
def test_board_reports_edges() -> None:
    with bench() as b:
        assert b.board.keypad.has_edges
