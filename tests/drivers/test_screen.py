"""The screen: every picture arrives, and only what changed goes over the bus."""

import pytest
from PIL import Image

from hal.picture import draw
from hal.view import View
from hal.wiring import Wiring
from sim.virtual import Hardware, VirtualAlarm, drivers
from tests.drivers.glass import FRENCH_VIEWS, VIEWS, typed
from tests.drivers.harness import bench


@pytest.mark.parametrize("views", [VIEWS, FRENCH_VIEWS], ids=["English", "French"])
def test_every_screen_state_arrives_pixel_by_pixel(views: dict[str, View]) -> None:
    with bench() as b:
        for name, view in views.items():
            b.board.screen.show(view)
            assert b.hardware.oled.picture().tobytes() == draw(view).tobytes(), name
        for name, view in reversed(views.items()):
            b.board.screen.show(view)
            assert b.hardware.oled.picture().tobytes() == draw(view).tobytes(), name


def test_another_language_costs_the_message_line_and_nothing_else() -> None:
    """Two of the controller's eight pages, accents included, in one window."""
    with bench() as b:
        for name, french in FRENCH_VIEWS.items():
            b.board.screen.show(VIEWS[name])
            sent = b.hardware.i2c_bytes
            b.board.screen.show(french)
            same = french.said == VIEWS[name].said
            assert b.hardware.i2c_bytes - sent <= (0 if same else 2 * 128 + 20), name


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


def test_what_it_shows_when_the_program_ends_is_for_the_program_to_say() -> None:
    with bench() as b:
        b.board.screen.show(VIEWS["balance"])
        b.board._screen._device.cleanup()  # what luma does then
        assert b.hardware.oled.picture().tobytes() == draw(VIEWS["balance"]).tobytes()


def pages(*changes: tuple[int, int]) -> list[bytes]:
    """A dark screen, but for some bytes, by page and column."""
    made = [bytearray(128) for _ in range(8)]
    for page, column in changes:
        made[page][column] = 0xFF
    return [bytes(page) for page in made]


@pytest.mark.parametrize(
    ("changes", "windows"),
    [
        ([], []),
        ([(3, 70)], [(3, 3, 70, 70)]),
        ([(0, 0), (7, 127)], [(0, 0, 0, 0), (7, 7, 127, 127)]),
        ([(2, 5), (2, 90)], [(2, 2, 5, 90)]),  # one window a page
        ([(2, 5), (3, 5)], [(2, 3, 5, 5)]),
        ([(2, 5), (3, 5), (4, 5)], [(2, 4, 5, 5)]),
        ([(2, 5), (4, 5)], [(2, 2, 5, 5), (4, 4, 5, 5)]),  # page 3 would be sent for nothing
        # A window costs ten bytes beside its content: two of 1 byte cost as much as one of 12,
        ([(2, 5), (3, 10)], [(2, 3, 5, 10)]),
        ([(2, 10), (3, 5)], [(2, 3, 5, 10)]),
        ([(2, 5), (3, 11)], [(2, 2, 5, 5), (3, 3, 11, 11)]),
        # and of 1 and 2 bytes more than one of 12, and less than one of 14.
        ([(2, 5), (3, 9), (3, 10)], [(2, 3, 5, 10)]),
        ([(2, 5), (3, 10), (3, 11)], [(2, 2, 5, 5), (3, 3, 10, 11)]),
        ([(2, 5), (3, 5), (4, 9)], [(2, 3, 5, 5), (4, 4, 9, 9)]),
        ([(2, 5), (3, 5), (4, 8)], [(2, 4, 5, 8)]),
    ],
)
def test_what_is_sent(changes: list[tuple[int, int]], windows: list[tuple[int, ...]]) -> None:
    with bench():
        from hal.pi.screen import changed_windows

    assert changed_windows(pages(), pages(*changes)) == windows
    assert changed_windows(pages(*changes), pages()) == windows
    assert changed_windows(None, pages(*changes)) == [(0, 7, 0, 127)]


@pytest.mark.parametrize(("chip", "cost"), [("ssd1306", 2 + 6 + 2 + 1), ("sh1106", 2 + 3 + 2 + 1)])
def test_one_dot_costs_its_byte_and_where_it_goes(chip: str, cost: int) -> None:
    """Address and control byte before the commands, and once more before the data."""
    hardware = Hardware(Wiring(screen_chip=chip))
    drivers(hardware)
    # Only once the stand-ins are there.
    from hal.pi.screen import OledScreen

    screen = OledScreen(hardware.wiring, VirtualAlarm(hardware))
    picture = Image.new("1", (128, 64))
    screen.show_picture(picture)
    sent = hardware.i2c_bytes
    dotted = picture.copy()
    dotted.putpixel((77, 33), 1)
    screen.show_picture(dotted)
    assert hardware.i2c_bytes - sent == cost
    assert hardware.oled.picture().tobytes() == dotted.tobytes()


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
    from hal.pages import packed

    picture = Image.new("1", (128, 64))
    picture.putpixel((5, 0), 1)
    picture.putpixel((6, 15), 1)
    pages = packed(picture)
    assert (pages[0][5], pages[1][6]) == (0x01, 0x80)
    assert sum(map(sum, pages)) == 0x81
