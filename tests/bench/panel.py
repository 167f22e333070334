"""Time from a click on a key to the changed pixels, in a real Chromium on loopback.

The page measures it: from the click's timestamp to the frame with the changed picture. The message
with the picture has the firmware's share, including the disk. The rest is transport and drawing.
"""

import math
import statistics
import tempfile
from collections.abc import Sequence
from pathlib import Path

from playwright.sync_api import ViewportSize

from tests.panel.chromium import NoBrowser, chromium
from tests.panel.panels import PanelProcess
from tests.panel.user import User, middle, screen

MOVES = 100
MOVE = "10K"
"""Each of its keys changes the screen as it goes down; the last one moves money."""
REST = 80
"""Milliseconds between two clicks: fast typing, and enough for the browser to draw."""
MOST = 50.0
"""Milliseconds within which 99 of 100 clicks must show."""

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
    """The milliseconds of each click, and the firmware's share of them."""
    panel = PanelProcess(folder)
    try:
        with chromium() as browser:
            page = browser.new_page(viewport=ViewportSize(width=1440, height=900))
            user = User(page)
            user.open(panel.url)
            return clicked(user)
    finally:
        panel.close()


def clicked(user: User) -> tuple[list[float], list[float]]:
    user.put(1, "left")
    user.until_shows(screen("15M", left=1))
    user.page.evaluate(WATCH)
    places = {key: middle(user.key(key)) for key in MOVE}
    shares = [share_of_click(user, places[key]) for key in MOVE * MOVES]
    user.until(lambda: len(waits_of(user)) == len(shares), "every click shows")
    user.until_shows(screen("16M", left=1))
    return waits_of(user), shares


def share_of_click(user: User, place: tuple[float, float]) -> float:
    before = len(user.received)
    user.page.mouse.click(*place)
    user.until(lambda: bool(took(user, before)), "a changed screen")
    user.page.wait_for_timeout(REST)
    return took(user, before)[0]


def waits_of(user: User) -> list[float]:
    waits: list[float] = user.page.evaluate("waits")
    return waits


def took(user: User, since: int) -> list[float]:
    """The milliseconds that the firmware took for each screen since this message."""
    screens = [message["screen"] for message in user.received[since:] if "screen" in message]
    return [screen["took"] / 1000 for screen in screens if screen["took"] is not None]


def ninety_ninth(values: Sequence[float]) -> float:
    return sorted(values)[math.ceil(0.99 * len(values)) - 1]


def in_words(values: Sequence[float]) -> str:
    return f"median {statistics.median(values):.1f} ms, 99 % within {ninety_ninth(values):.1f} ms"


if __name__ == "__main__":
    main()
