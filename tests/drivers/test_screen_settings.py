"""A screen that lost its settings and answers all the same: it is asked, where it can tell."""

import errno
from collections.abc import Callable

import pytest

from hal.picture import draw
from hal.wiring import Wiring
from sim.chips.ssd1306 import Reading
from sim.virtual import Hardware, VirtualAlarm, drivers
from tests.drivers.glass import VIEWS, pictures_seen, same, typed
from tests.drivers.harness import MS, Bench, bench, intercept

LOOKED_AT = 2_100 * MS
"""A look every two seconds, and the next visit of the loop."""
STATUS = 4
"""Bytes that a look costs: address and control byte, address again and status."""


@pytest.mark.parametrize("away", [10, 700, 1_990, 5_000, 60_000])
def test_a_screen_that_was_unplugged_while_nothing_is_sent(away: int) -> None:
    with bench() as b:
        b.board.screen.show(VIEWS["balance"])
        b.run(3_000 * MS)
        b.hardware.plug_screen(False)
        b.run(away * MS)
        b.hardware.plug_screen(True)
        assert not b.hardware.oled.lit
        b.run(LOOKED_AT)
        assert same(b, VIEWS["balance"])


def test_a_connector_that_wiggles() -> None:
    """Nobody missed the screen, and every transfer is acknowledged."""
    with bench() as b:
        b.board.screen.show(VIEWS["balance"])
        for pause in range(0, 4_000, 370):
            b.run(pause * MS)
            b.hardware.oled.power_cycle()
            b.run(LOOKED_AT)
            assert same(b, VIEWS["balance"]), pause


