"""A missing screen or a failing bus does not stop the box; the screen is found again."""

import gc
import random

import pytest

from hal.display.renderer import draw
from hal.wiring import SCREEN_CHIPS, Wiring
from sim.chips.ssd1306 import Ssd1306
from tests.drivers.harness import MS, Bench, bench, intercept
from tests.drivers.screen_helpers import VIEWS, same


def test_unplugged_screen_is_found_again() -> None:
    with bench() as b:
        b.board.screen.show(VIEWS["balance"])
        b.hardware.oled_plugged = False
        b.board.screen.show(VIEWS["no-card"])
        b.run(5_000 * MS)
        b.board.screen.show(VIEWS["entry"])
        b.run(1_000 * MS)
        b.hardware.oled.power_cycle()
        b.hardware.oled_plugged = True
        b.run(2_500 * MS)
        assert b.hardware.oled.picture().tobytes() == draw(VIEWS["entry"]).tobytes()


def test_screen_that_is_missing_at_the_start() -> None:
    with bench() as b:
        b.hardware.oled_plugged = False
        b.board.screen.show(VIEWS["balance"])
        b.run(10_000 * MS)
        b.hardware.oled_plugged = True
        b.run(2_500 * MS)
        assert b.hardware.oled.picture().tobytes() == draw(VIEWS["balance"]).tobytes()


@pytest.mark.parametrize("chip", SCREEN_CHIPS)
@pytest.mark.parametrize("asleep", [False, True])
def test_failed_transfer_is_repeated_at_once(asleep: bool, chip: str) -> None:
    """Also within a command, when the controller waits for arguments."""
    with bench(wiring=Wiring(screen_chip=chip)) as b:
        after = VIEWS["asleep"] if asleep else VIEWS["no-card"]
        for place in range(400):
            b.board.screen.show(VIEWS["balance"])
            b.hardware.i2c_breaks_after = place
            b.board.screen.show(after)
            assert b.hardware.oled.picture().tobytes() == draw(after).tobytes(), place
            if b.hardware.i2c_breaks_after is not None:
                break
        assert place >= 3, "no transfer failed"


def test_controller_that_waits_for_six_arguments_recovers() -> None:
    """Scrolling has the most arguments of all commands, and noise may start one."""
    with bench() as b:
        b.board.screen.show(VIEWS["balance"])
        b.hardware.oled.write(b"\x00\x26")
        b.hardware.i2c_breaks_after = 0
        b.board.screen.show(VIEWS["no-card"])
        assert isinstance(b.hardware.oled, Ssd1306)
        assert b.hardware.oled.settings[0x26] == b"\xe3" * 6, "it must get NOPs"
        assert b.hardware.oled.picture().tobytes() == draw(VIEWS["no-card"]).tobytes()


def transfers_while_missing(b: Bench, seconds: int) -> int:
    """Count the transfers while the screen is missing."""
    original, tried = b.hardware.i2c, 0

    def count(address: int, payload: bytes) -> None:
        nonlocal tried
        tried += 1
        original(address, payload)

    intercept(b.hardware, "i2c", count)
    b.run(seconds * 1_000 * MS)
    return tried


def test_missing_screen_is_retried_every_two_seconds() -> None:
    with bench() as b:
        b.hardware.oled_plugged = False
        b.board.screen.show(VIEWS["balance"])
        assert transfers_while_missing(b, seconds=21) == 10


def test_screen_that_was_there_is_tried_twice_each_time() -> None:
    """The first failure may be a glitch."""
    with bench() as b:
        b.board.screen.show(VIEWS["balance"])
        b.hardware.oled_plugged = False
        b.board.screen.show(VIEWS["no-card"])
        assert transfers_while_missing(b, seconds=21) == 20


def test_hanging_bus_is_retried_twice_a_minute() -> None:
    """Each attempt blocks for a second."""
    with bench() as b:
        b.board.screen.show(VIEWS["balance"])
        b.hardware.i2c_stuck = True
        b.board.screen.show(VIEWS["no-card"])
        assert transfers_while_missing(b, seconds=125) == 4
        b.hardware.i2c_stuck = False
        b.run(31_000 * MS)
        assert b.hardware.oled.picture().tobytes() == draw(VIEWS["no-card"]).tobytes()


def test_bus_that_hangs_while_nothing_is_sent() -> None:
    with bench() as b:
        b.board.screen.show(VIEWS["balance"])
        b.hardware.i2c_stuck = True
        assert transfers_while_missing(b, seconds=125) == 4
        b.hardware.i2c_stuck = False
        b.hardware.oled.power_cycle()
        b.run(31_000 * MS)
        assert same(b, VIEWS["balance"])


def test_loss_and_return_are_logged_once(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level("INFO", "tellerbox.screen")
    with bench() as b:
        caplog.clear()
        b.board.screen.show(VIEWS["balance"])
        b.run(5_000 * MS)
        assert caplog.messages == []
        for _ in range(2):
            caplog.clear()
            b.hardware.oled_plugged = False
            b.board.screen.show(VIEWS["no-card"])
            b.run(9_000 * MS)
            b.hardware.oled_plugged = True
            b.run(9_000 * MS)
            b.board.screen.show(VIEWS["balance"])
            away, back = caplog.messages
            assert "does not answer" in away
            assert back == "the screen is back"


@pytest.mark.parametrize("chip", SCREEN_CHIPS)
def test_picture_is_right_after_many_bus_errors(chip: str) -> None:
    chance = random.Random(3)
    with bench(wiring=Wiring(screen_chip=chip)) as b:
        names = list(VIEWS)
        for _ in range(200):
            b.hardware.i2c_breaks_after = chance.randrange(200)
            b.board.screen.show(VIEWS[chance.choice(names)])
            b.run(chance.randrange(300) * MS)
        b.hardware.i2c_breaks_after = None
        b.board.screen.show(VIEWS["entry"])
        b.run(2_500 * MS)
        assert b.hardware.oled.picture().tobytes() == draw(VIEWS["entry"]).tobytes()


def test_reconnecting_screen_does_not_leak() -> None:
    """luma keeps every device that was created, so the driver must create only one."""
    with bench() as b:
        from luma.oled.device import ssd1306

        def devices() -> int:
            return sum(isinstance(thing, ssd1306) for thing in gc.get_objects())

        b.board.screen.show(VIEWS["balance"])
        before = devices()
        for _ in range(5):
            b.hardware.oled_plugged = False
            b.board.screen.show(VIEWS["no-card"])
            b.run(5_000 * MS)
            b.hardware.oled.power_cycle()
            b.hardware.oled_plugged = True
            b.run(2_500 * MS)
            assert b.hardware.oled.picture().tobytes() == draw(VIEWS["no-card"]).tobytes()
            b.board.screen.show(VIEWS["balance"])
        assert devices() == before
