"""The panel with the real drivers on models of the chips."""

import pytest

from hal.display.messages import Message, Text
from tests.panel.conftest import OpenPage, StartPanel
from tests.panel.user import DARK, User, screen


@pytest.fixture
def drivers(start_panel: StartPanel, open_page: OpenPage) -> User:
    user = open_page(start_panel("--board", "virtual"))
    user.press_duration = 60
    user.until_shows(screen())
    return user


def test_a_rent_with_bouncing_keys(drivers: User) -> None:
    """M4, S3: a bouncing contact is one key press."""
    drivers.set_fault("bounce", on=True)
    drivers.put(2, "left")
    drivers.put(1, "right")
    drivers.until_shows(screen("15M", left=2, right=1))
    drivers.press("1,25")
    drivers.until_shows(screen("1,25", left=2, right=1))
    drivers.press("M")
    drivers.until_shows(screen("13,75M", left=2, right=1))
    drivers.until_shows(screen("16,25M", left=2, right=1, balance_of=2))


def test_a_dead_reader_recovers(drivers: User) -> None:
    """The other slot works meanwhile; a card that is still in counts as just put in."""
    drivers.put(1, "left")
    drivers.until_shows(screen("15M", left=1))
    drivers.set_fault("left", on=True)
    drivers.until_announced("-----. LEFT READER")
    drivers.put(2, "right")
    drivers.press("2M")
    drivers.until_shows(screen("13M", Message(Text.LEFT_READER), right=2))
    drivers.set_fault("left", on=False)
    drivers.until_shows(screen("13M", left=1, right=2))


def test_a_noisy_reader(drivers: User) -> None:
    """S1: despite bit errors a card is reported once, and stays."""
    drivers.set_fault("noise", on=True)
    drivers.put(1, "left")
    drivers.until_shows(screen("15M", left=1))
    drivers.press("2M")
    drivers.until_shows(screen("17M", left=1))
    assert drivers.sounds == ["card", "ok"]


def test_an_unplugged_screen_sleep_and_a_power_cut(drivers: User) -> None:
    """P1, P2, P3: the driver restores the screen every time."""
    drivers.put(1, "left")
    drivers.until_shows(screen("15M", left=1))
    drivers.press("G")
    drivers.until_shows(screen("17M", left=1))
    drivers.set_fault("screen", on=True)
    drivers.until_shows(DARK)
    drivers.set_fault("screen", on=False)
    drivers.until_shows(screen("17M", left=1))
    drivers.skip_minute()
    drivers.until_shows(DARK)
    drivers.press("5")
    drivers.until_shows(screen("5", left=1))
    drivers.toggle_power()
    drivers.until_shows(DARK)
    drivers.toggle_power()
    drivers.until_shows(screen("17M", left=1))
