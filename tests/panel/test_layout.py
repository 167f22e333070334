"""From phone to desktop, portrait and landscape: everything fits, and keys are large enough."""

from playwright.sync_api import Browser, FloatRect, Locator, ViewportSize, expect

from tests.panel.conftest import OpenPage, StartPanel
from tests.panel.panels import HostedPanel
from tests.panel.user import User, screen

SIZES = [(360, 740), (740, 360), (820, 1180), (1180, 820), (1440, 900), (2560, 1440)]
MIN_TOUCH_SIZE = 44
"""CSS pixels."""
MIN_LEGEND_SIZE = 14
"""CSS pixels, of the line of text."""


def place(what: Locator) -> FloatRect:
    box = what.bounding_box()
    assert box, f"{what} is not visible"
    return box


def test_the_page_fits_at_every_size(panel: HostedPanel, open_page: OpenPage) -> None:
    """No horizontal scrolling, the whole box in view, sharp pixels, large keys."""
    user = open_page(panel)
    user.put(1, "left")
    user.until_shows(screen("15M", left=1))
    for name in ("accounts", "history", "time", "faults", "recording", "shortcuts"):
        user.unfold(name)
    for width, height in SIZES:
        user.page.set_viewport_size(ViewportSize(width=width, height=height))
        user.page.evaluate("window.scrollTo(0, 0)")
        at = f"at {width}×{height}"
        assert user.page.evaluate("document.scrollingElement.scrollWidth") <= width, at
        box = place(user.page.locator("#box"))
        assert box["y"] >= 0, at
        assert box["y"] + box["height"] <= height, f"{at} the box is cut off"
        assert box["x"] >= 0, at
        assert box["x"] + box["width"] <= width, at
        user.until_shows(screen("15M", left=1))
        for key in "1M5GF":
            size = place(user.key(key))
            assert min(size["width"], size["height"]) >= MIN_TOUCH_SIZE, (
                f"{at} key {key} is too small"
            )
        go, legend = place(user.key("G").locator(".top")), place(user.key("G").locator("text"))
        assert legend["height"] >= MIN_LEGEND_SIZE, f"{at} GO is too small to read"
        assert go["x"] < legend["x"], f"{at} GO is wider than its key"
        assert legend["x"] + legend["width"] < go["x"] + go["width"], at


def test_the_go_key_has_its_name(user: User) -> None:
    """On the key, in what is read out, and in the help."""
    expect(user.key("G").locator("text")).to_have_text("GO ←")
    expect(user.key("G")).to_have_accessible_name("GO ←, salary")
    expect(user.unfold("shortcuts")).to_contain_text("GO ←, the salary")


def test_two_marks_at_once_fit_beside_the_name(panel: HostedPanel, open_page: OpenPage) -> None:
    """Stopped time and recording; the French texts are longer."""
    user = open_page(panel, locale="fr-FR")
    user.set_pace(0)
    user.unfold("recording").locator("#record").click()
    marks = [user.page.locator(name) for name in ("#pace-mark", "#recording-mark", "#sound")]
    user.page.locator("#recording-mark").wait_for()
    for width, height in SIZES:
        user.page.set_viewport_size(ViewportSize(width=width, height=height))
        at = f"at {width}×{height}"
        assert user.page.evaluate("document.scrollingElement.scrollWidth") <= width, at
        for mark in marks:
            box = place(mark)
            assert box["x"] >= 0, at
            assert box["x"] + box["width"] <= width, at


def test_the_screen_is_sharp_at_any_pixel_density(panel: HostedPanel, open_page: OpenPage) -> None:
    """Every pixel is lit or dark, nothing in between."""
    for density in (1, 1.5, 3):
        size = ViewportSize(width=412, height=915)
        user = open_page(panel, viewport=size, device_scale_factor=density)
        user.until_shows(screen())
        assert len(user.grey_levels()) == 2, f"device pixel ratio {density}"


def test_the_code_page_is_centred(start_panel: StartPanel, browser: Browser) -> None:
    panel = start_panel("--host", "0.0.0.0")
    page = browser.new_page()
    assert panel.url
    for width, height in SIZES:
        page.set_viewport_size(ViewportSize(width=width, height=height))
        page.goto(f"http://127.0.0.1:{panel.port}/")
        form = place(page.locator("main"))
        assert abs(form["x"] + form["width"] / 2 - width / 2) < 10, f"at {width}×{height}"
        assert form["x"] >= 0
        assert form["width"] < 420, f"at {width}×{height}"
        assert 0 <= form["y"] <= height - form["height"], f"at {width}×{height}"
        background = "getComputedStyle(document.querySelector('main')).backgroundColor"
        assert page.evaluate(background) == "rgb(253, 249, 239)"
    page.close()
