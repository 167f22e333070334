"""The keypad: one event for one finger, whatever the contacts do."""

from collections import Counter
from itertools import pairwise

import pytest

from hal.events import SECOND, Event, Instant, Key, KeyDown, KeyUp
from sim.chips.stand_ins import GpioLibrary
from tests.drivers.harness import LIBRARY, MS, NANOS, Bench, bench, intercept, needs_edges

BOUNCE = 20 * MS * NANOS


def keys(events: list[Event]) -> str:
    """``+1 -1``: key 1 went down, then up."""
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


def rhythm(b: Bench, duration: int) -> int:
    """The usual time from one instant that the loop waits for to the next."""
    through, ends = b.alarm.wait, []

    def wait(until: Instant | None) -> bool:
        assert until is not None
        ends.append(until)
        return through(until)

    intercept(b.alarm, "wait", wait)
    b.run(duration)
    ((length, _),) = Counter(later - sooner for sooner, later in pairwise(ends)).most_common(1)
    return length


@pytest.mark.parametrize("key", Key)
def test_every_key_once(key: Key) -> None:
    with bench() as b:
        b.run(100 * MS)
        tap(b, key)
        assert keys(b.events) == f"+{key.value} -{key.value}"


@pytest.mark.parametrize("seed", range(10))
def test_twenty_milliseconds_of_bounce_are_one_key(seed: int) -> None:
    with bench(seed) as b:
        b.run(100 * MS)
        for _ in range(5):
            tap(b, Key.FIVE, BOUNCE)
        assert keys(b.events) == " ".join(["+5 -5"] * 5)


@needs_edges
def test_the_finger_tells_the_time() -> None:
    """A key is stamped with its first contact, also while the loop is busy elsewhere."""
    # RPi.GPIO does not say when an edge was; gpiozero notes when it was told.
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
            # An edge in the middle of a scan is one of the scan's own; the next scan tells.
            assert released <= up.at <= released + 20 * MS
            exact += up.at <= released + late
        assert exact >= 10, "of 20"


@needs_edges
def test_a_tap_that_a_busy_loop_missed_makes_the_next_key_no_older() -> None:
    """A C that is seen after four seconds in which the loop hung would be a new game."""
    with bench() as b:
        b.run(500 * MS)
        world, start = b.hardware.world, b.hardware.world.now
        for delay, act in (
            (100, lambda: b.hardware.press(Key.NINE, BOUNCE)),
            (200, lambda: b.hardware.let_go(Key.NINE, BOUNCE)),
            (3_900, lambda: b.hardware.press(Key.CANCEL, BOUNCE)),
        ):
            world.plan(start + delay * MS * NANOS, act)
        world.pass_until(start + 4_000 * MS * NANOS)
        b.run(100 * MS)
        (down,) = b.events
        assert down.at - start // NANOS >= 3_900 * MS


def test_no_key_is_let_go_before_its_finger() -> None:
    """A contact may open in the middle of a scan: C held for three seconds is no shorter."""
    with bench() as b:
        for step in range(120):
            b.run(100 * MS)
            b.events.clear()
            b.hardware.press(Key.CANCEL)
            released = b.now + 60 * MS + step * 53
            b.hardware.world.plan(released * NANOS, lambda: b.hardware.let_go(Key.CANCEL))
            b.run(130 * MS)
            _down, up = b.events
            assert released <= up.at, f"{released - up.at} µs too early, step {step}"


def test_at_rest_nothing_is_scanned() -> None:
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


def test_two_keys_at_once_are_both_seen() -> None:
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
def test_while_a_key_is_down_the_pad_is_scanned_every_10_ms() -> None:
    with bench() as b:
        b.run(100 * MS)
        b.board.rest(True)
        b.run(100 * MS)
        b.hardware.press(Key.ONE)
        assert rhythm(b, 1_000 * MS) == pytest.approx(10 * MS, abs=200)


def test_a_scan_does_not_hear_its_own_edges() -> None:
    """They come late, from a thread of the library; a key held down must not become a loop."""
    with bench() as b:
        b.run(100 * MS)
        b.hardware.press(Key.CANCEL, BOUNCE)
        b.run(100 * MS)
        writes = b.hardware.pin_writes
        b.run(1_000 * MS)
        assert b.hardware.pin_writes - writes <= 100 * 12 + 12


@pytest.mark.parametrize("offset", range(0, 1_500, 100))
def test_a_key_that_closes_in_the_middle_of_a_scan_is_seen(offset: int) -> None:
    """A scan takes a millisecond; the edge of a key in it is lost among the scan's own."""
    with bench() as b:
        b.run(100 * MS)
        b.hardware.press(Key.ONE)
        b.run(100 * MS)
        b.hardware.let_go(Key.ONE)
        due = b.board._keypad.due
        assert due is not None
        # Into the scans that follow the release, the last of which finds nothing.
        for scan in range(4):
            moment = (due + scan * 10 * MS + offset) * NANOS
            b.hardware.world.plan(moment, lambda: b.hardware.press(Key.NINE))
            b.hardware.world.plan(moment + 80 * MS * NANOS, lambda: b.hardware.let_go(Key.NINE))
            b.run(200 * MS)
            due = Instant(b.now + 10 * MS)
        assert keys(b.events).count("+9") == 4


@needs_edges
def test_a_stuck_key_lets_the_box_sleep(monkeypatch: pytest.MonkeyPatch) -> None:
    with bench() as b:
        monkeypatch.setattr("hal.pi.debounce.STUCK_AFTER", 1 * SECOND)
        b.hardware.press(Key.ONE)
        b.run(2_000 * MS)
        b.board.rest(True)
        woken = b.alarm.waits
        b.run(10_000 * MS)
        assert b.alarm.waits - woken < 300, "it is still scanned as if somebody typed"
        assert rhythm(b, 1_000 * MS) == pytest.approx(50 * MS, abs=200)


def test_a_stuck_key_is_let_go_and_the_others_work_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ten minutes, shortened to ten seconds: the keypad is scanned all that time."""
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
    LIBRARY is not GpioLibrary.LGPIO, reason="RPi.GPIO has a stand-in without edges"
)
def test_without_edges_the_keypad_is_scanned(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A kernel that gives no edges, whatever the library: every key works, seen a little later."""
    with bench():
        """Loads the packages, and lets go of the pins."""
    refusal = "Failed to add edge detection"

    def refuse(*_: object, **__: object) -> None:
        raise RuntimeError(refusal)

    monkeypatch.setattr("gpiozero.pins.pi.PiPin._set_when_changed", refuse)
    monkeypatch.setattr("gpiozero.pins.lgpio.LGPIOPin._set_edges", refuse)
    with bench() as b:
        assert refusal in caplog.text
        assert not b.board.hears_edges
        b.run(100 * MS)
        for key in Key:
            before = b.now
            b.hardware.press(key, BOUNCE)
            b.run(60 * MS)
            b.hardware.let_go(key, BOUNCE)
            b.run(60 * MS)
            down, up = b.events[-2:]
            assert keys([down, up]) == f"+{key.value} -{key.value}"
            assert down.at - before <= 45 * MS  # a scan, the bounce, and a look into a slot
        assert len(b.events) == 2 * len(Key)
        b.board.rest(True)
        assert rhythm(b, 1_000 * MS) == pytest.approx(15 * MS, abs=200)


@needs_edges
def test_with_edges_the_board_says_so() -> None:
    with bench() as b:
        assert b.board.hears_edges
