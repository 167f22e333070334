"""A person's hands and eyes at a page: cards, keys, and what the glass really shows.

The picture is read off a screenshot, at the middle of each of the glass's 128×64 pixels,
and compared with what the renderer draws for the view that a test spells out. Nothing here
sleeps for a while and hopes: whatever is waited for has a deadline.
"""

import io
import json
import math
import time
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from PIL import Image
from playwright.sync_api import Locator, Page, expect

from hal.picture import HEIGHT, SIZE, WIDTH, draw
from hal.view import IDLE, Item, Menu, Message, Tenant, Text, View, dark
from sim.terminal import characters

PATIENCE = 10.0
BRIGHT = 127
"""A pixel that is lighter than that is lit."""

WHERE = """() => {
    const place = document.querySelector('#glass').getScreenCTM();
    return [place.e, place.f, place.a, place.d, devicePixelRatio];
}"""
"""The glass's left and top edge in the window, the width and height of its pixels in CSS
pixels, and how many of the screen's pixels one of those is."""

NOTE = """() => {
    const region = document.querySelector('#announce');
    window.said = [];
    new MutationObserver(() => window.said.push(region.textContent))
        .observe(region, { childList: true, characterData: true, subtree: true });
}"""


def screen(
    field: str = IDLE,
    message: Message | Text | None = None,
    *,
    card: int | None = None,
    left: int | Tenant = Tenant.NOBODY,
    right: int | Tenant = Tenant.NOBODY,
    volume: int = 2,
    edition: str = "banking",
) -> View:
    """A view in a test's words."""
    told = Message(message) if isinstance(message, Text) else message
    return View(field, told, card, (left, right), volume, edition)


def listed(*pages: dict[str, Text], page: int = 0, **state: Any) -> View:
    """A list that F opens: what each digit chooses, page by page."""
    items = (tuple(Item(key, Message(name)) for key, name in of.items()) for of in pages)
    return screen("", **state)._replace(menu=Menu(tuple(items), page))


def ranked(message: Message, cards: Mapping[int, str | Text], **state: Any) -> View:
    """A table of cards: what each has, or what is said of it."""
    contents = (
        Message(Text.WHOLE_AMOUNT, said) if isinstance(said, str) else Message(said)
        for said in cards.values()
    )
    items = (Item(str(card), content) for card, content in zip(cards, contents, strict=True))
    return screen("", message, **state)._replace(table=tuple(items))


DARK = dark(2, "banking")


