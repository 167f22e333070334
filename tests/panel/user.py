"""A user of a page: moves cards, presses keys, and reads the box's screen.

The picture is read from a screenshot, at the middle of each of the 128×64 pixels, and compared
with what the renderer draws for the expected view. Nothing sleeps for a fixed time: every wait
has a condition and a timeout.
"""

import io
import json
import math
import time
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from PIL import Image
from playwright.sync_api import Locator, Page, expect

from hal.display.messages import Message, Text
from hal.display.renderer import HEIGHT, SIZE, WIDTH, draw
from hal.display.view import IDLE, Item, Menu, Occupant, View, dark
from sim.script.terminal import characters

TIMEOUT = 10.0
LIT_ABOVE = 127
"""Grey level."""

POSITION = """() => {
    const place = document.querySelector('#screen').getScreenCTM();
    return [place.e, place.f, place.a, place.d, devicePixelRatio];
}"""
"""The left and top edge of the box's screen, and the width and height of its pixels, in CSS
pixels; then the device pixel ratio."""

OBSERVE_ANNOUNCEMENTS = """() => {
    const region = document.querySelector('#announce');
    window.announced = [];
    new MutationObserver(() => window.announced.push(region.textContent))
        .observe(region, { childList: true, characterData: true, subtree: true });
}"""

REDRAWN = """timeout => new Promise(done => {
    const observer = new MutationObserver(done);
    observer.observe(document.querySelector('#pixels'), { attributes: true });
    setTimeout(done, timeout);
}).then(() => new Promise(requestAnimationFrame))"""
STATUS = (22, 0, 97, 10)
"""The middle of the status row."""
REDRAW_TIMEOUT = 200
"""Milliseconds after which a screenshot is taken even if nothing was drawn."""


def screen(
    field: str = IDLE,
    message: Message | Text | None = None,
    *,
    card: int | None = None,
    left: int | Occupant = Occupant.NONE,
    right: int | Occupant = Occupant.NONE,
    volume: int = 2,
    edition: str = "banking",
    status: str | None = None,
    balance_of: int | None = None,
) -> View:
    """A view. The middle of its status row is compared if it is given, or no card is in.

    A number without a unit is typed, except for 0. Of two cards, it is the right one's balance,
    unless ``balance_of`` says otherwise.
    """
    shown = Message(message) if isinstance(message, Text) else message
    middle = Message(Text.WHOLE_AMOUNT, status) if status else None
    typed = card is None and field != "0" and field[-1:].isdigit()
    if isinstance(left, int) and isinstance(right, int):
        balance_of = balance_of or right
    view = View(field, shown, card, (left, right), volume, edition, middle)
    return view._replace(typed=typed, balance_of=balance_of)


def listed(*pages: dict[str, Text], page: int = 0, **state: Any) -> View:
    """A list of F: the entry of each digit, page by page."""
    items = (tuple(Item(key, Message(name)) for key, name in of.items()) for of in pages)
    return screen("", **state)._replace(menu=Menu(tuple(items), page))


def ranked(message: Message, cards: Mapping[int, str | Text], **state: Any) -> View:
    """A table of cards, each with an amount or a text."""
    contents = (
        Message(Text.WHOLE_AMOUNT, content) if isinstance(content, str) else Message(content)
        for content in cards.values()
    )
    items = (Item(str(card), content) for card, content in zip(cards, contents, strict=True))
    return screen("", message, **state)._replace(table=tuple(items))


DARK = dark(2, "banking")


