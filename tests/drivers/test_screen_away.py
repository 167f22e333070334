"""A screen that is away, or on a bus that fails: it stops nothing, and is found again."""

import gc
import random

import pytest

from hal.picture import draw
from tests.drivers.glass import VIEWS, same
from tests.drivers.harness import MS, Bench, bench, intercept


def test_a_screen_that_is_unplugged_is_found_again() -> None:
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


def test_a_screen_that_was_never_there() -> None:
    with bench() as b:
        b.hardware.oled_plugged = False
        b.board.screen.show(VIEWS["balance"])
        b.run(10_000 * MS)
        b.hardware.oled_plugged = True
        b.run(2_500 * MS)
        assert b.hardware.oled.picture().tobytes() == draw(VIEWS["balance"]).tobytes()


@pytest.mark.parametrize("asleep", [False, True])
def test_a_transfer_that_breaks_off_anywhere_is_made_good_at_once(asleep: bool) -> None:
    """Also in the middle of a command, when the controller still waits for the rest."""
    with bench() as b:
        after = VIEWS["asleep"] if asleep else VIEWS["no-card"]
        for place in range(400):
            b.board.screen.show(VIEWS["balance"])
            b.hardware.i2c_breaks_after = place
            b.board.screen.show(after)
            assert b.hardware.oled.picture().tobytes() == draw(after).tobytes(), place
            if b.hardware.i2c_breaks_after is not None:
                break
        assert place >= 3, "nothing was ever broken"


def test_a_controller_that_waits_for_six_bytes_more_is_set_free() -> None:
    """Scrolling has the most arguments of all commands; half of one may be noise on the bus."""
    with bench() as b:
        b.board.screen.show(VIEWS["balance"])
        b.hardware.oled.write(b"\x00\x26")
        b.hardware.i2c_breaks_after = 0
        b.board.screen.show(VIEWS["no-card"])
        assert b.hardware.oled.settings[0x26] == b"\xe3" * 6, "it got something else to eat"
        assert b.hardware.oled.picture().tobytes() == draw(VIEWS["no-card"]).tobytes()


def transfers_while_away(b: Bench, seconds: int) -> int:
    """How often the bus is tried while nobody is there."""
    through, tried = b.hardware.i2c, 0

    def count(address: int, payload: bytes) -> None:
        nonlocal tried
        tried += 1
        through(address, payload)

    intercept(b.hardware, "i2c", count)
    b.run(seconds * 1_000 * MS)
    return tried


def test_a_screen_that_is_away_is_looked_for_every_two_seconds() -> None:
    with bench() as b:
        b.hardware.oled_plugged = False
        b.board.screen.show(VIEWS["balance"])
        assert transfers_while_away(b, seconds=21) == 10


def test_one_that_was_there_is_tried_twice_each_time() -> None:
    """The first failure may be a glitch."""
    with bench() as b:
        b.board.screen.show(VIEWS["balance"])
        b.hardware.oled_plugged = False
        b.board.screen.show(VIEWS["no-card"])
        assert transfers_while_away(b, seconds=21) == 20


def test_a_bus_that_hangs_is_tried_twice_a_minute() -> None:
    """Each time the kernel waits a second, and so does the bank."""
    with bench() as b:
        b.board.screen.show(VIEWS["balance"])
        b.hardware.i2c_stuck = True
        b.board.screen.show(VIEWS["no-card"])
        assert transfers_while_away(b, seconds=125) == 4
        b.hardware.i2c_stuck = False
        b.run(31_000 * MS)
        assert b.hardware.oled.picture().tobytes() == draw(VIEWS["no-card"]).tobytes()


def test_a_bus_that_hangs_while_nothing_is_sent() -> None:
    with bench() as b:
        b.board.screen.show(VIEWS["balance"])
        b.hardware.i2c_stuck = True
        assert transfers_while_away(b, seconds=125) == 4
        b.hardware.i2c_stuck = False
        b.hardware.oled.power_cycle()
        b.run(31_000 * MS)
        assert same(b, VIEWS["balance"])


def test_the_log_says_once_that_it_is_away_and_once_that_it_is_back(
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


def test_a_bus_full_of_errors_is_right_again_when_they_end() -> None:
    chance = random.Random(3)
    with bench() as b:
        names = list(VIEWS)
        for _ in range(200):
            b.hardware.i2c_breaks_after = chance.randrange(200)
            b.board.screen.show(VIEWS[chance.choice(names)])
            b.run(chance.randrange(300) * MS)
        b.hardware.i2c_breaks_after = None
        b.board.screen.show(VIEWS["entry"])
        b.run(2_500 * MS)
        assert b.hardware.oled.picture().tobytes() == draw(VIEWS["entry"]).tobytes()


def test_a_screen_that_comes_and_goes_costs_no_memory() -> None:
    """luma keeps every device it ever made; so there is one, whatever happens to the screen."""
    with bench() as b:
        from luma.oled.device import ssd1306

        def devices() -> int:
            return sum(isinstance(thing, ssd1306) for thing in gc.get_objects())

        b.board.screen.show(VIEWS["balance"])
        made = devices()
        for _ in range(5):
            b.hardware.oled_plugged = False
            b.board.screen.show(VIEWS["no-card"])
            b.run(5_000 * MS)
            b.hardware.oled.power_cycle()
            b.hardware.oled_plugged = True
            b.run(2_500 * MS)
            assert b.hardware.oled.picture().tobytes() == draw(VIEWS["no-card"]).tobytes()
            b.board.screen.show(VIEWS["balance"])
        assert devices() == made
