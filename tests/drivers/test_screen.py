"""The screen driver: every picture arrives, and only changes are sent."""

import pytest
from PIL import Image

from hal.display.messages import Message, Text
from hal.display.renderer import draw
from hal.display.view import IDLE, View
from hal.wiring import SCREEN_CHIPS
from tests.drivers.harness import bench
from tests.drivers.screen_helpers import FRENCH_VIEWS, VIEWS, screen_with, typed


@pytest.mark.parametrize("views", [VIEWS, FRENCH_VIEWS], ids=["English", "French"])
def test_every_view_arrives_pixel_by_pixel(views: dict[str, View]) -> None:
    with bench() as b:
        for name, view in views.items():
            b.board.screen.show(view)
            assert b.hardware.oled.picture().tobytes() == draw(view).tobytes(), name
        for name, view in reversed(views.items()):
            b.board.screen.show(view)
            assert b.hardware.oled.picture().tobytes() == draw(view).tobytes(), name


def test_language_changes_only_the_texts() -> None:
    """The message line, which is two of the controller's pages, and a word of the status row."""
    with bench() as b:
        for name, french in FRENCH_VIEWS.items():
            b.board.screen.show(VIEWS[name])
            sent = b.hardware.i2c_bytes
            b.board.screen.show(french)
            line = 0 if french.said == VIEWS[name].said else 2 * 128 + 20
            word = 0 if french.title(french.language) == french.status else 2 * 60 + 20
            assert b.hardware.i2c_bytes - sent <= line + word, name


FURTHER_DIGITS = [
    ("1", "15"),
    ("1", "1,"),
    ("1,", "1,5"),
    ("4444", "44444"),
    ("9999", "99999"),
    ("8,888", "8,8888"),
    ("0", "0,"),
    ("0,8888", "0,88888"),
]


@pytest.mark.parametrize(("before", "after"), FURTHER_DIGITS)
def test_further_digit_costs_at_most_150_bytes(before: str, after: str) -> None:
    with bench() as b:
        b.board.screen.show(typed(before))
        sent = b.hardware.i2c_bytes
        b.board.screen.show(typed(after))
        assert 0 < b.hardware.i2c_bytes - sent <= 150


@pytest.mark.parametrize("first", ["0", "1", "8"])
@pytest.mark.parametrize("balance", ["99,999M", "15M", "88,888K", "0", "1500", IDLE])
def test_first_digit_costs_at_most_700_bytes(balance: str, first: str) -> None:
    """It replaces a balance, and the amount of the last move in the status row (N4)."""
    moved = Message(Text.WHOLE_AMOUNT, "2>1 99,999M")
    with bench() as b:
        b.board.screen.show(typed(balance)._replace(typed=False, middle=moved))
        sent = b.hardware.i2c_bytes
        b.board.screen.show(typed(first))
        assert b.hardware.i2c_bytes - sent <= 700


def test_first_digit_after_a_cards_number_costs_at_most_700_bytes() -> None:
    with bench() as b:
        b.board.screen.show(VIEWS["card-number"])
        sent = b.hardware.i2c_bytes
        b.board.screen.show(typed("8")._replace(occupants=VIEWS["card-number"].occupants))
        assert b.hardware.i2c_bytes - sent <= 700


def test_badges_that_change_with_the_balance_cost_little() -> None:
    """From the payer's balance to the payee's (S3)."""
    with bench() as b:
        b.board.screen.show(VIEWS["transfer-payer"])
        sent = b.hardware.i2c_bytes
        b.board.screen.show(VIEWS["transfer-payee"])
        assert b.hardware.i2c_bytes - sent <= 700


def test_same_view_costs_nothing() -> None:
    with bench() as b:
        b.board.screen.show(VIEWS["balance"])
        sent = b.hardware.i2c_bytes
        b.board.screen.show(VIEWS["balance"])
        assert b.hardware.i2c_bytes == sent


def test_cleanup_of_luma_keeps_the_picture() -> None:
    with bench() as b:
        b.board.screen.show(VIEWS["balance"])
        b.board._screen._device.cleanup()  # as luma does at the end of the program
        assert b.hardware.oled.picture().tobytes() == draw(VIEWS["balance"]).tobytes()


