"""A screen that lost its settings but still answers: the driver polls its status."""

import errno
from collections.abc import Callable

import pytest

from hal.display.renderer import draw
from hal.wiring import SCREEN_CHIPS
from sim.chips.oled import Reading
from tests.drivers.harness import MS, Bench, bench, intercept
from tests.drivers.screen_helpers import VIEWS, pictures_seen, same, screen_with, typed

STATUS_POLL = 2_100 * MS
"""A poll every two seconds, and some time for the loop."""
STATUS = 4
"""Bytes of a status poll: address and control byte, address and status."""


@pytest.mark.parametrize("missing_ms", [10, 700, 1_990, 5_000, 60_000])
def test_screen_unplugged_while_nothing_is_sent(missing_ms: int) -> None:
    with bench() as b:
        b.board.screen.show(VIEWS["balance"])
        b.run(3_000 * MS)
        b.hardware.plug_screen(False)
        b.run(missing_ms * MS)
        b.hardware.plug_screen(True)
        assert not b.hardware.oled.lit
        b.run(STATUS_POLL)
        assert same(b, VIEWS["balance"])


def test_short_power_losses() -> None:
    """Every transfer is acknowledged."""
    with bench() as b:
        b.board.screen.show(VIEWS["balance"])
        for pause in range(0, 4_000, 370):
            b.run(pause * MS)
            b.hardware.oled.power_cycle()
            b.run(STATUS_POLL)
            assert same(b, VIEWS["balance"]), pause


