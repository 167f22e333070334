"""The F key on the page: by mouse, keyboard and touch, its announcements and its results."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import ViewportSize, expect

from hal.display.messages import Language, Message, Text
from hal.display.view import Occupant, View
from tests.panel.conftest import OpenPage, StartPanel
from tests.panel.panels import HostedPanel
from tests.panel.test_side_panels import rows
from tests.panel.user import User, listed, ranked, screen

PAYER = {"1": Text.BANKRUPT, "2": Text.MORTGAGE, "3": Text.INTEREST, "5": Text.FINE}
ALWAYS = {"9": Text.COUNT, "0": Text.GAME}


def hold_m(user: User, until: View) -> None:
    """Hold M until something shows."""
    user.hold("M")
    user.until_shows(until)
    user.release()


def history(user: User) -> list[str]:
    """The history without its times."""
    return [re.sub(r"^\d\d:\d\d( [AP]M)? ", "", row) for row in rows(user.unfold("history"))]


def begin_a_new_game(user: User) -> None:
    games = user.sounds.count("new-game")
    user.hold("C")
    user.until(lambda: user.sounds.count("new-game") > games, "a new game")
    user.release()


def test_the_list_shows_and_is_announced(user: User) -> None:
    """F1, F2, F3: in place of the big field; the announcement has each digit."""
    user.set_pace(0)
    user.put(2, "right")
    user.press("F")
    user.until_shows(listed({**PAYER, **ALWAYS}, right=2))
    announced = "1 BANKRUPT, 2 MORTGAGE, 3 INTEREST, 5 FINE, 9 COUNT, 0 GAME"
    user.until_announced(announced)
    expect(user.page.locator("#screen")).to_have_accessible_name(announced)
    user.press("0")
    user.until_announced("1 NORMAL, 2 FAST, 3 CLOCK, 4 EDITION, 5 FORGET")
    user.press("C")
    user.until_announced("15M")


def put_in(user: User, method: str) -> None:
    """Card 2 into the right slot."""
    if method == "mouse":
        user.drag(user.rack(2), user.slot("right"))
    elif method == "keyboard":
        user.rack(2).focus()
        user.page.keyboard.press("Enter")
        user.page.keyboard.press("ArrowRight")
    else:
        user.rack(2).tap()
        user.slot("right").tap()
    user.until_in("right", 2)


def press(user: User, method: str, key: str) -> None:
    if method == "mouse":
        user.key(key).click()
    elif method == "keyboard":
        user.page.keyboard.press(key.lower())
    else:
        user.key(key).tap()


@pytest.mark.parametrize("method", ["mouse", "keyboard", "touch"])
def test_a_fine_is_paid(panel: HostedPanel, open_page: OpenPage, method: str) -> None:
    """F4, F9: the amount shows first, and M confirms it."""
    phone = {
        "viewport": ViewportSize(width=360, height=740),
        "device_scale_factor": 2,
        "has_touch": True,
        "is_mobile": True,
    }
    user = open_page(panel, **(phone if method == "touch" else {}))
    user.set_pace(0)
    put_in(user, method)
    press(user, method, "F")
    user.until_shows(listed({**PAYER, **ALWAYS}, right=2))
    press(user, method, "5")
    asked = Message(Text.FINE, ask=Text.PRESS_M)
    user.until_shows(screen("500K", asked, right=2, status="2>B"))
    press(user, method, "M")
    user.until_shows(screen("14,5M", right=2))
    user.until(lambda: user.sounds == ["card", "ok"], "the sound of the move")
    assert history(user)[0] == "Card 2 pays a fine of 500K to the bank"


def test_a_french_list_on_a_french_page(start_panel: StartPanel, open_page: OpenPage) -> None:
    """Announcements are in the box's language, the page in the browser's."""
    user = open_page(start_panel("--language", "fr"), locale="fr-FR")
    user.set_pace(0)
    user.put(2, "right")
    user.press("F")
    shown = listed({**PAYER, **ALWAYS}, right=2)._replace(language=Language.FRENCH)
    user.until_shows(shown)
    user.until_announced("1 FAILLITE, 2 HYPOTH., 3 INTÉRÊTS, 5 AMENDE, 9 DÉCOMPTE, 0 PARTIE")
    expect(user.page.locator("#announce")).to_have_attribute("lang", "fr")
    expect(user.key("F")).to_have_accessible_name("F, liste des autres tâches du banquier")
    user.press("5M")
    user.until_shows(screen("14,5M", right=2)._replace(language=Language.FRENCH))
    assert history(user)[0] == "La carte 2 paie une amende de 500K à la banque"


def test_the_pot_and_the_purposes_of_moves(
    start_panel: StartPanel, open_page: OpenPage, tmp_path: Path
) -> None:
    """F5 to F10, F23, F24: a second page, an account for the pot, a text for each purpose."""
    config = tmp_path / "house.toml"
    config.write_text("pot = true\n")
    panel = start_panel("--config", str(config))
    user, french = open_page(panel), open_page(panel, locale="fr-FR")
    user.set_pace(0)
    user.put(2, "right")
    user.press("FF")
    user.until_shows(listed({**PAYER, **ALWAYS}, {"2": Text.POT}, page=1, right=2))
    user.until_announced("2 POT, F next page")
    user.press("2")
    user.press("1MM")
    user.until_shows(screen("14M", right=2))
    accounts = user.unfold("accounts")
    assert rows(accounts)[-2:] == ["Pot 1M", "Bank −90M"]
    user.press("F5M")
    user.press("F21MM")
    user.press("F31MM")
    user.put(3, "left")
    user.press("F45MM")
    user.press("F62MM")
    user.press("F1")
    hold_m(user, screen("0", Message(Text.WINNER, "3"), left=3, right=2, status="2>3 11,8M"))
    user.take("right")
    user.press("FF2M")
    user.until_shows(screen("29,8M", left=3, status="P>3 1,5M"))
    user.take("left")
    user.press("FF22MM")
    user.until_shows(screen(status="B>P 2M"))
    assert history(user)[:-1] == [
        "The bank pays 2M into the pot",
        "Card 3 wins the pot: 1,5M",
        "Card 2 is bankrupt; 11,8M goes to card 3",
        "Card 3 sells buildings back for 1M",
        "Card 2 pays 500K to card 3 for a utility",
        "Card 2 pays 100K interest on a mortgage",
        "Card 2 lifts a mortgage for 1,1M",
        "Card 2 pays a fine of 500K to the pot",
        "Card 2 pays 1M tax into the pot",
    ]
    assert history(french)[:-1] == [
        "La banque verse 2M à la cagnotte",
        "La carte 3 gagne la cagnotte : 1,5M",
        "La carte 2 fait faillite ; la carte 3 reçoit 11,8M",
        "La carte 3 revend des bâtiments pour 1M",
        "La carte 2 paie 500K à la carte 3 pour un service public",
        "La carte 2 paie 100K d’intérêts sur une hypothèque",
        "La carte 2 lève une hypothèque pour 1,1M",
        "La carte 2 paie une amende de 500K à la cagnotte",
        "La carte 2 verse une taxe de 1M à la cagnotte",
    ]
    assert rows(accounts)[1:3] == ["Card 2 OUT 0", "Card 3 WINNER 29,8M"]


def test_bankruptcy_and_the_winner(user: User) -> None:
    """F5, F15 to F17: on the screen, announced, and beside the box."""
    user.set_pace(0)
    user.put(1, "left")
    user.put(2, "right")
    user.press("F1")
    winner = Message(Text.WINNER, "1")
    hold_m(user, screen("0", winner, left=1, right=2, status="2>1 15M"))
    user.take("right")
    user.until_shows(screen("30M", left=1))
    user.put(2, "right")
    user.until_shows(screen("-----", Text.OUT, left=1, right=Occupant.REFUSED))
    user.take("right")
    accounts = user.unfold("accounts")
    assert rows(accounts)[:3] == ["Card 1 WINNER 30M", "Card 2 OUT 0", "Card 3 15M"]
    user.press("F9")
    held: dict[int, str | Text] = {1: "30M", 3: "15M", 4: "15M", 5: "15M", 6: "15M", 2: Text.OUT}
    user.until_shows(ranked(Message(Text.COUNT, ask=Text.PRESS_M), held, left=1))
    user.until_announced("1 30M, 3 15M, 4 15M, 5 15M, 6 15M, 2 OUT. COUNT? M")
    user.press("M")
    user.press("5M")
    user.until_shows(screen("35M", Text.FINAL_COUNT, left=1))
    user.take("left")
    worths: dict[int, str | Text] = {1: "35M", 2: Text.OUT}
    user.until_shows(ranked(Message(Text.WINNER, "1"), worths, status="COUNT"))
    user.until_announced("1 35M, 2 OUT. WINNER 1")
    assert rows(accounts)[:3] == ["Card 1 WINNER 30M worth 35M", "Card 2 OUT 0", "Card 3 15M"]


def test_another_edition_and_back(user: User) -> None:
    """F18, F20: the page's cards, edition, keys and history change too."""
    user.put(1, "left")
    user.press("2M")
    user.until_shows(screen("17M", left=1))
    user.press("F044")
    user.until_announced("17M. NEXT europe")
    begin_a_new_game(user)
    edition = user.page.locator("#edition")
    expect(edition).to_have_text("europe edition")
    assert user.cards() == [*range(1, 11)]
    expect(user.rack(8)).to_have_accessible_name("Card 8")
    expect(user.key("M")).to_have_accessible_name("M, the amount as typed")
    user.until(lambda: history(user) == ["The game opens: 6 cards have 1500 each"], "a new game")
    user.press("F06M")
    expect(edition).to_have_text("banking edition")
    assert user.cards() == [1, 2, 3, 4, 5, 6, 9, 10]
    user.until(
        lambda: history(user)[0] == "The bank pays 2M to card 1", "the previous game's history"
    )
    assert len(history(user)) == 2
    user.until_shows(screen("17M", left=1))
    user.press("1M")
    user.until(lambda: len(history(user)) == 3, "one more entry")


def test_a_minute_is_announced_once(user: User) -> None:
    """F22: the screen's name has the minutes left; typing does not repeat the announcement."""
    user.press("F03")
    user.press("90M")
    user.until_announced("-----. NEXT GAME 90 MIN")
    begin_a_new_game(user)
    user.set_pace(0)
    user.put(1, "left")
    user.until_announced("card 1")
    announcements = user.record_announcements()
    user.press("12")
    user.until_announced("12")
    expect(user.page.locator("#screen")).to_have_accessible_name("12. minutes left: 90")
    user.until_shows(screen("12", left=1)._replace(minutes_left=90))
    user.skip_minute()
    user.until_announced("asleep")
    user.press("C")
    user.until_announced("15M. NOT DONE")
    name = "15M. NOT DONE. minutes left: 89"
    expect(user.page.locator("#screen")).to_have_accessible_name(name)
    assert announcements() == ["1", "12", "12. minutes left: 89", "asleep", "15M. NOT DONE"]