def test_a_connector_that_wiggles_while_somebody_types() -> None:
    """What is sent to a screen without settings makes it no better, and puts no look off."""
    with bench() as b:
        b.board.screen.show(typed("1"))
        b.hardware.oled.power_cycle()
        for field in ("15", "1", "15", "1"):
            b.run(LOOKED_AT // 4)
            b.board.screen.show(typed(field))
        assert same(b, typed("1"))


@pytest.mark.parametrize("chip", ["ssd1306", "sh1106"])
def test_either_chip_tells_that_it_lost_its_settings(chip: str) -> None:
    hardware = Hardware(Wiring(screen_chip=chip))
    drivers(hardware)
    # Only once the stand-ins are there.
    from hal.pi.screen import OledScreen

    screen = OledScreen(hardware.wiring, VirtualAlarm(hardware))
    screen.show(VIEWS["balance"])
    sent = hardware.i2c_bytes
    for seconds in (2, 4, 6):
        hardware.world.pass_until(hardware.world.now + 2_000_000_000)
        screen.poll()
        screen.poll()
        assert hardware.i2c_bytes - sent == STATUS * seconds // 2
    hardware.oled.power_cycle()
    hardware.world.pass_until(hardware.world.now + 2_000_000_000)
    screen.poll()
    assert hardware.oled.picture().tobytes() == draw(VIEWS["balance"]).tobytes()


def test_a_lost_screen_is_told_each_time_and_is_not_away(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO", "tellerbox.screen")
    with bench() as b:
        caplog.clear()
        b.board.screen.show(VIEWS["balance"])
        for times in (1, 2):
            b.hardware.oled.power_cycle()
            b.run(9_000 * MS)
            assert ["lost its settings" in said for said in caplog.messages] == [True] * times


def test_looking_after_the_screen_takes_four_bytes_and_no_wake_up() -> None:
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


def test_a_screen_that_is_set_up_again_is_dark_until_its_picture_is_there() -> None:
    """And does not show what its RAM holds, which is snow."""
    with bench() as b:
        b.board.screen.show(VIEWS["balance"])
        b.hardware.oled.power_cycle()
        seen = pictures_seen(b)
        b.run(LOOKED_AT)
        assert seen == {draw(VIEWS[name]).tobytes() for name in ("asleep", "balance")}


@pytest.mark.parametrize(
    ("reading", "asked"), [(Reading.ALWAYS_OFF, 1), (Reading.REFUSED, 2)], ids=lambda it: str(it)
)
def test_a_clone_that_does_not_tell_is_left_in_peace(
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
        (said,) = caplog.messages
        assert "does not tell" in said
        assert same(b, VIEWS["no-card"])


def test_a_clone_that_is_swapped_for_a_good_one_is_asked_anew() -> None:
    with bench() as b:
        b.hardware.oled.reading = Reading.ALWAYS_OFF
        b.board.screen.show(VIEWS["balance"])
        b.hardware.plug_screen(False)
        b.board.screen.show(VIEWS["no-card"])
        b.hardware.oled.reading = Reading.STATUS
        b.hardware.plug_screen(True)
        b.run(LOOKED_AT)
        b.hardware.oled.power_cycle()
        b.run(LOOKED_AT)
        assert same(b, VIEWS["no-card"])


def test_a_good_one_that_is_swapped_for_a_clone_is_set_up_once() -> None:
    with bench() as b:
        b.board.screen.show(VIEWS["balance"])
        b.hardware.oled.power_cycle()
        b.hardware.oled.reading = Reading.ALWAYS_OFF
        b.run(LOOKED_AT)
        assert same(b, VIEWS["balance"])
        sent = b.hardware.i2c_bytes
        b.run(60_000 * MS)
        assert b.hardware.i2c_bytes == sent


def reads_end_in(b: Bench, act: Callable[[], None]) -> Callable[[], None]:
    """Something happens to every read, after the control byte went out; gives what ends that."""
    through = b.hardware.i2c_read

    def read(address: int) -> int:
        act()
        return through(address)

    return intercept(b.hardware, "i2c_read", read)


def test_a_clone_that_hangs_when_it_is_asked_is_asked_once() -> None:
    """Each time would cost the bank a second."""
    asked = []

    def hang() -> None:
        asked.append(b.now)
        raise OSError(errno.ETIMEDOUT, "Connection timed out")

    with bench() as b:
        reads_end_in(b, hang)
        b.board.screen.show(VIEWS["balance"])
        b.run(60_000 * MS)
        assert len(asked) == 1
        assert same(b, VIEWS["balance"])


def test_a_screen_that_is_unplugged_while_it_is_asked_is_no_clone() -> None:
    with bench() as b:
        no_more = reads_end_in(b, lambda: b.hardware.plug_screen(False))
        b.board.screen.show(VIEWS["balance"])
        b.run(500 * MS)
        no_more()
        b.hardware.plug_screen(True)
        for _ in range(2):
            b.run(LOOKED_AT)
            assert same(b, VIEWS["balance"])
            b.hardware.oled.power_cycle()


@pytest.mark.parametrize("place", range(STATUS))
def test_a_look_that_breaks_off_does_no_harm(place: int, caplog: pytest.LogCaptureFixture) -> None:
    with bench() as b:
        b.board.screen.show(VIEWS["balance"])
        b.run(3_000 * MS)
        caplog.clear()
        b.hardware.i2c_breaks_after = place
        b.run(LOOKED_AT)
        assert b.hardware.i2c_breaks_after is None, "nothing was broken"
        assert same(b, VIEWS["balance"])
        assert caplog.messages == []
        b.hardware.oled.power_cycle()
        b.run(LOOKED_AT)
        assert same(b, VIEWS["balance"])


@pytest.mark.parametrize("place", range(STATUS))
def test_a_first_look_that_breaks_off_makes_it_no_clone(place: int) -> None:
    with bench() as b:
        b.board.screen.show(VIEWS["balance"])
        start = b.hardware.i2c_bytes - STATUS
    with bench() as b:
        b.hardware.i2c_breaks_after = start + place
        b.board.screen.show(VIEWS["balance"])
        assert b.hardware.i2c_breaks_after is None, "nothing was broken"
        b.hardware.oled.power_cycle()
        b.run(LOOKED_AT)
        assert same(b, VIEWS["balance"])
