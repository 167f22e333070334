"""The keys of the box, under the mouse and on the computer's keyboard."""

import pytest
from playwright.sync_api import expect

from hal.view import Text
from tests.panel.hands import Hands, listed, screen


@pytest.fixture
def still(hands: Hands) -> Hands:
    """A box whose time stands still, with card 1 in the left slot."""
    hands.at_pace(0)
    hands.put(1, "left")
    hands.until_shows(screen("1", card=1, left=1))
    return hands


def test_every_digit_is_typed(still: Hands) -> None:
    """M4, M5: by the computer's keyboard; a sixth one is refused, and the entry stays."""
    for typed, shown in (
        (("1", "2", "3", "4", "5", "6"), "12345"),
        (("6", "7", "8", "9", "0"), "67890"),
        (("1", ",", "5"), "1,5"),
        (("2", ".", "5"), "2,5"),
        (("Shift+Numpad1", "Shift+Numpad4", "Shift+Numpad7"), "147"),
    ):
        for key in typed:
            still.page.keyboard.press(key)
        still.until_shows(screen(shown, left=1))
        still.page.keyboard.press("Escape")
        still.until_shows(screen("15M", left=1))


def test_units_in_either_case(still: Hands) -> None:
    """M4: the letter completes the entry, and the money moves at once."""
    for typed, shown in (("5m", "20M"), ("5M", "25M"), ("10k", "25,01M"), ("90K", "25,1M")):
        for key in typed:
            still.page.keyboard.press(key)
        still.until_shows(screen(shown, left=1))


def test_go_c_and_f(still: Hands) -> None:
    """S7, C2, F1, F2: G or Enter is GO, C or Escape is C, F opens its list, in either case."""
    for go, take_back in (("g", "c"), ("Enter", "Escape"), ("G", "C")):
        still.page.keyboard.press(go)
        still.until_shows(screen("17M", left=1))
        still.page.keyboard.press(take_back)
        still.until_shows(screen("15M", left=1))
    for opens, leaves in (("f", "c"), ("F", "Escape")):
        still.page.keyboard.press(opens)
        still.until_shows(listed({"6": Text.HALF, "9": Text.COUNT, "0": Text.GAME}, left=1))
        still.page.keyboard.press(leaves)
        still.until_shows(screen("15M", left=1))


def test_holding_c_on_the_keyboard_holds_c(hands: Hands) -> None:
    """C4: whatever the keyboard's own repetition does; three seconds, ten times as fast."""
    hands.at_pace(10)
    hands.put(1, "left")
    hands.press("G")
    hands.until_shows(screen("17M", left=1))
    hands.page.keyboard.down("c")
    for _ in range(5):
        hands.page.keyboard.down("c")  # again without an end: the browser calls it a repetition
    hands.until(lambda: hands.sounds[-1] == "new-game", "a new game")
    hands.page.keyboard.up("c")
    hands.until_shows(screen("15M", left=1))


def test_shortcuts_of_the_browser_stay_with_the_browser(still: Hands) -> None:
    for combination in ("Control+5", "Alt+5", "Meta+5"):
        still.page.keyboard.press(combination)
    still.press("7")
    still.until_shows(screen("7", left=1))


def test_a_page_that_loses_the_focus_lets_go(still: Hands) -> None:
    """No key stays down that nobody holds."""
    still.page.keyboard.down("5")
    expect(still.key("5")).to_have_class("key digit down")
    still.page.evaluate("window.dispatchEvent(new Event('blur'))")
    expect(still.key("5")).to_have_class("key digit")


def test_enter_and_space_belong_to_what_has_the_focus(still: Hands) -> None:
    """A click takes no focus, so that Enter is GO, and does not repeat what was clicked last."""
    still.press("5")
    still.page.keyboard.press("Enter")
    still.until_shows(screen("17M", left=1))
    still.key("7").focus()
    still.page.keyboard.press("Enter")
    still.page.keyboard.press("Space")
    still.until_shows(screen("77", left=1))
    still.key("8").dispatch_event("click")  # without a pointer, as assistive technology does it
    still.until_shows(screen("778", left=1))