class Hands:
    """One person at one page."""

    def __init__(self, page: Page) -> None:
        """Before the page is loaded, so that nothing of what it is told is missed."""
        self.page = page
        self.dwell = 0
        """Milliseconds for which a finger stays on a key; the drivers want some."""
        self.told: list[dict[str, Any]] = []
        page.on("websocket", lambda line: line.on("framereceived", self._hear))

    def come(self, url: str) -> None:
        """Load the page, and wait until the box is drawn on it."""
        self.page.goto(url)
        self.page.locator("#pixels[d]").wait_for(state="attached", timeout=PATIENCE * 1000)

    def _hear(self, frame: str | bytes) -> None:
        if isinstance(frame, str):
            self.told.append(json.loads(frame))

    @property
    def sounds(self) -> list[str]:
        """All that the page was told to play, but for the clicks of keys."""
        heard = [message["sound"] for message in self.told if "sound" in message]
        return [sound for sound in heard if sound != "key"]

    # The cards.

    def cards(self) -> list[int]:
        """Those that belong to this box, as they lie beside it."""
        numbers = "cards => cards.map(card => Number(card.dataset.card))"
        found: list[int] = self.page.locator("button[data-card]").evaluate_all(numbers)
        return found

    def rack(self, card: int) -> Locator:
        """The card's place beside the box."""
        return self.page.locator(f'button[data-card="{card}"]')

    def slot(self, slot: str) -> Locator:
        return self.page.locator(f"#slot-{slot}")

    def card_in(self, slot: str) -> Locator:
        return self.page.locator(f'[data-in-slot="{slot}"]')

    def drag(self, what: Locator, where: Locator) -> None:
        """With the mouse, by a few steps, as a hand does."""
        self.drag_to(what, *middle(where))

    def drag_to(self, what: Locator, left: float, top: float) -> None:
        self.page.mouse.move(*middle(what))
        self.page.mouse.down()
        self.page.mouse.move(left, top, steps=6)
        self.page.mouse.up()

    def put(self, card: int, slot: str) -> None:
        """Dragged from the rack into a slot, and seen there."""
        self.drag(self.rack(card), self.slot(slot))
        self.until_in(slot, card)

    def take(self, slot: str) -> None:
        """Clicked, and seen to be gone."""
        self.card_in(slot).click()
        self.until_in(slot, None)

    def until_in(self, slot: str, card: int | None) -> None:
        """Waits until the slot holds that card, or none."""
        inside = self.card_in(slot)
        if card is None:
            inside.wait_for(state="detached", timeout=PATIENCE * 1000)
            return
        number = self.page.locator(f'[data-in-slot="{slot}"][data-holds="{card}"]')
        number.wait_for(state="attached", timeout=PATIENCE * 1000)

    # The keys.

    def key(self, letter: str) -> Locator:
        return self.page.locator(f'[data-key="{letter}"]')

    def press(self, letters: str) -> None:
        """Each with a click of the mouse."""
        for letter in letters:
            self.key(letter).click(delay=self.dwell)

    def hold(self, letter: str) -> None:
        """Until ``let_go``."""
        self.page.mouse.move(*middle(self.key(letter)))
        self.page.mouse.down()

    def let_go(self) -> None:
        self.page.mouse.up()

    # What lies beside the box.

    def unfold(self, name: str) -> Locator:
        """Opens a part beside the box, if it is folded."""
        # The page folds its parts when it is laid out, and the list of shortcuts is its last.
        self.page.locator("#shortcut-list dt").first.wait_for(state="attached")
        part = self.page.locator(f"details#{name}")
        if part.get_attribute("open") is None:
            part.locator("summary").first.click()
        return part

    def at_pace(self, rate: int) -> None:
        """Lets the box's time run so fast; 0 stops it, and whatever shows stays."""
        self.unfold("time").locator(f'[data-pace="{rate}"]').click()
        self.until_pressed(f'[data-pace="{rate}"]')

    def skip_a_minute(self) -> None:
        self.unfold("time").locator("#skip").click()

    def work_power(self) -> None:
        """Cuts it, or puts it back."""
        self.unfold("faults").locator("#power").click()

    def work_fault(self, fault: str, *, on: bool) -> None:
        self.unfold("faults").locator(f'[data-fault="{fault}"]').click()
        self.until_pressed(f'[data-fault="{fault}"]', on=on)

    def until_pressed(self, control: str, *, on: bool = True) -> None:
        pressed = self.page.locator(f'{control}[aria-pressed="{str(on).lower()}"]')
        pressed.wait_for(state="attached", timeout=PATIENCE * 1000)

    def note_what_is_said(self) -> Callable[[], list[str]]:
        """From now on, every text that the screen is announced as."""
        self.page.evaluate(NOTE)
        return lambda: self.page.evaluate("window.said")

    def until_said(self, text: str) -> None:
        """Waits until the screen is announced as that text."""
        expect(self.page.locator("#announce")).to_have_text(text, timeout=PATIENCE * 1000)

    def tones(self) -> set[int]:
        """Every shade of grey that the glass has, but for its outermost pixels."""
        seen, at = photograph(self.page)
        rim = math.ceil(at.across)
        return set(seen.crop((rim, rim, seen.width - rim, seen.height - rim)).tobytes())

    # The glass.

    def glass(self) -> Image.Image:
        """The picture that can be seen, one pixel for each of the OLED's."""
        return read_glass(self.page)

    def until_shows(self, view: View, within: float = PATIENCE) -> None:
        """Waits until the pixels are those of the view, all of them."""
        expected = draw(view)
        seen = self.glass()
        give_up = time.monotonic() + within
        while seen.tobytes() != expected.tobytes():
            if time.monotonic() > give_up:
                raise AssertionError(
                    f"expected\n{_text(expected)}\nbut the glass shows\n{_text(seen)}"
                )
            self.page.wait_for_timeout(20)
            seen = self.glass()

    def until(self, true: Callable[[], bool], what: str, within: float = PATIENCE) -> None:
        """Waits until something is so."""
        give_up = time.monotonic() + within
        while not true():
            assert time.monotonic() < give_up, f"it never came about: {what}"
            self.page.wait_for_timeout(20)


def middle(what: Locator) -> tuple[float, float]:
    """The middle of something, after it was scrolled into the window."""
    what.scroll_into_view_if_needed(timeout=PATIENCE * 1000)
    box = what.bounding_box()
    assert box, f"{what} cannot be seen"
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


class Where(NamedTuple):
    """Where the glass is in a photograph: its left and top edge, and the size of its pixels."""

    left: float
    top: float
    across: float
    down: float


def photograph(page: Page) -> tuple[Image.Image, Where]:
    """The glass, as the screen of the computer shows it."""
    page.locator("#glass").scroll_into_view_if_needed(timeout=PATIENCE * 1000)
    left, top, across, down, ratio = page.evaluate(WHERE)
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
        seen = png.convert("L")
    place = Where((left - edge) * ratio, (top - head) * ratio, across * ratio, down * ratio)
    return seen, place


def read_glass(page: Page) -> Image.Image:
    """Each pixel of the picture is what lies under the middle of the glass's."""
    seen, at = photograph(page)
    place = (at.across, 0, at.left, 0, at.down, at.top)
    picture = seen.transform(SIZE, Image.Transform.AFFINE, place, Image.Resampling.NEAREST)
    return picture.point(lambda light: 255 if light > BRIGHT else 0, "1")


def _text(picture: Image.Image) -> str:
    return characters(picture, WIDTH)
