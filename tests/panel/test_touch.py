"""Touch on a phone: cards are dragged, keys tapped and held, two at once."""

import pytest
from playwright.sync_api import CDPSession, ViewportSize, expect

from hal.display.messages import Message, Text
from tests.panel.conftest import OpenPage
from tests.panel.panels import HostedPanel
from tests.panel.user import User, middle, screen

PHONE = {
    "viewport": ViewportSize(width=360, height=740),
    "device_scale_factor": 2,
    "has_touch": True,
    "is_mobile": True,
}
Point = tuple[float, float]


class Fingers:
    """Sends touch events to the browser."""

    def __init__(self, user: User) -> None:
        self._devtools: CDPSession = user.page.context.new_cdp_session(user.page)
        self._down: dict[int, Point] = {}

    def put(self, finger: int, at: Point) -> None:
        self._down[finger] = at
        self._dispatch("touchStart", self._down)

    def move(self, finger: int, to: Point, steps: int = 8) -> None:
        left, top = self._down[finger]
        for step in range(1, steps + 1):
            share = step / steps
            self._down[finger] = left + (to[0] - left) * share, top + (to[1] - top) * share
            self._dispatch("touchMove", self._down)

    def lift(self, finger: int) -> None:
        self._dispatch("touchEnd", {finger: self._down.pop(finger)})

    def _dispatch(self, kind: str, fingers: dict[int, Point]) -> None:
        points = [{"x": x, "y": y, "id": finger} for finger, (x, y) in fingers.items()]
        self._devtools.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})


@pytest.fixture
def phone(panel: HostedPanel, open_page: OpenPage) -> User:
    return open_page(panel, **PHONE)


@pytest.fixture
def fingers(phone: User) -> Fingers:
    return Fingers(phone)


def test_a_card_is_dragged_with_a_finger(phone: User, fingers: Fingers) -> None:
    """S1, S5: into a slot, to the other one, out; the page does not scroll."""
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


def test_the_page_still_scrolls_beside_the_cards(phone: User, fingers: Fingers) -> None:
    left, top = middle(phone.page.locator("#hint"))
    before = phone.page.evaluate("window.scrollY")
    fingers.put(1, (left, top))
    fingers.move(1, (left, top - 250))
    fingers.lift(1)
    phone.until(lambda: phone.page.evaluate("window.scrollY") > before, "the page scrolls")


def test_cards_slots_and_keys_are_tapped(phone: User) -> None:
    """M4, S2: a card, then a slot; the keys; then the card, which comes out."""
    phone.rack(1).tap()
    expect(phone.rack(1)).to_have_attribute("aria-pressed", "true")
    phone.slot("left").tap()
    phone.until_in("left", 1)
    for letter in "1,5M":
        phone.key(letter).tap()
    phone.until_shows(screen("16,5M", left=1))
    phone.card_in("left").tap()
    phone.until_in("left", None)


def test_a_finger_holds_m(phone: User, fingers: Fingers) -> None:
    """F5: M goes down at once while the screen asks for it."""
    phone.rack(2).tap()
    phone.slot("right").tap()
    phone.until_in("right", 2)
    for letter in "F1":
        phone.key(letter).tap()
    asked = Message(Text.BANKRUPT, ask=Text.HOLD_M)
    phone.until_shows(screen("15M", asked, right=2, status="2>B"))
    phone.key("M").tap()
    phone.until_shows(screen("15M", asked, right=2, status="2>B"))
    fingers.put(1, middle(phone.key("M")))
    phone.until_shows(screen("0", right=2, status="2>B 15M"))
    fingers.lift(1)


def test_a_finger_holds_c(phone: User, fingers: Fingers) -> None:
    """C4: a long touch opens no context menu, but starts a new game."""
    phone.set_pace(10)
    phone.rack(1).tap()
    phone.slot("left").tap()
    phone.until_in("left", 1)
    phone.key("G").tap()
    phone.until_shows(screen("17M", left=1))
    fingers.put(1, middle(phone.key("C")))
    phone.until(lambda: phone.sounds[-1] == "new-game", "a new game")
    fingers.lift(1)
    phone.until_shows(screen("15M", left=1))


def test_two_fingers_press_two_keys(phone: User, fingers: Fingers) -> None:
    """Each key is released with its own finger."""
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


def test_a_swipe_across_the_keys_moves_no_money(phone: User, fingers: Fingers) -> None:
    """It pays no salary, completes no entry, undoes nothing."""
    phone.set_pace(0)
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


def test_a_finger_that_slides_off_c_stops_the_countdown(phone: User, fingers: Fingers) -> None:
    """C4: less than three seconds do nothing."""
    phone.rack(1).tap()
    phone.slot("left").tap()
    phone.until_in("left", 1)
    phone.key("G").tap()
    left, top = middle(phone.key("C"))
    fingers.put(1, (left, top))
    phone.until_announced("17M. NEW GAME IN 2")
    fingers.move(1, (left - 150, top))
    phone.until_announced("17M")
    fingers.lift(1)
    phone.until_shows(screen("17M", left=1))
    assert phone.sounds == ["card", "ok"]
