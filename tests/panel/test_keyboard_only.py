"""Everything works with the keyboard alone: Tab reaches every control.

The keys of the box are one tab stop, and so are the cards in the rack; arrow keys move inside.
"""

import pytest
from playwright.sync_api import expect

from tests.panel.panels import HostedPanel
from tests.panel.user import User, screen

FOCUSED = """() => {
    const at = document.activeElement;
    return at === document.body ? null : at.id || at.dataset.key || at.dataset.card
        && `card ${at.dataset.card}` || at.dataset.pace && `pace ${at.dataset.pace}`
        || at.dataset.fault || at.dataset.inSlot && `in ${at.dataset.inSlot}`
        || at.closest('details')?.id || at.tagName;
}"""
"""A name of the element that has the focus."""


def tab_through(user: User, limit: int = 120) -> list[str]:
    """The elements that Tab reaches, from the top of the page to its end."""
    reached: list[str] = []
    for _ in range(limit):
        user.page.keyboard.press("Tab")
        at = user.page.evaluate(FOCUSED)
        if at is None or (reached and at == reached[0]):
            break
        reached.append(at)
    return reached


def focused(user: User) -> str:
    return str(user.page.evaluate(FOCUSED))


def tab_to(user: User, name: str) -> None:
    for _ in range(120):
        if focused(user) == name:
            return
        user.page.keyboard.press("Tab")
    raise AssertionError(f"Tab does not reach {name}")


def go_to_card(user: User, card: int) -> None:
    """By Tab to the cards, then by the arrow keys."""
    for _ in range(120):
        if focused(user).startswith("card "):
            break
        user.page.keyboard.press("Tab")
    walk_to(user, f"card {card}")


def walk_to(user: User, name: str) -> None:
    """By the arrow keys, inside a group."""
    user.page.keyboard.press("Control+Home")
    user.page.keyboard.press("Home")
    for _ in range(16):
        if focused(user) == name:
            return
        user.page.keyboard.press("ArrowRight")
    raise AssertionError(f"the arrow keys do not reach {name}")


def test_a_rent_and_its_correction(user: User) -> None:
    """S2, S3, C2: two cards are put in, a rent is paid and undone, the cards are taken out."""
    keyboard = user.page.keyboard
    tab_to(user, "time")
    keyboard.press("Enter")
    tab_to(user, "pace 0")
    keyboard.press("Space")
    user.until_pressed('[data-pace="0"]')
    go_to_card(user, 2)
    keyboard.press("Enter")
    keyboard.press("ArrowLeft")
    user.until_in("left", 2)
    go_to_card(user, 1)
    keyboard.press("Space")
    keyboard.press("ArrowRight")
    user.until_in("right", 1)
    keyboard.type("1,4m")
    user.until_shows(screen("13,6M", left=2, right=1))
    keyboard.press("Escape")
    user.until_shows(screen("15M", left=2, right=1))
    keyboard.press("Delete")
    user.until_in("right", None)
    tab_to(user, "in left")
    keyboard.press("Enter")
    user.until_in("left", None)
    user.until_shows(screen())


def test_a_card_is_picked_up_and_put_into_a_slot(user: User) -> None:
    go_to_card(user, 3)
    user.page.keyboard.press("Enter")
    expect(user.page.locator("#toast")).to_contain_text("Card 3 is picked up: ← left slot")
    expect(user.rack(3)).to_have_attribute("aria-pressed", "true")
    tab_to(user, "slot-right")
    user.page.keyboard.press("Space")
    user.until_in("right", 3)


def test_every_control_can_be_reached(user: User, panel: HostedPanel) -> None:
    """With everything unfolded, and a card in each slot."""
    for name in ("accounts", "history", "time", "faults", "recording", "shortcuts"):
        user.unfold(name)
    user.put(1, "left")
    user.put(9, "right")
    user.open(panel.url)
    user.until_in("right", 9)
    reached = tab_through(user)
    slots = ["slot-left", "slot-right", "in left", "in right"]
    panels = ["accounts", "history", "time", "faults", "recording", "shortcuts"]
    controls = ["sound", "pace 0", "pace 1", "pace 10", "pace 60", "skip", "power", "screen"]
    expected = {"1", "card 1", *slots, *panels, *controls, "record"}
    assert expected <= set(reached), f"not reached: {expected - set(reached)}"
    assert len(reached) == len(set(reached)), "Tab reaches a control twice"


@pytest.mark.parametrize("key", ["1", "F"])
def test_every_card_is_two_tabs_from_the_keys(user: User, key: str) -> None:
    user.put(1, "left")
    user.put(2, "right")
    for card in user.cards():
        user.key(key).focus()
        for _ in range(2):
            if not focused(user).startswith("card "):
                user.page.keyboard.press("Tab")
        walk_to(user, f"card {card}")
    user.page.keyboard.press("Shift+Tab")
    assert focused(user) == key, "the keypad's tab stop is not the key that had the focus"
    user.page.keyboard.press("Tab")
    assert focused(user) == "card 10", "the cards' tab stop is not the card that had the focus"


def test_the_arrow_keys_move_over_the_keypad(user: User) -> None:
    """As in a grid; at its edges they stay."""
    tab_to(user, "1")
    for press, reached in (
        *(("ArrowUp", "1"), ("ArrowLeft", "1"), ("ArrowRight", "2"), ("ArrowDown", "5")),
        *(("End", "K"), ("ArrowDown", "C"), ("Home", "7"), ("ArrowUp", "4"), ("ArrowLeft", "M")),
        *(("Control+End", "F"), ("ArrowDown", "F"), ("ArrowRight", "F"), ("Control+Home", "1")),
    ):
        user.page.keyboard.press(press)
        assert focused(user) == reached, f"after {press}"
    expect(user.page.get_by_role("grid", name="Keypad").get_by_role("row")).to_have_count(4)
    user.until_shows(screen())


def test_the_arrow_keys_move_over_the_cards(user: User) -> None:
    """Two columns on a laptop. They do not put a card in unless it is picked up."""
    go_to_card(user, 1)
    for press, reached in (
        *(("ArrowRight", 2), ("ArrowDown", 4), ("ArrowLeft", 3), ("ArrowUp", 1)),
        *(("End", 10), ("ArrowRight", 10), ("Home", 1), ("ArrowLeft", 1)),
    ):
        user.page.keyboard.press(press)
        assert focused(user) == f"card {reached}", f"after {press}"
    expect(user.page.get_by_role("toolbar", name="Cards").get_by_role("button")).to_have_count(8)
    user.page.keyboard.press("Enter")
    user.page.keyboard.press("Escape")
    user.page.keyboard.press("ArrowRight")
    assert focused(user) == "card 2"
    expect(user.card_in("right")).to_have_count(0)


def test_the_focus_follows_a_card(user: User) -> None:
    """When a card leaves its slot, its button in the rack gets the focus."""
    user.put(4, "left")
    tab_to(user, "in left")
    user.page.keyboard.press("Delete")
    user.until_in("left", None)
    expect(user.rack(4)).to_be_focused()


def test_panels_are_unfolded_and_folded(user: User) -> None:
    tab_to(user, "recording")
    user.page.keyboard.press("Enter")
    expect(user.page.locator("details#recording")).to_have_attribute("open", "")
    user.page.keyboard.press("Enter")
    expect(user.page.locator("details#recording")).not_to_have_attribute("open", "")
    user.until_shows(screen())
