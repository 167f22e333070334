"""The screen: only what changed goes over the bus, and a screen that is away stops nothing."""

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
