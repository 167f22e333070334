"""Fixtures: a real Chromium, and panels to open in it.

Without Chromium the tests are skipped, with the reason; in CI they fail.
"""

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import NoReturn

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, ViewportSize

from tests.panel.chromium import NoBrowser, chromium
from tests.panel.panels import HostedPanel, PanelHost, PanelProcess
from tests.panel.user import User

LAPTOP = ViewportSize(width=1100, height=760)
ENGLISH = "en-GB"

StartPanel = Callable[..., PanelProcess]
OpenPage = Callable[..., User]


WORKERS_WITH_A_BROWSER = 2
"""These tests mostly wait for Chromium, so two of four workers run them."""


@pytest.hookimpl(tryfirst=True)  # before pytest-xdist looks for groups
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    turn = 0
    for item in items:
        if "browser" in getattr(item, "fixturenames", ()):
            turn = turn % WORKERS_WITH_A_BROWSER + 1
            item.add_marker(pytest.mark.xdist_group(f"browser-{turn}"))


def missing(reason: str) -> NoReturn:
    """Skip the test; in CI, fail it."""
    if os.environ.get("CI"):
        pytest.fail(reason, pytrace=False)
    pytest.skip(reason)


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """One for all tests of a worker, because it starts slowly.

    Playwright keeps an asyncio loop running, so the fixture ends with the tests of this folder.
    """
    with ExitStack() as stack:
        try:
            found = stack.enter_context(chromium())
        except NoBrowser as reason:
            missing(str(reason))
        yield found


@pytest.fixture(scope="package")
def host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PanelHost]:
    host = PanelHost(tmp_path_factory)
    yield host
    host.close()


@pytest.fixture
def start_panel(tmp_path: Path) -> Iterator[StartPanel]:
    """Starts ``tellerbox sim`` with the given options, and stops it after the test."""
    with ExitStack() as stack:

        def start(*options: str) -> PanelProcess:
            panel = PanelProcess(tmp_path, *options)
            stack.callback(panel.close)
            return panel

        yield start


@pytest.fixture
def panel(host: PanelHost) -> Iterator[HostedPanel]:
    """A panel with a new ledger."""
    with host.panel() as panel:
        yield panel


@pytest.fixture
def own_panel(start_panel: StartPanel) -> PanelProcess:
    """A panel in a process of its own, for tests that stop or inspect it."""
    return start_panel()


class Windows:
    """Reuses the browser's windows, because a new one costs as much as loading the page.

    Each page of a test has its own window: browsers throttle pages in the background.
    """

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self._free: dict[str, list[BrowserContext]] = {}

    def page(self, stack: ExitStack, **settings: object) -> Page:
        """A page in a window with these settings, closed with the stack."""
        free = self._free.setdefault(repr(sorted(settings.items())), [])
        window = free.pop() if free else self._open(settings)
        stack.callback(free.append, window)
        page = window.new_page()
        stack.callback(_close, page)
        return page

    def _open(self, settings: dict[str, object]) -> BrowserContext:
        window = self._browser.new_context(**settings)  # type: ignore[arg-type]
        window.new_page()  # keeps the window open between two tests
        return window


def _close(page: Page) -> None:
    """Clear the storage first: another panel may get the same port."""
    if not page.is_closed():
        page.evaluate("localStorage.clear()")
        page.close()


@pytest.fixture(scope="package")
def windows(browser: Browser) -> Windows:
    return Windows(browser)


@pytest.fixture
def open_page(windows: Windows) -> Iterator[OpenPage]:
    """Opens a panel's page, and waits until the box is drawn."""
    with ExitStack() as stack:

        def open_(panel: PanelProcess | HostedPanel, **settings: object) -> User:
            page = windows.page(stack, **{"viewport": LAPTOP, "locale": ENGLISH, **settings})
            stack.callback(_check, PageLog(page), panel)
            user = User(page)
            user.open(panel.url)
            return user

        yield open_


class PageLog:
    """The errors and requests of a page."""

    def __init__(self, page: Page) -> None:
        self.errors: list[str] = []
        self.requests: list[str] = []
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("console", lambda message: self._log(message.type, message.text))
        page.on("request", lambda request: self.requests.append(request.url))

    def _log(self, kind: str, text: str) -> None:
        disconnected = "WebSocket connection to" in text or "ERR_CONNECTION" in text
        if kind == "error" and not disconnected:
            self.errors.append(text)


def _check(log: PageLog, panel: PanelProcess | HostedPanel) -> None:
    assert log.errors == []
    elsewhere = [url for url in log.requests if not url.startswith((panel.url, "data:", "blob:"))]
    assert elsewhere == [], "the page loads something from elsewhere"


@pytest.fixture
def user(panel: HostedPanel, open_page: OpenPage) -> User:
    """A user of a panel with a new ledger, on a laptop's screen."""
    return open_page(panel)