class User:
    """One user at one page."""

    def __init__(self, page: Page) -> None:
        """Must be created before the page is loaded, to receive every message."""
        self.page = page
        self.press_duration = 0
        """Milliseconds; drivers need some."""
        self.received: list[dict[str, Any]] = []
        page.on("websocket", lambda socket: socket.on("framereceived", self._on_frame))

    def open(self, url: str) -> None:
        """Load the page, and wait until the box is drawn on it."""
        self.page.goto(url)
        self.page.locator("#pixels[d]").wait_for(state="attached", timeout=TIMEOUT * 1000)

    def _on_frame(self, frame: str | bytes) -> None:
        if isinstance(frame, str):
            self.received.append(json.loads(frame))

    @property
    def sounds(self) -> list[str]:
        """All sounds that the page received, except key clicks."""
        sounds = [message["sound"] for message in self.received if "sound" in message]
        return [sound for sound in sounds if sound != "key"]

    # Cards

    def cards(self) -> list[int]:
        numbers = "cards => cards.map(card => Number(card.dataset.card))"
        found: list[int] = self.page.locator("button[data-card]").evaluate_all(numbers)
        return found

    def rack(self, card: int) -> Locator:
        """The card's button in the rack."""
        return self.page.locator(f'button[data-card="{card}"]')

    def slot(self, slot: str) -> Locator:
        return self.page.locator(f"#slot-{slot}")

    def card_in(self, slot: str) -> Locator:
        return self.page.locator(f'[data-in-slot="{slot}"]')

    def drag(self, what: Locator, where: Locator) -> None:
        """With the mouse, in a few steps."""
        self.drag_to(what, *middle(where))

    def drag_to(self, what: Locator, left: float, top: float) -> None:
        self.page.mouse.move(*middle(what))
        self.page.mouse.down()
        self.page.mouse.move(left, top, steps=6)
        self.page.mouse.up()

    def put(self, card: int, slot: str) -> None:
        """Drag a card from the rack into a slot, and wait until it is there."""
        self.drag(self.rack(card), self.slot(slot))
        self.until_in(slot, card)

    def take(self, slot: str) -> None:
        """Click the card in a slot, and wait until it is out."""
        self.card_in(slot).click()
        self.until_in(slot, None)

    def until_in(self, slot: str, card: int | None) -> None:
        """Wait until the slot holds that card, or none."""
        inside = self.card_in(slot)
        if card is None:
            inside.wait_for(state="detached", timeout=TIMEOUT * 1000)
            return
        number = self.page.locator(f'[data-in-slot="{slot}"][data-holds="{card}"]')
        number.wait_for(state="attached", timeout=TIMEOUT * 1000)

    # Keys

    def key(self, letter: str) -> Locator:
        return self.page.locator(f'[data-key="{letter}"]')

    def press(self, letters: str) -> None:
        """Click the keys one after the other."""
        for letter in letters:
            self.key(letter).click(delay=self.press_duration)

    def hold(self, letter: str) -> None:
        """Until ``release``."""
        self.page.mouse.move(*middle(self.key(letter)))
        self.page.mouse.down()

    def release(self) -> None:
        self.page.mouse.up()

    # Panels beside the box

    def unfold(self, name: str) -> Locator:
        """Open a panel beside the box, if it is folded."""
        # The page sets the folding at its start; the list of shortcuts comes last.
        self.page.locator("#shortcut-list dt").first.wait_for(state="attached")
        panel = self.page.locator(f"details#{name}")
        if panel.get_attribute("open") is None:
            panel.locator("summary").first.click()
        return panel

    def set_pace(self, rate: int) -> None:
        """Set the rate of the box's time; 0 stops it, so that the screen does not change."""
        self.unfold("time").locator(f'[data-pace="{rate}"]').click()
        self.until_pressed(f'[data-pace="{rate}"]')

    def skip_minute(self) -> None:
        self.unfold("time").locator("#skip").click()

    def toggle_power(self) -> None:
        """Cut the power, or put it back."""
        self.unfold("faults").locator("#power").click()

    def set_fault(self, fault: str, *, on: bool) -> None:
        self.unfold("faults").locator(f'[data-fault="{fault}"]').click()
        self.until_pressed(f'[data-fault="{fault}"]', on=on)

    def until_pressed(self, control: str, *, on: bool = True) -> None:
        pressed = self.page.locator(f'{control}[aria-pressed="{str(on).lower()}"]')
        pressed.wait_for(state="attached", timeout=TIMEOUT * 1000)

    def record_announcements(self) -> Callable[[], list[str]]:
        """Record all announcements of the screen; the result returns them."""
        self.page.evaluate(OBSERVE_ANNOUNCEMENTS)
        return lambda: self.page.evaluate("window.announced")

    def until_announced(self, text: str) -> None:
        expect(self.page.locator("#announce")).to_have_text(text, timeout=TIMEOUT * 1000)

    def grey_levels(self) -> set[int]:
        """All grey levels on the box's screen, without its outermost pixels."""
        shot, at = screenshot(self.page)
        rim = math.ceil(at.across)
        return set(shot.crop((rim, rim, shot.width - rim, shot.height - rim)).tobytes())

    # Screen

    def picture(self) -> Image.Image:
        """The visible picture, one pixel for each of the OLED's."""
        return read_screen(self.page)

    def until_shows(self, view: View, within: float = TIMEOUT) -> None:
        """Wait until all pixels are those of the view."""
        expected = draw(view)
        picture = self.picture()
        deadline = time.monotonic() + within
        while _compared(picture, view) != _compared(expected, view):
            if time.monotonic() > deadline:
                raise AssertionError(
                    f"expected\n{_text(expected)}\nbut the screen shows\n{_text(picture)}"
                )
            self._until_redrawn()
            picture = self.picture()

    def _until_redrawn(self) -> None:
        """Wait for a redraw or a timeout, because screenshots are expensive."""
        self.page.evaluate(REDRAWN, REDRAW_TIMEOUT)

    def until(self, condition: Callable[[], bool], what: str, within: float = TIMEOUT) -> None:
        """Poll until the condition is true."""
        deadline = time.monotonic() + within
        while not condition():
            assert time.monotonic() < deadline, f"timeout: {what}"
            self.page.wait_for_timeout(20)


