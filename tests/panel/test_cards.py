"""Cards are dragged, tapped, or moved by keys; a card is in one place only."""

from collections.abc import Callable

from playwright.sync_api import expect

from firmware.reports.card_colours import CARD_COLOURS
from tests.panel.conftest import OpenPage, StartPanel
from tests.panel.user import User, middle, screen


def places(user: User) -> dict[str, int | None]:
    """The card in each slot, as the page shows it."""
    held = {}
    for slot in ("left", "right"):
        inside = user.card_in(slot)
        held[slot] = int(inside.get_attribute("data-holds") or 0) if inside.count() else None
    return held


def test_a_card_is_dragged_in_across_and_out(user: User) -> None:
    """S1, S5: rack to slot, slot to slot, slot to elsewhere."""
    user.set_pace(0)
    user.drag(user.rack(3), user.slot("left"))
    user.until_in("left", 3)
    user.until_shows(screen("3", card=3, left=3))
    user.drag(user.card_in("left"), user.slot("right"))
    user.until_in("right", 3)
    assert places(user) == {"left": None, "right": 3}
    user.until_shows(screen("3", card=3, right=3))
    user.drag(user.card_in("right"), user.page.locator("#rack-title"))
    user.until_in("right", None)
    user.until_shows(screen())


def test_a_card_that_misses_a_slot_or_is_refused_stays_out(user: User) -> None:
    """Dropped beside the slot, or the slot is full and the page says so."""
    user.drag(user.rack(3), user.key("5"))
    user.put(1, "left")
    user.drag(user.rack(2), user.slot("left"))
    expect(user.page.locator("#toast")).to_have_text("There is a card in this slot.")
    assert places(user) == {"left": 1, "right": None}


def test_a_card_is_clicked_and_then_a_slot(user: User) -> None:
    """Also if the mouse moves a little during the click."""
    left, top = middle(user.rack(5))
    user.drag_to(user.rack(5), left + 2, top + 2)
    expect(user.rack(5)).to_have_attribute("aria-pressed", "true")
    user.slot("right").click()
    user.until_in("right", 5)
    expect(user.rack(5)).to_have_attribute("aria-pressed", "false")
    user.card_in("right").click()
    user.until_in("right", None)


def test_a_picked_up_card_can_be_put_down(user: User) -> None:
    """By a click elsewhere, another click on it, or Escape, which then does not press C."""
    ways: tuple[Callable[[], None], ...] = (
        lambda: user.page.locator("h1").click(),
        lambda: user.rack(5).click(),
        lambda: user.page.keyboard.press("Escape"),
    )
    for put_down in ways:
        user.rack(5).click()
        expect(user.rack(5)).to_have_attribute("aria-pressed", "true")
        put_down()
        expect(user.rack(5)).to_have_attribute("aria-pressed", "false")
    user.until_shows(screen())


def test_a_card_moves_from_slot_to_slot_by_the_arrow_keys(user: User) -> None:
    """From the rack once it is picked up."""
    user.rack(6).focus()
    user.page.keyboard.press("Enter")
    for key, slot in (("ArrowLeft", "left"), ("ArrowRight", "right")):
        user.page.keyboard.press(key)
        user.until_in(slot, 6)
        user.card_in(slot).focus()
        expect(user.rack(6)).to_have_accessible_name(f"Card 6, in the {slot} slot. Take it out")
    assert places(user) == {"left": None, "right": 6}
    user.page.keyboard.press("Delete")
    user.until_in("right", None)
    expect(user.rack(6)).to_have_accessible_name("Card 6")


def test_the_rack_holds_the_players_and_two_strangers(user: User) -> None:
    assert user.cards() == [1, 2, 3, 4, 5, 6, 9, 10]
    for card in (9, 10):
        expect(user.rack(card)).to_have_accessible_name(f"Stranger {card}")
    face = "card => getComputedStyle(card).backgroundColor + getComputedStyle(card).backgroundImage"
    assert len({user.rack(card).evaluate(face) for card in range(1, 7)}) == 6, (
        "two cards have the same colour"
    )


COLOURS = """number => {
    const style = (selector) => {
        const element = document.querySelector(selector);
        return element && getComputedStyle(element);
    };
    const colour = `[data-colour="${number}"]`;
    return {
        slot: style(`.card-in${colour} .card-face`)?.fill,
        bar: style(`.bar${colour}`)?.backgroundColor,
        line: style(`#chart .line${colour}`)?.stroke,
        label: style(`#chart g${colour} rect`)?.fill,
    };
}"""
BACKGROUND = "element => getComputedStyle(element).backgroundColor"


def test_a_card_has_one_colour_everywhere(user: User) -> None:
    """On the card, in its slot, beside its balance, and in the chart."""
    user.set_pace(0)
    user.unfold("accounts")
    for card in range(1, 7):
        user.put(card, "left")
        user.press("1M")
        user.page.locator(f'#chart .line[data-colour="{card}"]').wait_for(state="attached")
        found = user.page.evaluate(COLOURS, card)
        red, green, blue = bytes.fromhex(CARD_COLOURS[card - 1].card.removeprefix("#"))
        assert found == dict.fromkeys(found, f"rgb({red}, {green}, {blue})")
        user.take("left")
        assert user.rack(card).evaluate(BACKGROUND) == found["slot"]


def test_an_unknown_card_gets_its_colour_with_its_number(
    start_panel: StartPanel, open_page: OpenPage
) -> None:
    """Card 4 is the first one that the box learns, so it is card 1 in the chart, too."""
    user = open_page(start_panel("--cards", "none"))
    user.set_pace(0)
    expect(user.rack(4)).to_have_attribute("data-colour", "unknown")
    expect(user.rack(9)).to_have_attribute("data-colour", "stranger")
    user.put(4, "left")
    expect(user.rack(4)).to_have_attribute("data-colour", "1")
    expect(user.card_in("left")).to_have_attribute("data-colour", "1")
    expect(user.rack(1)).to_have_attribute("data-colour", "unknown")
