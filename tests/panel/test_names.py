"""The names of cards on the page (N6), and who pays whom for screen readers (N4)."""

import re

import pytest
from playwright.sync_api import Locator, ViewportSize, expect

from hal.display.messages import Text
from tests.panel.conftest import OpenPage
from tests.panel.panels import HostedPanel
from tests.panel.test_accessible import axe as axe
from tests.panel.test_accessible import violations
from tests.panel.test_side_panels import rows
from tests.panel.user import User, screen


def namer(user: User, number: int) -> Locator:
    """The button in an account."""
    return user.page.locator(f"#name-{number}")


def form(user: User) -> Locator:
    return user.page.locator(".naming")


def field(user: User) -> Locator:
    return user.page.locator("#new-name")


def give(user: User, number: int, name: str) -> None:
    """Type a name, and wait until the account has it."""
    user.unfold("accounts")
    namer(user, number).click()
    field(user).fill(name)
    user.page.keyboard.press("Enter")
    expect(form(user)).to_have_count(0)


def test_a_name_is_given_by_keyboard(user: User) -> None:
    accounts = user.unfold("accounts")
    expect(namer(user, 1)).to_have_accessible_name("Card 1, change the name")
    namer(user, 1).focus()
    user.page.keyboard.press("Enter")
    expect(field(user)).to_be_focused()
    expect(field(user)).to_have_accessible_name("Name of card 1")
    expect(field(user)).to_have_accessible_description(
        "Up to 10 letters. Leave it empty for no name."
    )
    user.page.keyboard.type("Jean-Marie-Claude")
    expect(field(user)).to_have_value("Jean-Marie")
    user.page.keyboard.press("Enter")
    expect(user.page.locator("#toast")).to_have_text("Card 1 is called Jean-Marie.")
    expect(namer(user, 1)).to_be_focused()
    expect(namer(user, 1)).to_have_accessible_name("Card 1 Jean-Marie, change the name")
    assert rows(accounts)[:2] == ["Card 1 Jean-Marie 15M", "Card 2 15M"]
    user.until_shows(screen())
    assert user.sounds == []


def test_a_name_stands_beside_the_number_everywhere(user: User) -> None:
    user.set_pace(0)
    give(user, 1, "Ana")
    give(user, 2, "Zoë")
    expect(user.rack(1)).to_have_accessible_name("Card 1 Ana")
    expect(user.rack(1).locator(".card-name")).to_have_text("Ana")
    user.put(2, "left")
    user.put(1, "right")
    expect(user.slot("left")).to_have_accessible_name("Left slot, receives: card 2 Zoë")
    expect(user.card_in("right")).to_have_accessible_name("Right slot: card 1 Ana. Take it out")
    expect(user.card_in("right").locator(".card-name")).to_have_text("Ana")
    user.press("1,4M")
    user.until_shows(screen("13,6M", left=2, right=1))
    user.unfold("history")
    newest = user.page.locator("#postings li").first
    expect(newest).to_contain_text("Card 1 (Ana) pays 1,4M to card 2 (Zoë)")
    words = re.compile(r"Most: card 2 \(Zoë\), 16,4M\. Least: card 1 \(Ana\), 13,6M\.")
    expect(user.page.locator("#chart")).to_have_accessible_name(words)
    # A card that is in a slot gets and loses its name there.
    give(user, 1, "")
    expect(user.page.locator("#toast")).to_have_text("Card 1 has no name.")
    expect(user.card_in("right")).to_have_accessible_name("Right slot: card 1. Take it out")
    expect(newest).to_contain_text("Card 1 pays 1,4M to card 2 (Zoë)")


def test_escape_and_cancel_leave_the_name_and_the_box_alone(user: User) -> None:
    """N1: a half-typed amount stays."""
    user.set_pace(0)
    user.put(1, "left")
    user.press("5")
    user.unfold("accounts")
    for leave in ("Escape", "Cancel"):
        namer(user, 3).focus()
        user.page.keyboard.press("Space")
        user.page.keyboard.type("Gmk1c")
        if leave == "Escape":
            user.page.keyboard.press("Escape")
        else:
            form(user).get_by_role("button", name="Cancel").press("Enter")
        expect(form(user)).to_have_count(0)
        expect(namer(user, 3)).to_be_focused()
    user.until_shows(screen("5", left=1))
    assert rows(user.page.locator("#accounts"))[2] == "Card 3 15M"
    assert not any("refused" in message for message in user.received)


def test_what_is_not_a_name_is_said_in_the_form(user: User) -> None:
    user.unfold("accounts")
    namer(user, 2).click()
    field(user).fill("R2D2")
    form(user).get_by_role("button", name="Save").click()
    error = form(user).get_by_role("alert")
    expect(error).to_have_text(
        "A name has up to 10 letters, with single spaces, hyphens or apostrophes between them."
    )
    expect(field(user)).to_have_attribute("aria-invalid", "true")
    expect(field(user)).to_be_focused()
    field(user).fill("d’Arc ")  # as a phone's keyboard writes it
    expect(error).to_be_empty()
    user.page.keyboard.press("Enter")
    expect(form(user)).to_have_count(0)
    assert rows(user.page.locator("#accounts"))[1] == "Card 2 d'Arc 15M"


