"""The box speaks its own language, the page the browser's: French or English."""

from playwright.sync_api import expect

from hal.display.messages import Language, Text
from tests.panel.conftest import OpenPage, StartPanel
from tests.panel.panels import HostedPanel
from tests.panel.user import screen


def test_the_page_is_in_the_browsers_language(panel: HostedPanel, open_page: OpenPage) -> None:
    """English if the browser's is unknown; the box keeps its own."""
    pages = {locale: open_page(panel, locale=locale) for locale in ("fr-CA", "en-US", "de-DE")}
    pages["de-DE"].set_pace(0)
    pages["fr-CA"].press("5")
    for (locale, user), title in zip(
        pages.items(), ("Comptes", "Accounts", "Accounts"), strict=True
    ):
        language = "fr" if locale == "fr-CA" else "en"
        expect(user.page.locator("html")).to_have_attribute("lang", language)
        expect(user.page.locator("#accounts h2")).to_have_text(title)
        user.until_shows(screen("-----", Text.NO_CARD))
        expect(user.page.locator("#announce")).to_have_attribute("lang", "en")
        user.until_announced("-----. NO CARD")


def test_a_french_box(start_panel: StartPanel, open_page: OpenPage) -> None:
    """Its messages are French on every page."""
    panel = start_panel("--language", "fr")
    french, english = open_page(panel, locale="fr-FR"), open_page(panel)
    french.set_pace(0)
    french.put(1, "right")
    french.press("16M")
    shown = screen("15M", Text.NO_FUNDS, right=1)._replace(language=Language.FRENCH)
    for user in (french, english):
        user.until_shows(shown)
        expect(user.page.locator("#announce")).to_have_attribute("lang", "fr")
    expect(english.page.locator("html")).to_have_attribute("lang", "en")
    expect(french.rack(1)).to_have_accessible_name("Carte 1, dans la fente droite. La retirer")


def test_no_text_is_missing(panel: HostedPanel, open_page: OpenPage) -> None:
    """Both languages have every text of the page."""
    user = open_page(panel)
    texts = user.page.evaluate("async () => (await import('./words.js')).TEXTS")
    assert len(texts) > 80
    for name, (english, french) in texts.items():
        assert english, name
        assert french, name
