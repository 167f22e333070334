"""The pictures of the panel in the README: ``python -m tests.panel.screenshots``.

A game is played through the page itself, and photographed on a phone, a tablet and a desktop.
The times in the history are always those of the same evening, so that the pictures change
only when the panel does.
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
from tests.panel.hands import Hands, screen
from tests.panel.served import Served

DOCS = Path(__file__).parent.parent.parent / "docs"
COLOURS = 256
EVENING = 1_735_675_200
"""Seconds since 1970: a New Year's Eve at eight."""
A_MOVE_TAKES = 70


class Size(NamedTuple):
    """A screen that people have."""

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
"""The moves of an evening before the one that the pictures show."""


def main() -> int:
    try:
        with tempfile.TemporaryDirectory() as folder, chromium() as browser:
            photograph(Served(Path(folder)), browser)
    except NoBrowser as reason:
        print(f"tellerbox: {reason}", file=sys.stderr)
        return 1
    return 0


def photograph(panel: Served, browser: Browser) -> None:
    try:
        play(visit(browser, panel, SIZES["desktop"], always_the_same_evening=False))
        for name, size in SIZES.items():
            file = DOCS / f"panel-{name}.png"
            take(visit(browser, panel, size), size, file)
            print(f"{file.relative_to(DOCS.parent)}: {file.stat().st_size / 1000:.0f} KB")
    finally:
        panel.close()


def visit(
    browser: Browser, panel: Served, size: Size, *, always_the_same_evening: bool = True
) -> Hands:
    context = browser.new_context(
        viewport=ViewportSize(width=size.width, height=size.height),
        device_scale_factor=size.density,
        locale="en-GB",
        timezone_id="UTC",
    )
    hands = Hands(context.new_page())
    if always_the_same_evening:
        hands.page.route_web_socket("**/box", set_clock)
    hands.come(panel.url)
    return hands


def set_clock(line: WebSocketRoute) -> None:
    """The bank's clock is the wall's; in the pictures it is always the same evening."""
    server = line.connect_to_server()

    def pass_on(message: str | bytes) -> None:
        if isinstance(message, str) and "books" in (told := json.loads(message)):
            for posting in told["books"]["postings"]:
                posting["at"] = EVENING + A_MOVE_TAKES * posting["id"]
            message = json.dumps(told)
        line.send(message)

    server.on_message(pass_on)


def play(hands: Hands) -> None:
    """A game in progress: a rent is being paid, and the box's time stands still."""
    hands.at_pace(0)
    for left, right, keys in ROUND:
        for card, slot in ((left, "left"), (right, "right")):
            if card:
                hands.put(card, slot)
        press(hands, keys)
        for card, slot in ((left, "left"), (right, "right")):
            if card:
                hands.take(slot)
    hands.put(4, "left")
    hands.put(1, "right")
    press(hands, "1,4M")


def press(hands: Hands, keys: str) -> None:
    """And wait until the money has moved."""
    moves = hands.sounds.count("ok") + 1
    hands.press(keys)
    hands.until(lambda: hands.sounds.count("ok") == moves, f"{keys} moves money")


def take(hands: Hands, size: Size, file: Path) -> None:
    for part in size.unfolded:
        hands.unfold(part)
    hands.until_shows(screen("11,6M", left=4, right=1))
    hands.page.evaluate("window.scrollTo(0, 0)")
    shot = hands.page.screenshot(animations="disabled")
    with Image.open(io.BytesIO(shot)) as png:
        # By coverage: a card's colour is as dear as the felt's, which there is more of.
        few = png.convert("RGB").quantize(
            COLOURS, Image.Quantize.MAXCOVERAGE, kmeans=1, dither=Image.Dither.NONE
        )
    few.save(file, optimize=True)


if __name__ == "__main__":
    sys.exit(main())
