"""The screen: only what changed goes over the bus, and a screen that is away stops nothing."""

import gc
import random

import pytest
from PIL import Image

from hal.picture import draw
from hal.view import View
from hal.wiring import Wiring
from sim.virtual import Hardware, VirtualAlarm, drivers
from tests import golden
from tests.drivers.harness import MS, bench

VIEWS = golden.views()


def test_every_screen_state_arrives_pixel_by_pixel() -> None:
    with bench() as b:
        for name, view in VIEWS.items():
            b.board.screen.show(view)
            assert b.hardware.oled.picture().tobytes() == draw(view).tobytes(), name
        for name, view in reversed(VIEWS.items()):
            b.board.screen.show(view)
            assert b.hardware.oled.picture().tobytes() == draw(view).tobytes(), name


def typed(field: str) -> View:
    return VIEWS["entry"]._replace(field=field)


@pytest.mark.parametrize(("before", "after"), [("1", "15"), ("1,", "1,5"), ("9999", "99999")])
def test_a_further_digit_costs_at_most_150_bytes(before: str, after: str) -> None:
    with bench() as b:
        b.board.screen.show(typed(before))
        sent = b.hardware.i2c_bytes
        b.board.screen.show(typed(after))
        assert 0 < b.hardware.i2c_bytes - sent <= 150


@pytest.mark.parametrize("balance", ["99,999M", "15M", "88,888K"])
def test_the_first_digit_costs_at_most_600_bytes(balance: str) -> None:
    with bench() as b:
        b.board.screen.show(typed(balance))
        sent = b.hardware.i2c_bytes
        b.board.screen.show(typed("8"))
        assert b.hardware.i2c_bytes - sent <= 600


def test_the_same_view_costs_nothing() -> None:
    with bench() as b:
        b.board.screen.show(VIEWS["balance"])
        sent = b.hardware.i2c_bytes
        b.board.screen.show(VIEWS["balance"])
        assert b.hardware.i2c_bytes == sent


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


def test_an_sh1106_shows_the_same() -> None:
    wiring = Wiring(screen_chip="sh1106")
    hardware = Hardware(wiring)
    drivers(hardware)
    # Only once the stand-ins are there.
    from hal.pi.screen import OledScreen

    screen = OledScreen(wiring, VirtualAlarm(hardware))
    for name, view in VIEWS.items():
        screen.show(view)
        assert hardware.oled.picture().tobytes() == draw(view).tobytes(), name


def test_packing_is_what_the_controllers_keep() -> None:
    from hal.pi.screen import packed

    picture = Image.new("1", (128, 64))
    picture.putpixel((5, 0), 1)
    picture.putpixel((6, 15), 1)
    pages = packed(picture)
    assert (pages[0][5], pages[1][6]) == (0x01, 0x80)
    assert sum(map(sum, pages)) == 0x81
