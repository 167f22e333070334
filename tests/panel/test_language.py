"""French and English: the box in its own language, the page in the browser's."""

from playwright.sync_api import expect

from hal.language import Language
from hal.view import Text
from tests.panel.conftest import OpenPage, StartPanel
from tests.panel.hands import screen
from tests.panel.served import Served


def test_the_page_is_in_the_browsers_language(panel: Served, open_page: OpenPage) -> None:
    """English where it is unknown; the box stays in its own."""
    pages = {locale: open_page(panel, locale=locale) for locale in ("fr-CA", "en-US", "de-DE")}
    pages["de-DE"].at_pace(0)
    pages["fr-CA"].press("5")
    for (locale, hands), title in zip(
        pages.items(), ("Comptes", "Accounts", "Accounts"), strict=True
    ):
        language = "fr" if locale == "fr-CA" else "en"
        expect(hands.page.locator("html")).to_have_attribute("lang", language)
        expect(hands.page.locator("#accounts h2")).to_have_text(title)
        hands.until_shows(screen("-----", Text.NO_CARD))
        expect(hands.page.locator("#announce")).to_have_attribute("lang", "en")
        hands.until_said("-----. NO CARD")


def test_a_french_box(start_panel: StartPanel, open_page: OpenPage) -> None:
    """Its messages are French for everybody who looks at it, whatever their page is in."""
    panel = start_panel("--language", "fr")
    french, english = open_page(panel, locale="fr-FR"), open_page(panel)
    french.at_pace(0)
    french.put(1, "right")
    french.press("16M")
    shown = screen("15M", Text.NO_FUNDS, right=1)._replace(language=Language.FRENCH)
    for hands in (french, english):
        hands.until_shows(shown)
        expect(hands.page.locator("#announce")).to_have_attribute("lang", "fr")
    expect(english.page.locator("html")).to_have_attribute("lang", "en")
    expect(french.rack(1)).to_have_accessible_name("Carte 1, dans la fente droite. La retirer")


def test_no_word_is_missing(panel: Served, open_page: OpenPage) -> None:
    """Every text of the page is there in both languages."""
    hands = open_page(panel)
    words = hands.page.evaluate(
        """async () => {
            const text = await (await fetch('words.js')).text();
            const tables = text.split(/const (?:ENGLISH|FRENCH) = /).slice(1);
            return tables.map(table => [...table.matchAll(/^  "([^"]+)": "([^"]*)"/gm)]
                .map(([, name, said]) => [name, said]));
        }"""
    )
    english, french = (dict(table) for table in words)
    assert english.keys() == french.keys()
    assert len(english) > 80
    assert all(english.values())
    assert all(french.values())
