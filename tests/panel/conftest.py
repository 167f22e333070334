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

LAPTOP = ViewportSize(width=1100, height=760)
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


class Spare:
    """A panel ahead of time: it comes up while the test before is still running."""

    TOO_OLD = 20.0
    """Seconds; after sixty the box would be asleep."""

    def __init__(self, folders: pytest.TempPathFactory) -> None:
        self._folders = folders
        self._next = self._start()

    def _start(self) -> Served:
        return Served(self._folders.mktemp("panel"))

    def take(self) -> Served:
        if self._next.age > self.TOO_OLD:
            self._next.close()
            self._next = self._start()
        taken, self._next = self._next, self._start()
        return taken

    def close(self) -> None:
        self._next.close()


@pytest.fixture(scope="module")
def spare(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Spare]:
    spare = Spare(tmp_path_factory)
    yield spare
    spare.close()


@pytest.fixture
def start_panel(tmp_path: Path) -> Iterator[StartPanel]:
    """Starts ``tellerbox sim`` with these options; it must end well at the end of the test."""
    with ExitStack() as stack:

        def start(*options: str) -> Served:
            panel = Served(tmp_path, *options)
            stack.callback(panel.close)
            return panel

        yield start


@pytest.fixture
def panel(spare: Spare) -> Iterator[Served]:
    """A panel with a new ledger; it must end well at the end of the test."""
    panel = spare.take()
    yield panel
    panel.close()


class Windows:
    """The browser's windows, to be used again; to open one costs as much as to load the page.

    Two pages of a test have a window each, for a page behind another one is slowed down.
    """

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self._free: dict[str, list[BrowserContext]] = {}

    def page(self, stack: ExitStack, **settings: object) -> Page:
        """A page in a window with these settings, until the stack is closed."""
        free = self._free.setdefault(repr(sorted(settings.items())), [])
        window = free.pop() if free else self._open(settings)
        stack.callback(free.append, window)
        page = window.new_page()
        stack.callback(_leave, page)
        return page

    def _open(self, settings: dict[str, object]) -> BrowserContext:
        window = self._browser.new_context(**settings)  # type: ignore[arg-type]
        window.new_page()  # an empty one, which keeps the window open between two tests
        return window


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
            page = windows.page(stack, **{"viewport": LAPTOP, "locale": ENGLISH, **wishes})
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
    """A person at a panel with a new ledger, on a laptop's screen."""
    return open_page(panel)
