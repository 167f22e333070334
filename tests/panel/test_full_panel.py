"""More pages than the panel serves: one is replaced, and says so."""

import pytest
from playwright.sync_api import expect

from sim.panel.guests.page_limit import MAX_PAGES
from tests.panel.conftest import OpenPage
from tests.panel.panels import HostedPanel
from tests.panel.server.page_connection import connect, run
from tests.panel.user import screen

REPLACED = {
    "en-GB": "Too many pages are open, so this one was closed. Reload it to use it again.",
    "fr-FR": "Trop de pages sont ouvertes : celle-ci est fermée. Rechargez-la pour vous en servir.",
}


@pytest.mark.parametrize("locale", REPLACED)
def test_a_replaced_page_says_so_and_stays_away(
    panel: HostedPanel, open_page: OpenPage, locale: str
) -> None:
    """Until it is loaded again: a page that reconnects would replace another one, and so on."""
    user = open_page(panel, locale=locale)
    user.until_shows(screen())
    sockets: list[str] = []
    user.page.on("websocket", lambda socket: sockets.append(socket.url))

    async def open_more(count: int) -> None:
        if count:
            async with connect(panel.url) as page:
                await open_more(count - 1)
                await page.until_shows(screen().field)

    user.page.clock.install()
    run(open_more(MAX_PAGES))
    lost = user.page.get_by_role("alert")
    expect(lost).to_have_text(REPLACED[locale])
    assert user.key("5").evaluate("control => control.closest('[inert]') !== null")
    user.page.clock.fast_forward(60_000)
    expect(lost).to_be_visible()
    assert sockets == []
    user.open(panel.url)
    user.until_shows(screen())
    expect(lost).to_be_hidden()