def test_a_name_is_refused_without_power_and_while_recording(user: User) -> None:
    user.unfold("accounts")
    user.toggle_power()
    namer(user, 2).click()
    field(user).fill("Ben")
    user.page.keyboard.press("Enter")
    expect(form(user).get_by_role("alert")).to_have_text("Not without power.")
    user.toggle_power()
    user.unfold("recording").locator("#record").click()
    expect(user.page.locator("#recording-mark")).to_be_visible()
    user.page.keyboard.press("Escape")
    if form(user).count() == 0:
        namer(user, 2).click()
    field(user).fill("Ben")
    field(user).press("Enter")
    expect(form(user).get_by_role("alert")).to_have_text("Not while recording.")


def test_an_open_form_stays_while_others_play(
    panel: HostedPanel, user: User, open_page: OpenPage
) -> None:
    """What was typed, and the focus; on the account's button, too."""
    other = open_page(panel)
    user.unfold("accounts")
    namer(user, 3).click()
    user.page.keyboard.type("An")
    other.put(1, "left")
    other.press("2M")
    user.until_shows(screen("17M", left=1))
    expect(user.page.locator('[data-account="1"] .amount')).to_have_text("17M")
    user.page.keyboard.type("a")
    expect(field(user)).to_have_value("Ana")
    user.page.keyboard.press("Enter")
    expect(namer(user, 3)).to_be_focused()
    other.press("2M")
    expect(user.page.locator('[data-account="1"] .amount')).to_have_text("19M")
    assert user.page.evaluate("document.activeElement.id") == "name-3"
    expect(other.rack(3)).to_have_accessible_name("Card 3 Ana")


def test_worths_while_the_final_count_is_open(user: User) -> None:
    """F16, F17: who is missing, worths, the winner."""
    user.set_pace(0)
    accounts = user.unfold("accounts")
    user.put(2, "left")
    user.put(1, "right")
    user.press("1M")
    user.until_shows(screen("14M", left=2, right=1))
    user.take("right")
    user.press("F9M")
    user.press("2,5M")
    user.until_shows(screen("18,5M", Text.FINAL_COUNT, left=2))
    user.until(lambda: rows(accounts)[1] == "Card 2 16M worth 18,5M", "the worth")
    assert rows(accounts)[0] == "Card 1 14M not counted"
    assert rows(accounts)[2] == "Card 3 15M"
    user.take("left")
    user.put(1, "left")
    user.until(lambda: rows(accounts)[0] == "Card 1 14M worth 14M", "all are counted")
    assert rows(accounts)[1] == "Card 2 WINNER 16M worth 18,5M"


def test_a_move_is_announced_once_and_the_way_describes_the_screen(user: User) -> None:
    user.set_pace(0)
    give(user, 1, "Ana")
    picture = user.page.locator("#screen")
    user.put(1, "right")
    expect(picture).to_have_accessible_description("card 1 (Ana) pays the bank")
    user.put(2, "left")
    announced = user.record_announcements()
    expect(picture).to_have_accessible_description("card 1 (Ana) pays card 2")
    user.press("1,4M")
    user.until_announced("card 1 (Ana) pays card 2, 1,4M. 13,6M")
    expect(picture).to_have_accessible_description("card 1 (Ana) pays card 2, 1,4M")
    expect(picture).to_have_accessible_name("13,6M")
    user.set_pace(1)
    user.until_announced("16,4M")  # the payee's balance
    user.press("C")
    user.until_announced("taken back: 1,4M. 15M")
    assert sum("pays" in text for text in announced()) == 1
    user.take("left")
    user.take("right")
    expect(picture).to_have_accessible_description("")


def test_a_french_page_with_a_french_name(panel: HostedPanel, open_page: OpenPage) -> None:
    user = open_page(panel, locale="fr-FR")
    user.set_pace(0)
    user.unfold("accounts")
    namer(user, 4).click()
    field(user).fill("4")
    user.page.keyboard.press("Enter")
    expect(form(user).get_by_role("alert")).to_have_text(
        "Un nom a 10 lettres au plus, séparées au besoin par une espace, un trait d’union "
        "ou une apostrophe."
    )
    field(user).fill("Hélène")
    user.page.keyboard.press("Enter")
    expect(user.page.locator("#toast")).to_have_text("La carte 4 s’appelle Hélène.")
    expect(user.rack(4)).to_have_accessible_name("Carte 4 Hélène")


@pytest.mark.parametrize("locale", ["en-GB", "fr-FR"])
def test_the_form_fits_a_phone_and_axe_finds_nothing(
    panel: HostedPanel, open_page: OpenPage, axe: str, locale: str
) -> None:
    user = open_page(panel, locale=locale, viewport=ViewportSize(width=360, height=740))
    give(user, 1, "Maximilian")
    namer(user, 1).click()
    expect(field(user)).to_have_value("Maximilian")
    width = user.page.evaluate(
        "document.querySelector('#new-name').scrollWidth"
        " - document.querySelector('#new-name').clientWidth"
    )
    assert width <= 0, "the longest name does not fit the field"
    assert user.page.evaluate("document.documentElement.scrollWidth") <= 360
    field(user).fill("1")
    user.page.keyboard.press("Enter")
    expect(form(user).get_by_role("alert")).not_to_be_empty()
    assert violations(user.page, axe) == []
