"""The Chromium that is installed on this machine, driven by Playwright.

Playwright brings no browser here: the one to test in is the one that Debian keeps.
"""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Browser, Error, sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
OPTIONS = (
    # A page on this machine is all that it loads; nothing of its own may go out or change.
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-gpu",
    "--disable-quic",
    "--disable-sync",
    "--no-first-run",
)


class NoBrowser(Exception):
    """There is none here that works; the sentence says why."""


@contextmanager
def chromium() -> Iterator[Browser]:
    """Runs it without a window. Root cannot have its sandbox, everybody else does."""
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
