"""The keys of the box, by mouse and keyboard."""

import pytest
from playwright.sync_api import expect

from hal.display.messages import Text
from tests.panel.user import User, listed, screen


@pytest.fixture
def stopped(user: User) -> User:
    """A box with stopped time, and card 1 in the left slot."""
    user.set_pace(0)
    user.put(1, "left")
    user.until_shows(screen("1", card=1, left=1))
    return user


def test_every_digit_is_typed(stopped: User) -> None:
    """M4, M5: by the keyboard; a sixth digit is refused, and the entry stays."""
    for typed, shown in (
        (("1", "2", "3", "4", "5", "6"), "12345"),
        (("6", "7", "8", "9", "0"), "67890"),
        (("1", ",", "5"), "1,5"),
        (("2", ".", "5"), "2,5"),
        (("Shift+Numpad1", "Shift+Numpad4", "Shift+Numpad7"), "147"),
    ):
        for key in typed:
            stopped.page.keyboard.press(key)
        stopped.until_shows(screen(shown, left=1))
        stopped.page.keyboard.press("Escape")
        stopped.until_shows(screen("15M", left=1))


def test_units_in_either_case(stopped: User) -> None:
    """M4: the letter completes the entry, and the money moves at once."""
    for typed, shown in (("5m", "20M"), ("5M", "25M"), ("10k", "25,01M"), ("90K", "25,1M")):
        for key in typed:
            stopped.page.keyboard.press(key)
        stopped.until_shows(screen(shown, left=1))


def test_go_c_and_f(stopped: User) -> None:
    """S7, C2, F1, F2: G is GO, C or Escape is C, F opens its list, in either case."""
    for go, take_back in (("g", "c"), ("G", "Escape"), ("G", "C")):
        stopped.page.keyboard.press(go)
        stopped.until_shows(screen("17M", left=1))
        stopped.page.keyboard.press(take_back)
        stopped.until_shows(screen("15M", left=1))
    for opens, leaves in (("f", "c"), ("F", "Escape")):
        stopped.page.keyboard.press(opens)
        offered = {"6": Text.SELL, "8": Text.HISTORY, "9": Text.COUNT, "0": Text.GAME}
        stopped.until_shows(listed(offered, left=1))
        stopped.page.keyboard.press(leaves)
        stopped.until_shows(screen("15M", left=1))


def test_holding_c_on_the_keyboard_holds_c(user: User) -> None:
    """C4: despite key repeat; three seconds."""
    user.set_pace(10)
    user.put(1, "left")
    user.press("G")
    user.until_shows(screen("17M", left=1))
    user.page.keyboard.down("c")
    for _ in range(5):
        user.page.keyboard.down("c")  # without a keyup: a repeat
    user.until(lambda: user.sounds[-1] == "new-game", "a new game")
    user.page.keyboard.up("c")
    user.until_shows(screen("15M", left=1))


def test_browser_shortcuts_press_no_key(stopped: User) -> None:
    for combination in ("Control+5", "Alt+5", "Meta+5"):
        stopped.page.keyboard.press(combination)
    stopped.press("7")
    stopped.until_shows(screen("7", left=1))


def test_a_page_that_loses_the_focus_releases_its_keys(stopped: User) -> None:
    stopped.page.keyboard.down("5")
    expect(stopped.key("5")).to_have_class("key digit down")
    stopped.page.evaluate("window.dispatchEvent(new Event('blur'))")
    expect(stopped.key("5")).to_have_class("key digit")


def test_enter_and_space_belong_to_the_focused_control(stopped: User) -> None:
    """Without one they do nothing. A click does not move the focus, so they do not repeat it."""
    stopped.press("5")
    for key in ("Enter", "NumpadEnter", "Space"):
        stopped.page.keyboard.press(key)
    stopped.press("6")
    stopped.until_shows(screen("56", left=1))
    assert stopped.sounds == ["card"], "GO was pressed"
    stopped.press("C")
    stopped.key("7").focus()
    stopped.page.keyboard.press("Enter")
    stopped.page.keyboard.press("Space")
    stopped.until_shows(screen("77", left=1))
    stopped.key("8").dispatch_event("click")  # without a pointer, like assistive technology
    stopped.until_shows(screen("778", left=1))
