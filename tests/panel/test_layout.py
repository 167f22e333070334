"""From a phone to a desktop, upright and on its side: everything fits, and can be hit."""

from playwright.sync_api import Browser, FloatRect, Locator, ViewportSize

from tests.panel.conftest import OpenPage, StartPanel
from tests.panel.hands import screen
from tests.panel.served import Served

SIZES = [(360, 740), (740, 360), (820, 1180), (1180, 820), (1440, 900), (2560, 1440)]
FINGER = 44
"""CSS pixels that a finger needs."""


def place(what: Locator) -> FloatRect:
    box = what.bounding_box()
    assert box, f"{what} cannot be seen"
    return box


def test_the_page_fits_at_every_size(panel: Served, open_page: OpenPage) -> None:
    """No scrolling sideways, no scrolling to see the whole box, crisp pixels, keys to be hit."""
    hands = open_page(panel)
    hands.put(1, "left")
    hands.until_shows(screen("15M", left=1))
    for part in ("accounts", "history", "time", "faults", "recording", "shortcuts"):
        hands.unfold(part)
    for width, height in SIZES:
        hands.page.set_viewport_size(ViewportSize(width=width, height=height))
        hands.page.evaluate("window.scrollTo(0, 0)")
        at = f"at {width}×{height}"
        assert hands.page.evaluate("document.scrollingElement.scrollWidth") <= width, at
        box = place(hands.page.locator("#box"))
        assert box["y"] >= 0, at
        assert box["y"] + box["height"] <= height, f"{at} the whole box is seen"
        assert box["x"] >= 0, at
        assert box["x"] + box["width"] <= width, at
        hands.until_shows(screen("15M", left=1))
        for key in "1M5GF":
            size = place(hands.key(key))
            assert min(size["width"], size["height"]) >= FINGER, f"{at} a finger hits {key}"


def test_two_marks_at_once_fit_beside_the_name(panel: Served, open_page: OpenPage) -> None:
    """That time is held, and that a script is being recorded; the longer words are French."""
    hands = open_page(panel, locale="fr-FR")
    hands.at_pace(0)
    hands.unfold("recording").locator("#record").click()
    marks = [hands.page.locator(name) for name in ("#hurry", "#on-air", "#sound")]
    hands.page.locator("#on-air").wait_for()
    for width, height in SIZES:
        hands.page.set_viewport_size(ViewportSize(width=width, height=height))
        at = f"at {width}×{height}"
        assert hands.page.evaluate("document.scrollingElement.scrollWidth") <= width, at
        for mark in marks:
            box = place(mark)
            assert box["x"] >= 0, at
            assert box["x"] + box["width"] <= width, at


def test_the_glass_is_crisp_at_any_density(panel: Served, open_page: OpenPage) -> None:
    """Lit or dark, and nothing in between."""
    for density in (1, 1.5, 3):
        size = ViewportSize(width=412, height=915)
        hands = open_page(panel, viewport=size, device_scale_factor=density)
        hands.until_shows(screen())
        assert len(hands.tones()) == 2, f"{density} pixels of the display to one of the page"


def test_the_door_stands_in_the_middle(start_panel: StartPanel, browser: Browser) -> None:
    """The page that asks for the code, which is the first that a tablet shows."""
    panel = start_panel("--host", "0.0.0.0")
    page = browser.new_page()
    assert panel.url
    for width, height in SIZES:
        page.set_viewport_size(ViewportSize(width=width, height=height))
        page.goto(f"http://127.0.0.1:{panel.port}/")
        sheet = place(page.locator("main"))
        assert abs(sheet["x"] + sheet["width"] / 2 - width / 2) < 10, f"at {width}×{height}"
        assert sheet["x"] >= 0
        assert sheet["width"] < 420, f"at {width}×{height}"
        assert 0 <= sheet["y"] <= height - sheet["height"], f"at {width}×{height}"
        paper = "getComputedStyle(document.querySelector('main')).backgroundColor"
        assert page.evaluate(paper) == "rgb(253, 249, 239)"
    page.close()
