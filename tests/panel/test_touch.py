"""Fingers on a phone: cards dragged, keys tapped and held, two at once."""

import pytest
from playwright.sync_api import CDPSession, ViewportSize, expect

from tests.panel.conftest import OpenPage
from tests.panel.hands import Hands, middle, screen
from tests.panel.served import Served

PHONE = {
    "viewport": ViewportSize(width=360, height=740),
    "device_scale_factor": 2,
    "has_touch": True,
    "is_mobile": True,
}
Point = tuple[float, float]


class Fingers:
    """Real touch events, as the browser gets them from its screen."""

    def __init__(self, hands: Hands) -> None:
        self._line: CDPSession = hands.page.context.new_cdp_session(hands.page)
        self._down: dict[int, Point] = {}

    def put(self, finger: int, at: Point) -> None:
        self._down[finger] = at
        self._tell("touchStart", self._down)

    def move(self, finger: int, to: Point, steps: int = 8) -> None:
        left, top = self._down[finger]
        for step in range(1, steps + 1):
            share = step / steps
            self._down[finger] = left + (to[0] - left) * share, top + (to[1] - top) * share
            self._tell("touchMove", self._down)

    def lift(self, finger: int) -> None:
        self._tell("touchEnd", {finger: self._down.pop(finger)})

    def _tell(self, what: str, fingers: dict[int, Point]) -> None:
        points = [{"x": x, "y": y, "id": finger} for finger, (x, y) in fingers.items()]
        self._line.send("Input.dispatchTouchEvent", {"type": what, "touchPoints": points})


@pytest.fixture
def phone(panel: Served, open_page: OpenPage) -> Hands:
    return open_page(panel, **PHONE)


@pytest.fixture
def fingers(phone: Hands) -> Fingers:
    return Fingers(phone)


def test_a_card_is_dragged_with_a_finger(phone: Hands, fingers: Fingers) -> None:
    """S1, S5: into a slot, to the other one, out; and the page does not move under the finger."""
    start = middle(phone.rack(3))
    scrolled = phone.page.evaluate("window.scrollY")
    fingers.put(1, start)
    fingers.move(1, middle(phone.slot("left")))
    fingers.lift(1)
    phone.until_in("left", 3)
    assert phone.page.evaluate("window.scrollY") == scrolled
    phone.until_shows(screen("15M", left=3))
    fingers.put(1, middle(phone.card_in("left")))
    fingers.move(1, middle(phone.slot("right")))
    fingers.lift(1)
    phone.until_in("right", 3)
    fingers.put(1, middle(phone.card_in("right")))
    fingers.move(1, middle(phone.key("5")))
    fingers.lift(1)
    phone.until_in("right", None)
    phone.until_shows(screen())


def test_the_page_still_scrolls_beside_the_cards(phone: Hands, fingers: Fingers) -> None:
    left, top = middle(phone.page.locator("#hint"))
    before = phone.page.evaluate("window.scrollY")
    fingers.put(1, (left, top))
    fingers.move(1, (left, top - 250))
    fingers.lift(1)
    phone.until(lambda: phone.page.evaluate("window.scrollY") > before, "the page scrolls")


def test_cards_slots_and_keys_are_tapped(phone: Hands) -> None:
    """M4, S2: a card, then a slot; the keys; and the card again, which comes out."""
    phone.rack(1).tap()
    expect(phone.rack(1)).to_have_attribute("aria-pressed", "true")
    phone.slot("left").tap()
    phone.until_in("left", 1)
    for letter in "1,5M":
        phone.key(letter).tap()
    phone.until_shows(screen("16,5M", left=1))
    phone.card_in("left").tap()
    phone.until_in("left", None)


def test_a_finger_holds_c(phone: Hands, fingers: Fingers) -> None:
    """C4: a long touch is no menu and no selection, but a new game; ten times as fast here."""
    phone.at_pace(10)
    phone.rack(1).tap()
    phone.slot("left").tap()
    phone.until_in("left", 1)
    phone.key("G").tap()
    phone.until_shows(screen("17M", left=1))
    fingers.put(1, middle(phone.key("C")))
    phone.until(lambda: phone.sounds[-1] == "new-game", "a new game")
    fingers.lift(1)
    phone.until_shows(screen("15M", left=1))


def test_two_fingers_are_two_keys(phone: Hands, fingers: Fingers) -> None:
    """Each key ends with its own finger."""
    phone.rack(1).tap()
    phone.slot("left").tap()
    phone.until_in("left", 1)
    fingers.put(1, middle(phone.key("1")))
    expect(phone.key("1")).to_have_class("key digit down")
    fingers.put(2, middle(phone.key("2")))
    expect(phone.key("2")).to_have_class("key digit down")
    fingers.lift(1)
    expect(phone.key("1")).to_have_class("key digit")
    expect(phone.key("2")).to_have_class("key digit down")
    fingers.lift(2)
    expect(phone.key("2")).to_have_class("key digit")
    phone.until_shows(screen("12", left=1))


def test_a_swipe_across_the_keys_moves_no_money(phone: Hands, fingers: Fingers) -> None:
    """A finger that wanted to scroll: it pays no salary, completes no entry, takes nothing back."""
    phone.at_pace(0)
    phone.rack(1).tap()
    phone.slot("left").tap()
    phone.until_in("left", 1)
    phone.key("G").tap()
    phone.until_shows(screen("17M", left=1))
    phone.key("5").tap()
    phone.until_shows(screen("5", left=1))
    for letter in "MG":
        left, top = middle(phone.key(letter))
        fingers.put(1, (left, top))
        fingers.move(1, (left, top - 200))
        fingers.lift(1)
    phone.until_shows(screen("5", left=1))
    phone.key("C").tap()
    phone.until_shows(screen("17M", left=1))
    left, top = middle(phone.key("C"))
    fingers.put(1, (left, top))
    fingers.move(1, (left, top - 200))
    fingers.lift(1)
    expect(phone.key("C")).to_have_class("key clear")
    phone.until_shows(screen("17M", left=1))
    assert phone.sounds == ["card", "ok"]


def test_a_finger_that_slides_off_c_stops_the_countdown(phone: Hands, fingers: Fingers) -> None:
    """C4: as long as C is down for less than three seconds nothing happens."""
    phone.rack(1).tap()
    phone.slot("left").tap()
    phone.until_in("left", 1)
    phone.key("G").tap()
    left, top = middle(phone.key("C"))
    fingers.put(1, (left, top))
    phone.until_said("17M. NEW GAME IN 2")
    fingers.move(1, (left - 150, top))
    phone.until_said("17M")
    fingers.lift(1)
    phone.until_shows(screen("17M", left=1))
    assert phone.sounds == ["card", "ok"]
