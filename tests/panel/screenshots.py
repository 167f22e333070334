"""Makes the README's screenshots of the panel: ``python -m tests.panel.screenshots``.

Plays a game on the page, and takes screenshots in the sizes of a phone, a tablet and a desktop.
The times in the history are constant, so that the pictures change only when the panel does.
"""

import io
import json
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from PIL import Image
from playwright.sync_api import Browser, ViewportSize, WebSocketRoute

from tests.panel.chromium import NoBrowser, chromium
from tests.panel.panels import PanelProcess
from tests.panel.user import User, screen

DOCS = Path(__file__).parent.parent.parent / "docs"
COLOURS = 256
EVENING = 1_735_675_200
"""Seconds since 1970: a New Year's Eve at eight."""
SECONDS_PER_MOVE = 70


class Size(NamedTuple):
    """A screen size."""

    width: int
    height: int
    density: int
    unfolded: tuple[str, ...]


SIZES = {
    "phone": Size(360, 740, 2, ()),
    "tablet": Size(820, 1180, 1, ()),
    "desktop": Size(1440, 900, 1, ("accounts", "history")),
}
ROUND = (
    # Left card, right card, keys; 0 is no card.
    (1, 0, "G"),
    (0, 2, "2,6M"),
    (0, 3, "1,8M"),
    (4, 2, "750K"),
    (5, 0, "G"),
    (0, 6, "3,2M"),
    (3, 6, "1,1M"),
    (2, 0, "G"),
    (0, 1, "4M"),
    (6, 4, "2,2M"),
    (0, 5, "500K"),
    (3, 0, "G"),
)
"""The moves before the one that the screenshots show."""
NAMES = {1: "Ana", 4: "Théo"}


def main() -> int:
    try:
        with tempfile.TemporaryDirectory() as folder, chromium() as browser:
            take_all(PanelProcess(Path(folder)), browser)
    except NoBrowser as reason:
        print(f"tellerbox: {reason}", file=sys.stderr)
        return 1
    return 0


def take_all(panel: PanelProcess, browser: Browser) -> None:
    try:
        play(open_panel(browser, panel, SIZES["desktop"], constant_times=False))
        for name, size in SIZES.items():
            file = DOCS / f"panel-{name}.png"
            take(open_panel(browser, panel, size), size, file)
            print(f"{file.relative_to(DOCS.parent)}: {file.stat().st_size / 1000:.0f} KB")
    finally:
        panel.close()


def open_panel(
    browser: Browser, panel: PanelProcess, size: Size, *, constant_times: bool = True
) -> User:
    context = browser.new_context(
        viewport=ViewportSize(width=size.width, height=size.height),
        device_scale_factor=size.density,
        locale="en-GB",
        timezone_id="UTC",
    )
    user = User(context.new_page())
    if constant_times:
        user.page.route_web_socket("**/box", set_clock)
    user.open(panel.url)
    return user


def set_clock(route: WebSocketRoute) -> None:
    """Replace the times of the postings."""
    server = route.connect_to_server()

    def pass_on(message: str | bytes) -> None:
        if isinstance(message, str) and "ledger" in (content := json.loads(message)):
            for posting in content["ledger"]["postings"]:
                posting["at"] = EVENING + SECONDS_PER_MOVE * posting["id"]
            message = json.dumps(content)
        route.send(message)

    server.on_message(pass_on)


def play(user: User) -> None:
    """Play until a rent is being paid, with stopped time."""
    user.set_pace(0)
    for number, given in NAMES.items():
        name(user, number, given)
    for left, right, keys in ROUND:
        for card, slot in ((left, "left"), (right, "right")):
            if card:
                user.put(card, slot)
        press(user, keys)
        for card, slot in ((left, "left"), (right, "right")):
            if card:
                user.take(slot)
    user.put(4, "left")
    user.put(1, "right")
    press(user, "1,4M")


def name(user: User, number: int, name: str) -> None:
    user.unfold("accounts")
    user.page.locator(f"#name-{number}").click()
    user.page.locator("#new-name").fill(name)
    user.page.keyboard.press("Enter")
    user.page.locator(".naming").wait_for(state="detached")


def press(user: User, keys: str) -> None:
    """Press keys, and wait until the money has moved."""
    moves = user.sounds.count("ok") + 1
    user.press(keys)
    user.until(lambda: user.sounds.count("ok") == moves, f"{keys} moves money")


def take(user: User, size: Size, file: Path) -> None:
    for panel in size.unfolded:
        user.unfold(panel)
    user.until_shows(screen("11,6M", left=4, right=1))
    user.page.evaluate("window.scrollTo(0, 0)")
    shot = user.page.screenshot(animations="disabled")
    with Image.open(io.BytesIO(shot)) as png:
        # Maximum coverage keeps the cards' colours, which cover few pixels.
        reduced = png.convert("RGB").quantize(
            COLOURS, Image.Quantize.MAXCOVERAGE, kmeans=1, dither=Image.Dither.NONE
        )
    reduced.save(file, optimize=True)


if __name__ == "__main__":
    sys.exit(main())
