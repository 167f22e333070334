"""The screen: only what changed goes over the bus, and a screen that is away stops nothing."""

import errno
import gc
import random
from collections.abc import Callable

import pytest
from PIL import Image

from hal.picture import draw
from hal.view import View
from hal.wiring import Wiring
from sim.chips.ssd1306 import Reading
from sim.virtual import Hardware, VirtualAlarm, drivers
from tests import golden
from tests.drivers.harness import MS, Bench, bench

VIEWS = golden.views()
FRENCH_VIEWS = golden.french_views()


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

    b.hardware.i2c = count  # type: ignore[method-assign]
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


def same(b: Bench, view: View) -> bool:
    return b.hardware.oled.picture().tobytes() == draw(view).tobytes()


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


def reads_end_in(b: Bench, act: Callable[[], None]) -> None:
    """Something happens to every read, after the control byte went out."""
    through = b.hardware.i2c_read

    def read(address: int) -> int:
        act()
        return through(address)

    b.hardware.i2c_read = read  # type: ignore[method-assign]


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
        reads_end_in(b, lambda: b.hardware.plug_screen(False))
        b.board.screen.show(VIEWS["balance"])
        b.run(500 * MS)
        del b.hardware.i2c_read
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


def test_a_bus_that_hangs_while_nothing_is_sent() -> None:
    with bench() as b:
        b.board.screen.show(VIEWS["balance"])
        b.hardware.i2c_stuck = True
        assert transfers_while_away(b, seconds=125) == 4
        b.hardware.i2c_stuck = False
        b.hardware.oled.power_cycle()
        b.run(31_000 * MS)
        assert same(b, VIEWS["balance"])


def test_asleep_nothing_is_asked() -> None:
    with bench() as b:
        b.board.screen.show(VIEWS["balance"])
        b.run(3_000 * MS)
        b.board.screen.show(VIEWS["asleep"])
        b.board.rest(True)
        sent, asked = b.hardware.i2c_bytes, b.hardware.i2c_reads
        b.run(60_000 * MS)
        assert (b.hardware.i2c_bytes, b.hardware.i2c_reads) == (sent, asked)


@pytest.mark.parametrize("view", ["balance", "no-card"])
def test_a_screen_that_lost_its_settings_asleep_wakes_with_the_right_picture(view: str) -> None:
    """Asleep it is off anyway; nobody could tell."""
    with bench() as b:
        b.board.screen.show(VIEWS["balance"])
        b.board.screen.show(VIEWS["asleep"])
        b.board.rest(True)
        b.run(5_000 * MS)
        b.hardware.plug_screen(False)
        b.run(5_000 * MS)
        b.hardware.plug_screen(True)
        b.run(5_000 * MS)
        b.board.rest(False)
        b.board.screen.show(VIEWS[view])
        assert b.hardware.oled.lit
        b.run(1 * MS)
        assert same(b, VIEWS[view])


def test_a_screen_that_wakes_is_lit_with_what_has_changed_and_then_drawn_in_full() -> None:
    """Nobody has to wait for what is almost always there already."""
    with bench() as b:
        b.board.screen.show(VIEWS["balance"])
        b.board.screen.show(VIEWS["asleep"])
        sent = b.hardware.i2c_bytes
        b.board.screen.show(VIEWS["balance"])
        assert same(b, VIEWS["balance"])
        assert b.hardware.i2c_bytes - sent <= 60
        sent = b.hardware.i2c_bytes
        b.run(100 * MS)
        assert b.hardware.i2c_bytes - sent == 2 + 6 + 2 + 1024
        b.run(1_000 * MS)
        assert b.hardware.i2c_bytes - sent == 2 + 6 + 2 + 1024


@pytest.mark.parametrize("then", ["asleep", "no-card"])
def test_a_screen_that_is_told_more_before_it_was_drawn_in_full(then: str) -> None:
    with bench() as b:
        b.board.screen.show(VIEWS["balance"])
        b.board.screen.show(VIEWS["asleep"])
        b.hardware.oled.power_cycle()
        b.board.screen.show(VIEWS["balance"])
        b.board.screen.show(VIEWS[then])
        assert same(b, VIEWS[then])
        b.run(100 * MS)
        assert same(b, VIEWS[then])
        b.board.screen.show(VIEWS["entry"])
        b.run(100 * MS)
        assert same(b, VIEWS["entry"])


def test_a_screen_that_is_first_found_asleep_is_off() -> None:
    with bench() as b:
        b.board.screen.show(VIEWS["asleep"])
        assert not b.hardware.oled.lit
        b.run(3_000 * MS)
        assert b.hardware.i2c_reads == 0
        b.board.screen.show(VIEWS["balance"])
        assert same(b, VIEWS["balance"])


def test_a_dark_screen_that_is_told_to_be_dark_stays_so() -> None:
    with bench() as b:
        b.board.screen.show(VIEWS["balance"])
        b.board.screen.show(VIEWS["asleep"])
        sent = b.hardware.i2c_bytes
        b.board.screen.show(VIEWS["asleep"])
        assert b.hardware.i2c_bytes == sent


def pictures_seen(b: Bench) -> set[bytes]:
    """What is on the glass after each transfer from here on."""
    through, seen = b.hardware.i2c, set[bytes]()

    def watch(address: int, payload: bytes) -> None:
        through(address, payload)
        seen.add(b.hardware.oled.picture().tobytes())

    b.hardware.i2c = watch  # type: ignore[method-assign]
    return seen


def test_a_screen_that_wakes_shows_nothing_of_what_was_before() -> None:
    with bench() as b:
        b.board.screen.show(VIEWS["balance"])
        b.board.screen.show(VIEWS["asleep"])
        seen = pictures_seen(b)
        b.board.screen.show(VIEWS["no-card"])
        b.run(100 * MS)
        assert seen == {draw(VIEWS[name]).tobytes() for name in ("asleep", "no-card")}


def test_a_screen_that_is_set_up_again_is_dark_until_its_picture_is_there() -> None:
    """And does not show what its RAM holds, which is snow."""
    with bench() as b:
        b.board.screen.show(VIEWS["balance"])
        b.hardware.oled.power_cycle()
        seen = pictures_seen(b)
        b.run(LOOKED_AT)
        assert seen == {draw(VIEWS[name]).tobytes() for name in ("asleep", "balance")}


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
    from hal.pages import packed

    picture = Image.new("1", (128, 64))
    picture.putpixel((5, 0), 1)
    picture.putpixel((6, 15), 1)
    pages = packed(picture)
    assert (pages[0][5], pages[1][6]) == (0x01, 0x80)
    assert sum(map(sum, pages)) == 0x81