def pages(*changes: tuple[int, int]) -> list[bytes]:
    """Return the pages of a dark screen with some bytes lit, by page and column."""
    content = [bytearray(128) for _ in range(8)]
    for page, column in changes:
        content[page][column] = 0xFF
    return [bytes(page) for page in content]


@pytest.mark.parametrize(
    ("changes", "windows"),
    [
        ([], []),
        ([(3, 70)], [(3, 3, 70, 70)]),
        ([(0, 0), (7, 127)], [(0, 0, 0, 0), (7, 7, 127, 127)]),
        ([(2, 5), (2, 90)], [(2, 2, 5, 90)]),  # one window per page
        ([(2, 5), (3, 5)], [(2, 3, 5, 5)]),
        ([(2, 5), (3, 5), (4, 5)], [(2, 4, 5, 5)]),
        ([(2, 5), (4, 5)], [(2, 2, 5, 5), (4, 4, 5, 5)]),  # a window over page 3 would cost more
        # A window costs ten bytes and its content: two of 1 byte cost as much as one of 12,
        ([(2, 5), (3, 10)], [(2, 3, 5, 10)]),
        ([(2, 10), (3, 5)], [(2, 3, 5, 10)]),
        ([(2, 5), (3, 11)], [(2, 2, 5, 5), (3, 3, 11, 11)]),
        # two of 1 and 2 bytes more than one of 12, and less than one of 14.
        ([(2, 5), (3, 9), (3, 10)], [(2, 3, 5, 10)]),
        ([(2, 5), (3, 10), (3, 11)], [(2, 2, 5, 5), (3, 3, 10, 11)]),
        ([(2, 5), (3, 5), (4, 9)], [(2, 3, 5, 5), (4, 4, 9, 9)]),
        ([(2, 5), (3, 5), (4, 8)], [(2, 4, 5, 8)]),
    ],
)
def test_windows_that_are_sent(
    changes: list[tuple[int, int]], windows: list[tuple[int, ...]]
) -> None:
    with bench():
        from hal.pi.screens.oled import changed_windows

    assert changed_windows(pages(), pages(*changes)) == windows
    assert changed_windows(pages(*changes), pages()) == windows
    assert changed_windows(None, pages(*changes)) == [(0, 7, 0, 127)]


@pytest.mark.parametrize(
    ("chip", "cost"),
    [("ssd1306", 2 + 6 + 2 + 1), ("sh1106", 2 + 3 + 2 + 1), ("ssd1309", 2 + 6 + 2 + 1)],
)
def test_cost_of_one_dot(chip: str, cost: int) -> None:
    """Address and control byte before the commands, and again before the data."""
    hardware, screen = screen_with(chip)
    picture = Image.new("1", (128, 64))
    screen.show_picture(picture)
    sent = hardware.i2c_bytes
    dotted = picture.copy()
    dotted.putpixel((77, 33), 1)
    screen.show_picture(dotted)
    assert hardware.i2c_bytes - sent == cost
    assert hardware.oled.picture().tobytes() == dotted.tobytes()


@pytest.mark.parametrize("chip", SCREEN_CHIPS)
def test_every_chip_shows_the_same(chip: str) -> None:
    hardware, screen = screen_with(chip)
    for name, view in VIEWS.items():
        screen.show(view)
        assert hardware.oled.picture().tobytes() == draw(view).tobytes(), name


def test_locked_ssd1309_is_unlocked_when_it_wakes() -> None:
    hardware, screen = screen_with("ssd1309")
    screen.show(VIEWS["balance"])
    screen.show(VIEWS["asleep"])
    hardware.oled.write(b"\x00\xfd\x16")
    screen.show(VIEWS["no-card"])
    assert hardware.oled.picture().tobytes() == draw(VIEWS["no-card"]).tobytes()


def test_packed_picture_has_the_format_of_the_controllers() -> None:
    from hal.display.pages import packed

    picture = Image.new("1", (128, 64))
    picture.putpixel((5, 0), 1)
    picture.putpixel((6, 15), 1)
    pages = packed(picture)
    assert (pages[0][5], pages[1][6]) == (0x01, 0x80)
    assert sum(map(sum, pages)) == 0x81
