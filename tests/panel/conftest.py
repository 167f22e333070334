"""A real Chromium, and a panel in a process of its own, as fixtures.

Where there is no Chromium its tests are skipped, with the reason, but never in CI.
"""

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import NoReturn

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, ViewportSize

from tests.panel.chromium import NoBrowser, chromium
from tests.panel.hands import Hands
from tests.panel.served import Served

DESKTOP = ViewportSize(width=1440, height=900)
ENGLISH = "en-GB"

StartPanel = Callable[..., Served]
OpenPage = Callable[..., Hands]


def missing(reason: str) -> NoReturn:
    """What cannot be tested here is skipped, and says why; in CI it is a failure."""
    if os.environ.get("CI"):
        pytest.fail(reason, pytrace=False)
    pytest.skip(reason)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One for each file: Playwright keeps an event loop, and tests of the server have their own."""
    with ExitStack() as stack:
        try:
            found = stack.enter_context(chromium())
        except NoBrowser as reason:
            missing(str(reason))
        yield found


@pytest.fixture
def start_panel(tmp_path: Path) -> Iterator[StartPanel]:
    """Starts ``tellerbox sim`` with these options; it must end well at the end of the test."""
    started: list[Served] = []

    def start(*options: str) -> Served:
        folder = tmp_path / f"panel-{len(started)}"
        folder.mkdir()
        started.append(Served(folder, *options))
        return started[-1]

    yield start
    with ExitStack() as stack:
        for panel in started:
            stack.callback(panel.close)


@pytest.fixture
def panel(start_panel: StartPanel) -> Served:
    """A panel with a new ledger."""
    return start_panel()


class Windows:
    """The browser's windows, to be used again: a page that is alone in its window is not slowed."""

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self._free: dict[str, list[BrowserContext]] = {}

    def page(self, stack: ExitStack, **settings: object) -> Page:
        """A page in a window with these settings, until the stack is closed."""
        free = self._free.setdefault(repr(sorted(settings.items())), [])
        window = free.pop() if free else self._browser.new_context(**settings)  # type: ignore[arg-type]
        stack.callback(free.append, window)
        page = window.new_page()
        stack.callback(_leave, page)
        return page


def _leave(page: Page) -> None:
    """Whatever the page has remembered is forgotten; another panel may get the same port."""
    if not page.is_closed():
        page.evaluate("localStorage.clear()")
        page.close()


@pytest.fixture(scope="module")
def windows(browser: Browser) -> Windows:
    return Windows(browser)


@pytest.fixture
def open_page(windows: Windows) -> Iterator[OpenPage]:
    """Opens a panel's page, and waits until it shows the box."""
    with ExitStack() as stack:

        def open_(panel: Served, **wishes: object) -> Hands:
            page = windows.page(stack, **{"viewport": DESKTOP, "locale": ENGLISH, **wishes})
            stack.callback(_no_trouble, Trouble(page), panel)
            hands = Hands(page)
            hands.come(panel.url)
            return hands

        yield open_


class Trouble:
    """What a page must not do: fail in its own code, or ask anybody else for anything."""

    def __init__(self, page: Page) -> None:
        self.errors: list[str] = []
        self.asked: list[str] = []
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("console", lambda said: self._heard(said.type, said.text))
        page.on("request", lambda request: self.asked.append(request.url))

    def _heard(self, kind: str, text: str) -> None:
        lost = "WebSocket connection to" in text or "ERR_CONNECTION" in text
        if kind == "error" and not lost:
            self.errors.append(text)


def _no_trouble(trouble: Trouble, panel: Served) -> None:
    assert trouble.errors == []
    elsewhere = [url for url in trouble.asked if not url.startswith((panel.url, "data:", "blob:"))]
    assert elsewhere == [], "the page loads nothing from elsewhere"


@pytest.fixture
def hands(panel: Served, open_page: OpenPage) -> Hands:
    """A person at a panel with a new ledger, on a desktop's screen."""
    return open_page(panel)
