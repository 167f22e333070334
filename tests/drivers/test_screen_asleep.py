"""The screen asleep and waking: dark, left in peace, and right when somebody looks again."""

import pytest

from hal.picture import draw
from tests.drivers.glass import VIEWS, pictures_seen, same
from tests.drivers.harness import MS, bench


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


def test_a_screen_that_wakes_shows_nothing_of_what_was_before() -> None:
    with bench() as b:
        b.board.screen.show(VIEWS["balance"])
        b.board.screen.show(VIEWS["asleep"])
        seen = pictures_seen(b)
        b.board.screen.show(VIEWS["no-card"])
        b.run(100 * MS)
        assert seen == {draw(VIEWS[name]).tobytes() for name in ("asleep", "no-card")}
