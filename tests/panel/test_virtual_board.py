"""The same panel over the real drivers and the models of the chips."""

import pytest

from hal.view import Message, Text
from tests.panel.conftest import OpenPage, StartPanel
from tests.panel.hands import DARK, Hands, screen


@pytest.fixture
def drivers(start_panel: StartPanel, open_page: OpenPage) -> Hands:
    hands = open_page(start_panel("--board", "virtual"))
    hands.dwell = 60
    hands.until_shows(screen())
    return hands


def test_a_rent_over_the_drivers_with_bouncing_keys(drivers: Hands) -> None:
    """M4, S3: each contact is a volley of contacts, and still one key.

    And what the glass shows went through the screen's own driver.
    """
    drivers.work_fault("bounce", on=True)
    drivers.put(2, "left")
    drivers.put(1, "right")
    drivers.until_shows(screen("15M", left=2, right=1))
    drivers.press("1,25")
    drivers.until_shows(screen("1,25", left=2, right=1))
    drivers.press("M")
    drivers.until_shows(screen("13,75M", left=2, right=1))
    drivers.until_shows(screen("16,25M", left=2, right=1))


def test_a_dead_reader_and_its_return(drivers: Hands) -> None:
    """The other slot goes on working; a card that is still in counts as just put in."""
    drivers.put(1, "left")
    drivers.until_shows(screen("15M", left=1))
    drivers.work_fault("left", on=True)
    drivers.until_said("-----. LEFT READER")
    drivers.put(2, "right")
    drivers.press("2M")
    drivers.until_shows(screen("13M", Message(Text.LEFT_READER), right=2))
    drivers.work_fault("left", on=False)
    drivers.until_shows(screen("13M", left=1, right=2))


def test_a_noisy_reader(drivers: Hands) -> None:
    """S1: a card is read once, however garbled the air is, and stays."""
    drivers.work_fault("noise", on=True)
    drivers.put(1, "left")
    drivers.until_shows(screen("15M", left=1))
    drivers.press("2M")
    drivers.until_shows(screen("17M", left=1))
    assert drivers.sounds == ["card", "ok"]


def test_an_unplugged_screen_sleep_and_a_power_cut(drivers: Hands) -> None:
    """P1, P2, P3: the driver sees to its screen by itself, whatever made that dark."""
    drivers.put(1, "left")
    drivers.until_shows(screen("15M", left=1))
    drivers.press("G")
    drivers.until_shows(screen("17M", left=1))
    drivers.work_fault("screen", on=True)
    drivers.until_shows(DARK)
    drivers.work_fault("screen", on=False)
    drivers.until_shows(screen("17M", left=1))
    drivers.skip_a_minute()
    drivers.until_shows(DARK)
    drivers.press("5")
    drivers.until_shows(screen("5", left=1))
    drivers.work_power()
    drivers.until_shows(DARK)
    drivers.work_power()
    drivers.until_shows(screen("17M", left=1))