def test_power_loss_while_views_change() -> None:
    """Views that are sent neither repair the screen nor delay the status poll."""
    with bench() as b:
        b.board.screen.show(typed("1"))
        b.hardware.oled.power_cycle()
        for field in ("15", "1", "15", "1"):
            b.run(STATUS_POLL // 4)
            b.board.screen.show(typed(field))
        assert same(b, typed("1"))


@pytest.mark.parametrize("chip", SCREEN_CHIPS)
def test_every_chip_reports_lost_settings(chip: str) -> None:
    hardware, screen = screen_with(chip)
    screen.show(VIEWS["balance"])
    sent = hardware.i2c_bytes
    for seconds in (2, 4, 6):
        hardware.time.pass_until(hardware.time.now + 2_000_000_000)
        screen.poll()
        screen.poll()
        assert hardware.i2c_bytes - sent == STATUS * seconds // 2
    hardware.oled.power_cycle()
    hardware.time.pass_until(hardware.time.now + 2_000_000_000)
    screen.poll()
    assert hardware.oled.picture().tobytes() == draw(VIEWS["balance"]).tobytes()


def test_lost_settings_are_logged_each_time(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO", "tellerbox.screen")
    with bench() as b:
        caplog.clear()
        b.board.screen.show(VIEWS["balance"])
        for times in (1, 2):
            b.hardware.oled.power_cycle()
            b.run(9_000 * MS)
            assert ["lost its settings" in message for message in caplog.messages] == [True] * times


def test_status_poll_costs_four_bytes_and_no_wake_up() -> None:
    woken, sent = {}, {}
    for name in ("balance", "asleep"):
        with bench() as b:
            b.board.screen.show(VIEWS[name])
            b.run(1_000 * MS)
            waits, before = b.alarm.waits, b.hardware.i2c_bytes
            b.run(60_000 * MS)
            woken[name], sent[name] = b.alarm.waits - waits, b.hardware.i2c_bytes - before
    assert sent == {"balance": 30 * STATUS, "asleep": 0}
    assert abs(woken["balance"] - woken["asleep"]) <= 1


def test_screen_is_dark_during_setup() -> None:
    """It must not show the random content of its RAM."""
    with bench() as b:
        b.board.screen.show(VIEWS["balance"])
        b.hardware.oled.power_cycle()
        seen = pictures_seen(b)
        b.run(STATUS_POLL)
        assert seen == {draw(VIEWS[name]).tobytes() for name in ("asleep", "balance")}


@pytest.mark.parametrize(
    ("reading", "asked"), [(Reading.ALWAYS_OFF, 1), (Reading.REFUSED, 2)], ids=lambda it: str(it)
)
def test_clone_without_status_is_not_polled(
    reading: Reading, asked: int, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", "tellerbox.screen")
    with bench() as b:
        caplog.clear()
        b.hardware.oled.reading = reading
        b.board.screen.show(VIEWS["balance"])
        sent = b.hardware.i2c_bytes
        b.run(60_000 * MS)
        assert b.hardware.i2c_bytes == sent
        for _ in range(3):
            b.board.screen.show(VIEWS["asleep"])
            b.board.screen.show(VIEWS["balance"])
        b.hardware.i2c_breaks_after = 0
        b.board.screen.show(VIEWS["no-card"])
        assert b.hardware.i2c_reads == asked
        (message,) = caplog.messages
        assert "does not report" in message
        assert same(b, VIEWS["no-card"])


def test_replacing_a_clone_starts_the_polls() -> None:
    with bench() as b:
        b.hardware.oled.reading = Reading.ALWAYS_OFF
        b.board.screen.show(VIEWS["balance"])
        b.hardware.plug_screen(False)
        b.board.screen.show(VIEWS["no-card"])
        b.hardware.oled.reading = Reading.STATUS
        b.hardware.plug_screen(True)
        b.run(STATUS_POLL)
        b.hardware.oled.power_cycle()
        b.run(STATUS_POLL)
        assert same(b, VIEWS["no-card"])


def test_replacement_by_a_clone_is_set_up_once() -> None:
    with bench() as b:
        b.board.screen.show(VIEWS["balance"])
        b.hardware.oled.power_cycle()
        b.hardware.oled.reading = Reading.ALWAYS_OFF
        b.run(STATUS_POLL)
        assert same(b, VIEWS["balance"])
        sent = b.hardware.i2c_bytes
        b.run(60_000 * MS)
        assert b.hardware.i2c_bytes == sent


def act_in_reads(b: Bench, act: Callable[[], None]) -> Callable[[], None]:
    """Run an action in every read, after the control byte; return a function that ends that."""
    original = b.hardware.i2c_read

    def read(address: int) -> int:
        act()
        return original(address)

    return intercept(b.hardware, "i2c_read", read)


def test_clone_that_hangs_on_a_read_is_read_once() -> None:
    """Each read would block for a second."""
    asked = []

    def hang() -> None:
        asked.append(b.now)
        raise OSError(errno.ETIMEDOUT, "Connection timed out")

    with bench() as b:
        act_in_reads(b, hang)
        b.board.screen.show(VIEWS["balance"])
        b.run(60_000 * MS)
        assert len(asked) == 1
        assert same(b, VIEWS["balance"])


def test_screen_unplugged_during_a_read_is_not_taken_for_a_clone() -> None:
    with bench() as b:
        restore = act_in_reads(b, lambda: b.hardware.plug_screen(False))
        b.board.screen.show(VIEWS["balance"])
        b.run(500 * MS)
        restore()
        b.hardware.plug_screen(True)
        for _ in range(2):
            b.run(STATUS_POLL)
            assert same(b, VIEWS["balance"])
            b.hardware.oled.power_cycle()


@pytest.mark.parametrize("place", range(STATUS))
def test_failed_status_poll_is_harmless(place: int, caplog: pytest.LogCaptureFixture) -> None:
    with bench() as b:
        b.board.screen.show(VIEWS["balance"])
        b.run(3_000 * MS)
        caplog.clear()
        b.hardware.i2c_breaks_after = place
        b.run(STATUS_POLL)
        assert b.hardware.i2c_breaks_after is None, "no transfer failed"
        assert same(b, VIEWS["balance"])
        assert caplog.messages == []
        b.hardware.oled.power_cycle()
        b.run(STATUS_POLL)
        assert same(b, VIEWS["balance"])


@pytest.mark.parametrize("place", range(STATUS))
def test_screen_is_not_taken_for_a_clone_after_a_failed_first_poll(place: int) -> None:
    with bench() as b:
        b.board.screen.show(VIEWS["balance"])
        start = b.hardware.i2c_bytes - STATUS
    with bench() as b:
        b.hardware.i2c_breaks_after = start + place
        b.board.screen.show(VIEWS["balance"])
        assert b.hardware.i2c_breaks_after is None, "no transfer failed"
        b.hardware.oled.power_cycle()
        b.run(STATUS_POLL)
        assert same(b, VIEWS["balance"])
