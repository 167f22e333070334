"""From a click on a key to the changed pixels, in a real Chromium on loopback.

The page takes the time itself: from the moment at which the browser saw the click to the
frame in which the picture has changed. What the firmware took for it, its disk included, is
told with the picture; all the rest is the way there and back, and the drawing.
"""

import math
import statistics
import tempfile
from collections.abc import Sequence
from pathlib import Path

from playwright.sync_api import ViewportSize

from tests.panel.chromium import NoBrowser, chromium
from tests.panel.hands import Hands, middle, screen
from tests.panel.served import Served

MOVES = 100
MOVE = "10K"
"""Each of its keys changes the screen as it goes down; the last one moves money."""
REST = 80
"""Milliseconds between two clicks: nobody types faster, and the browser has drawn the last one."""
MOST = 50.0
"""Milliseconds within which 99 of 100 clicks have to be seen."""

WATCH = """() => {
    window.waits = [];
    let clicked = null;
    addEventListener('pointerdown', event => { clicked = event.timeStamp; }, true);
    new MutationObserver(() => {
        if (clicked === null) return;
        const since = clicked;
        clicked = null;
        requestAnimationFrame(() => waits.push(performance.now() - since));
    }).observe(document.querySelector('#pixels'), { attributes: true, attributeFilter: ['d'] });
}"""


def main() -> None:
    what = "a click on a key to the changed pixels, Chromium on loopback"
    try:
        with tempfile.TemporaryDirectory() as folder:
            waits, shares = measured(Path(folder))
    except NoBrowser as reason:
        print(f"{what}\n    left out: {reason}\n")
        return
    rest = [wait - share for wait, share in zip(waits, shares, strict=True)]
    reached = "reached" if ninety_ninth(waits) < MOST else "MISSED"
    print(
        f"{what}\n"
        f"    {in_words(waits)} (to reach: 99 % under {MOST:g} ms, {reached}); "
        f"{len(waits)} clicks, {MOVES} of them move money\n"
        f"    the firmware's share: {in_words(shares)}\n"
        f"    the transport's, with the drawing: {in_words(rest)}\n"
    )


def measured(folder: Path) -> tuple[list[float], list[float]]:
    """Milliseconds of each click, and the firmware's share of them."""
    panel = Served(folder)
    try:
        with chromium() as browser:
            page = browser.new_page(viewport=ViewportSize(width=1440, height=900))
            hands = Hands(page)
            hands.come(panel.url)
            return clicked(hands)
    finally:
        panel.close()


def clicked(hands: Hands) -> tuple[list[float], list[float]]:
    hands.put(1, "left")
    hands.until_shows(screen("15M", left=1))
    hands.page.evaluate(WATCH)
    places = {key: middle(hands.key(key)) for key in MOVE}
    shares = [share_of_click(hands, places[key]) for key in MOVE * MOVES]
    hands.until(lambda: len(waits_of(hands)) == len(shares), "all of them seen")
    hands.until_shows(screen("16M", left=1))
    return waits_of(hands), shares


def share_of_click(hands: Hands, place: tuple[float, float]) -> float:
    before = len(hands.told)
    hands.page.mouse.click(*place)
    hands.until(lambda: bool(took(hands, before)), "a changed screen")
    hands.page.wait_for_timeout(REST)
    return took(hands, before)[0]


def waits_of(hands: Hands) -> list[float]:
    waits: list[float] = hands.page.evaluate("waits")
    return waits


def took(hands: Hands, since: int) -> list[float]:
    """The milliseconds that the firmware took for each screen that it has told since."""
    screens = [message["screen"] for message in hands.told[since:] if "screen" in message]
    return [screen["took"] / 1000 for screen in screens if screen["took"] is not None]


def ninety_ninth(values: Sequence[float]) -> float:
    return sorted(values)[math.ceil(0.99 * len(values)) - 1]


def in_words(values: Sequence[float]) -> str:
    return f"median {statistics.median(values):.1f} ms, 99 % within {ninety_ninth(values):.1f} ms"


if __name__ == "__main__":
    main()
