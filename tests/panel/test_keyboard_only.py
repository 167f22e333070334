"""All of it without a mouse: whatever can be worked can be reached, by Tab, and has a name."""

from playwright.sync_api import expect

from tests.panel.hands import Hands, screen
from tests.panel.served import Served

FOCUSED = """() => {
    const at = document.activeElement;
    return at === document.body ? null : at.id || at.dataset.key || at.dataset.card
        && `card ${at.dataset.card}` || at.dataset.pace && `pace ${at.dataset.pace}`
        || at.dataset.fault || at.dataset.inSlot && `in ${at.dataset.inSlot}`
        || at.closest('details')?.id || at.tagName;
}"""
"""What has the focus, by its name in the page."""


def walk(hands: Hands, most: int = 120) -> list[str]:
    """What Tab comes by, from the top of the page to its end."""
    reached: list[str] = []
    for _ in range(most):
        hands.page.keyboard.press("Tab")
        at = hands.page.evaluate(FOCUSED)
        if at is None or (reached and at == reached[0]):
            break
        reached.append(at)
    return reached


def tab_to(hands: Hands, name: str) -> None:
    for _ in range(120):
        if hands.page.evaluate(FOCUSED) == name:
            return
        hands.page.keyboard.press("Tab")
    raise AssertionError(f"Tab never came to {name}")


def test_a_rent_and_its_correction(hands: Hands) -> None:
    """S2, S3, C2: two cards put in, a rent paid, taken back, and the cards taken out."""
    keyboard = hands.page.keyboard
    tab_to(hands, "time")
    keyboard.press("Enter")
    tab_to(hands, "pace 0")
    keyboard.press("Space")
    hands.until_pressed('[data-pace="0"]')
    tab_to(hands, "card 2")
    keyboard.press("ArrowLeft")
    hands.until_in("left", 2)
    tab_to(hands, "card 1")
    keyboard.press("ArrowRight")
    hands.until_in("right", 1)
    keyboard.type("1,4m")
    hands.until_shows(screen("13,6M", left=2, right=1))
    keyboard.press("Escape")
    hands.until_shows(screen("15M", left=2, right=1))
    keyboard.press("ArrowDown")
    hands.until_in("right", None)
    tab_to(hands, "in left")
    keyboard.press("Enter")
    hands.until_in("left", None)
    hands.until_shows(screen())


def test_a_card_is_picked_up_and_put_into_a_slot(hands: Hands) -> None:
    tab_to(hands, "card 3")
    hands.page.keyboard.press("Enter")
    expect(hands.rack(3)).to_have_attribute("aria-pressed", "true")
    tab_to(hands, "slot-right")
    hands.page.keyboard.press("Space")
    hands.until_in("right", 3)


def test_every_control_can_be_reached(hands: Hands, panel: Served) -> None:
    """From the top of the page, with everything unfolded, and a card in each slot."""
    for part in ("accounts", "history", "time", "faults", "recording", "shortcuts"):
        hands.unfold(part)
    hands.put(1, "left")
    hands.put(9, "right")
    hands.come(panel.url)
    hands.until_in("right", 9)
    reached = walk(hands)
    keys = [*"123M456K789C,0GF"]
    cards = [f"card {card}" for card in hands.cards()]
    slots = ["slot-left", "slot-right", "in left", "in right"]
    beside = ["accounts", "history", "time", "faults", "recording", "shortcuts"]
    controls = ["sound", "pace 0", "pace 1", "pace 10", "pace 60", "skip", "power", "screen"]
    wanted = {*keys, *cards, *slots, *beside, *controls, "record"}
    assert wanted <= set(reached), f"never reached: {wanted - set(reached)}"
    assert len(reached) == len(set(reached)), "Tab comes by each once"


def test_the_focus_stays_on_a_card_that_moves(hands: Hands) -> None:
    """A card taken out of a slot leaves the focus on its place in the rack."""
    hands.put(4, "left")
    tab_to(hands, "in left")
    hands.page.keyboard.press("Delete")
    hands.until_in("left", None)
    expect(hands.rack(4)).to_be_focused()


def test_parts_are_unfolded_and_folded(hands: Hands) -> None:
    tab_to(hands, "recording")
    hands.page.keyboard.press("Enter")
    expect(hands.page.locator("details#recording")).to_have_attribute("open", "")
    hands.page.keyboard.press("Enter")
    expect(hands.page.locator("details#recording")).not_to_have_attribute("open", "")
    hands.until_shows(screen())
