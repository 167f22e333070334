"""The screen while the box sleeps and when it wakes up."""

import pytest

from hal.display.renderer import draw
from tests.drivers.harness import MS, bench
from tests.drivers.screen_helpers import VIEWS, pictures_seen, same


def test_no_transfers_asleep() -> None:
    with bench() as b:
        b.board.screen.show(VIEWS["balance"])
        b.run(3_000 * MS)
        b.board.screen.show(VIEWS["asleep"])
        b.board.rest(True)
        sent, asked = b.hardware.i2c_bytes, b.hardware.i2c_reads
        b.run(60_000 * MS)
        assert (b.hardware.i2c_bytes, b.hardware.i2c_reads) == (sent, asked)


@pytest.mark.parametrize("view", ["balance", "no-card"])
def test_settings_lost_asleep_are_restored_at_wake_up(view: str) -> None:
    """While it is off, lost settings cannot be detected."""
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


def test_wake_up_sends_changes_first_and_then_the_full_picture() -> None:
    """Almost always the picture is there already, so there is no delay for a full redraw."""
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
def test_further_view_before_the_full_redraw(then: str) -> None:
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


def test_first_view_asleep_keeps_the_screen_off() -> None:
    with bench() as b:
        b.board.screen.show(VIEWS["asleep"])
        assert not b.hardware.oled.lit
        b.run(3_000 * MS)
        assert b.hardware.i2c_reads == 0
        b.board.screen.show(VIEWS["balance"])
        assert same(b, VIEWS["balance"])


def test_second_sleep_view_costs_nothing() -> None:
    with bench() as b:
        b.board.screen.show(VIEWS["balance"])
        b.board.screen.show(VIEWS["asleep"])
        sent = b.hardware.i2c_bytes
        b.board.screen.show(VIEWS["asleep"])
        assert b.hardware.i2c_bytes == sent


def test_wake_up_never_shows_the_old_picture() -> None:
    with bench() as b:
        b.board.screen.show(VIEWS["balance"])
        b.board.screen.show(VIEWS["asleep"])
        seen = pictures_seen(b)
        b.board.screen.show(VIEWS["no-card"])
        b.run(100 * MS)
        assert seen == {draw(VIEWS[name]).tobytes() for name in ("asleep", "no-card")}
