"""The cards: dragged, tapped, or moved by keys; and one card is in one place."""

from collections.abc import Callable

from playwright.sync_api import expect

from tests.panel.hands import Hands, middle, screen


def places(hands: Hands) -> dict[str, int | None]:
    """What each slot holds, as the page shows it."""
    held = {}
    for slot in ("left", "right"):
        inside = hands.card_in(slot)
        held[slot] = int(inside.get_attribute("data-holds") or 0) if inside.count() else None
    return held


def test_a_card_is_dragged_in_across_and_out(hands: Hands) -> None:
    """S1, S5: rack to slot, slot to slot, slot to anywhere else."""
    hands.at_pace(0)
    hands.drag(hands.rack(3), hands.slot("left"))
    hands.until_in("left", 3)
    hands.until_shows(screen("3", card=3, left=3))
    hands.drag(hands.card_in("left"), hands.slot("right"))
    hands.until_in("right", 3)
    assert places(hands) == {"left": None, "right": 3}
    hands.until_shows(screen("3", card=3, right=3))
    hands.drag(hands.card_in("right"), hands.page.locator("#rack-title"))
    hands.until_in("right", None)
    hands.until_shows(screen())


def test_a_card_that_does_not_get_into_a_slot_stays_out(hands: Hands) -> None:
    """Dropped beside it; or there is one in it already, and the refusal is told in words."""
    hands.drag(hands.rack(3), hands.key("5"))
    hands.put(1, "left")
    hands.drag(hands.rack(2), hands.slot("left"))
    expect(hands.page.locator("#toast")).to_have_text("There is a card in this slot.")
    assert places(hands) == {"left": 1, "right": None}


def test_a_card_and_then_a_slot_are_clicked(hands: Hands) -> None:
    """Also with a hand that is not quite still."""
    left, top = middle(hands.rack(5))
    hands.drag_to(hands.rack(5), left + 2, top + 2)
    expect(hands.rack(5)).to_have_attribute("aria-pressed", "true")
    hands.slot("right").click()
    hands.until_in("right", 5)
    expect(hands.rack(5)).to_have_attribute("aria-pressed", "false")
    hands.card_in("right").click()
    hands.until_in("right", None)


def test_a_card_that_was_picked_up_can_be_put_down(hands: Hands) -> None:
    """By a click elsewhere, by another click on it, or by Escape, which is then not the C key."""
    ways: tuple[Callable[[], None], ...] = (
        lambda: hands.page.locator("h1").click(),
        lambda: hands.rack(5).click(),
        lambda: hands.page.keyboard.press("Escape"),
    )
    for put_down in ways:
        hands.rack(5).click()
        expect(hands.rack(5)).to_have_attribute("aria-pressed", "true")
        put_down()
        expect(hands.rack(5)).to_have_attribute("aria-pressed", "false")
    hands.until_shows(screen())


def test_a_card_moves_from_slot_to_slot_by_the_arrow_keys(hands: Hands) -> None:
    hands.rack(6).focus()
    for key, slot in (("ArrowLeft", "left"), ("ArrowRight", "right")):
        hands.page.keyboard.press(key)
        hands.until_in(slot, 6)
        expect(hands.rack(6)).to_have_accessible_name(f"Card 6, in the {slot} slot. Take it out")
    assert places(hands) == {"left": None, "right": 6}
    hands.page.keyboard.press("Delete")
    hands.until_in("right", None)
    expect(hands.rack(6)).to_have_accessible_name("Card 6")


def test_the_rack_holds_the_players_and_two_strangers(hands: Hands) -> None:
    assert hands.cards() == [1, 2, 3, 4, 5, 6, 9, 10]
    for card in (9, 10):
        expect(hands.rack(card)).to_have_accessible_name(f"Stranger {card}")
    face = "card => getComputedStyle(card).backgroundColor + getComputedStyle(card).backgroundImage"
    assert len({hands.rack(card).evaluate(face) for card in range(1, 7)}) == 6, "six colours"