def _compared(picture: Image.Image, view: View) -> bytes:
    """All pixels, but for a status that the view does not name."""
    compared = picture.copy()
    if view.lit and view.middle is None and view.occupants != (Occupant.NONE, Occupant.NONE):
        compared.paste(0, STATUS)
    return compared.tobytes()


def middle(what: Locator) -> tuple[float, float]:
    """Scroll an element into view, and return its middle."""
    what.scroll_into_view_if_needed(timeout=TIMEOUT * 1000)
    box = what.bounding_box()
    assert box, f"{what} is not visible"
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


class ScreenPosition(NamedTuple):
    """The box's screen in a screenshot: its left and top edge, and the size of its pixels."""

    left: float
    top: float
    across: float
    down: float


def screenshot(page: Page) -> tuple[Image.Image, ScreenPosition]:
    """The box's screen, as the browser draws it."""
    page.locator("#screen").scroll_into_view_if_needed(timeout=TIMEOUT * 1000)
    left, top, across, down, ratio = page.evaluate(POSITION)
    edge, head = math.floor(left), math.floor(top)
    shot = page.screenshot(
        clip={
            "x": edge,
            "y": head,
            "width": math.ceil(left + WIDTH * across) - edge,
            "height": math.ceil(top + HEIGHT * down) - head,
        }
    )
    with Image.open(io.BytesIO(shot)) as png:
        grey = png.convert("L")
    at = ScreenPosition((left - edge) * ratio, (top - head) * ratio, across * ratio, down * ratio)
    return grey, at


def read_screen(page: Page) -> Image.Image:
    """Sample the middle of each pixel of the box's screen."""
    shot, at = screenshot(page)
    affine = (at.across, 0, at.left, 0, at.down, at.top)
    picture = shot.transform(SIZE, Image.Transform.AFFINE, affine, Image.Resampling.NEAREST)
    return picture.point(lambda light: 255 if light > LIT_ABOVE else 0, "1")


def _text(picture: Image.Image) -> str:
    return characters(picture, WIDTH)
