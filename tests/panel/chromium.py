"""Starts the installed Chromium with Playwright.

Playwright's own browsers are not used: the tests run in Debian's Chromium.
"""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Browser, Error, sync_playwright

NAMES = (
    "chromium-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
)
OPTIONS = (
    # It loads only local pages; no background traffic, no updates.
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-crashpad-for-testing",
    "--disable-gpu",
    "--disable-quic",
    "--disable-sync",
    "--no-first-run",
)


class NoBrowser(Exception):
    """No browser works here; the message says why."""


@contextmanager
def chromium() -> Iterator[Browser]:
    """Run it headless; without its sandbox as root, where it does not work."""
    found = next(filter(None, map(shutil.which, NAMES)), None)
    if not found:
        raise NoBrowser("Chromium is not installed: run tools/setup browser")
    with sync_playwright() as playwright:
        try:
            browser = playwright.chromium.launch(
                executable_path=found, args=OPTIONS, chromium_sandbox=os.geteuid() != 0
            )
        except Error as error:
            raise NoBrowser(f"{found} does not start: {_first_line(error)}") from error
        yield browser
        browser.close()


def _first_line(error: Error) -> str:
    return next(iter(error.message.strip().splitlines()), "no reason given")
