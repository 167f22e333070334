"""The F key at the page: its list by mouse, keyboard and finger, heard, and what comes of it."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import ViewportSize, expect

from hal.language import Language
from hal.view import Message, Tenant, Text
from tests.panel.conftest import OpenPage, StartPanel
from tests.panel.hands import Hands, listed, ranked, screen
from tests.panel.served import Served
from tests.panel.test_beside import rows

PAYER = {"1": Text.ALL, "2": Text.MORTGAGE, "3": Text.INTEREST, "5": Text.JAIL}
ALWAYS = {"9": Text.COUNT, "0": Text.GAME}


def history(hands: Hands) -> list[str]:
    """The lines beside the box, without their times."""
    return [re.sub(r"^\d\d:\d\d( [AP]M)? ", "", row) for row in rows(hands.unfold("history"))]


def begin_a_new_game(hands: Hands) -> None:
    games = hands.sounds.count("new-game")
    hands.hold("C")
    hands.until(lambda: hands.sounds.count("new-game") > games, "a new game")
    hands.let_go()


def test_the_list_shows_and_is_heard(hands: Hands) -> None:
    """F1, F2, F3: in place of the big field; a list in words names each digit."""
    hands.at_pace(0)
    hands.put(2, "right")
    hands.press("F")
    hands.until_shows(listed({**PAYER, **ALWAYS}, right=2))
    said = "1 ALL, 2 MORTGAGE, 3 INTEREST, 5 JAIL, 9 COUNT, 0 GAME"
    hands.until_said(said)
    expect(hands.page.locator("#glass")).to_have_accessible_name(said)
    hands.press("0")
    hands.until_said("1 NORMAL, 2 FAST, 3 CLOCK, 4 EDITION, 5 FORGET")
    hands.press("C")
    hands.until_said("15M")


def put_in(hands: Hands, way: str) -> None:
    """Card 2 into the right slot."""
    if way == "mouse":
        hands.drag(hands.rack(2), hands.slot("right"))
    elif way == "keyboard":
        hands.rack(2).focus()
        hands.page.keyboard.press("ArrowRight")
    else:
        hands.rack(2).tap()
        hands.slot("right").tap()
    hands.until_in("right", 2)


def press(hands: Hands, way: str, key: str) -> None:
    if way == "mouse":
        hands.key(key).click()
    elif way == "keyboard":
        hands.page.keyboard.press(key.lower())
    else:
        hands.key(key).tap()


@pytest.mark.parametrize("way", ["mouse", "keyboard", "touch"])
def test_a_fine_is_paid(panel: Served, open_page: OpenPage, way: str) -> None:
    """F4, F9: what will move shows first, and M moves it."""
    phone = {
        "viewport": ViewportSize(width=360, height=740),
        "device_scale_factor": 2,
        "has_touch": True,
        "is_mobile": True,
    }
    hands = open_page(panel, **(phone if way == "touch" else {}))
    hands.at_pace(0)
    put_in(hands, way)
    press(hands, way, "F")
    hands.until_shows(listed({**PAYER, **ALWAYS}, right=2))
    press(hands, way, "5")
    hands.until_shows(screen("500K", Message(Text.JAIL, lead="M ="), right=2))
    press(hands, way, "M")
    hands.until_shows(screen("14,5M", right=2))
    assert hands.sounds == ["card", "ok"]
    assert history(hands)[0] == "Card 2 pays the bank a fine of 500K"


def test_a_french_list_on_a_french_page(start_panel: StartPanel, open_page: OpenPage) -> None:
    """The box speaks its language, also to those who hear it; the page its own."""
    hands = open_page(start_panel("--language", "fr"), locale="fr-FR")
    hands.at_pace(0)
    hands.put(2, "right")
    hands.press("F")
    shown = listed({**PAYER, **ALWAYS}, right=2)._replace(language=Language.FRENCH)
    hands.until_shows(shown)
    hands.until_said("1 TOUT, 2 HYPOTH., 3 INTÉRÊTS, 5 PRISON, 9 DÉCOMPTE, 0 PARTIE")
    expect(hands.page.locator("#announce")).to_have_attribute("lang", "fr")
    expect(hands.key("F")).to_have_accessible_name("F, liste des autres tâches du banquier")
    hands.press("5M")
    hands.until_shows(screen("14,5M", right=2)._replace(language=Language.FRENCH))
    assert history(hands)[0] == "La carte 2 paie une amende de 500K à la banque"


def test_the_pot_of_the_house_and_what_moves_are_for(
    start_panel: StartPanel, open_page: OpenPage, tmp_path: Path
) -> None:
    """F5 to F10, F23, F24: the list has a second page, the pot an account, each move its words."""
    config = tmp_path / "house.toml"
    config.write_text("pot = true\n")
    panel = start_panel("--config", str(config))
    hands, french = open_page(panel), open_page(panel, locale="fr-FR")
    hands.at_pace(0)
    hands.put(2, "right")
    hands.press("FF")
    hands.until_shows(listed({**PAYER, **ALWAYS}, {"2": Text.POT}, page=1, right=2))
    hands.until_said("2 POT, F next page")
    hands.press("2")
    hands.press("1MM")
    hands.until_shows(screen("14M", right=2))
    accounts = hands.unfold("accounts")
    assert rows(accounts)[-2:] == ["Pot 1M", "Bank −90M"]
    hands.press("F5M")
    hands.press("F21MM")
    hands.press("F31MM")
    hands.put(3, "left")
    hands.press("F45MM")
    hands.press("F62MM")
    hands.press("F1M")
    hands.until_shows(screen("0", left=3, right=2))
    hands.take("right")
    hands.press("FF2M")
    hands.until_shows(screen("29,8M", left=3))
    assert history(hands)[:-1] == [
        "Card 3 wins the pot: 1,5M",
        "Card 2 is bankrupt; card 3 gets 11,8M",
        "Card 3 sells buildings back for 1M",
        "Card 2 pays card 3 500K for a utility",
        "Card 2 pays 100K interest on a mortgage",
        "Card 2 lifts a mortgage for 1,1M",
        "Card 2 pays the pot a fine of 500K",
        "Card 2 pays 1M tax into the pot",
    ]
    assert history(french)[:-1] == [
        "La carte 3 gagne la cagnotte : 1,5M",
        "La carte 2 fait faillite ; la carte 3 reçoit 11,8M",
        "La carte 3 revend des bâtiments pour 1M",
        "La carte 2 paie 500K à la carte 3 pour un service public",
        "La carte 2 paie 100K d’intérêts sur une hypothèque",
        "La carte 2 lève une hypothèque pour 1,1M",
        "La carte 2 paie une amende de 500K à la cagnotte",
        "La carte 2 verse une taxe de 1M à la cagnotte",
    ]
    assert rows(accounts)[1:3] == ["Card 2 out 0", "Card 3 29,8M"]


def test_who_is_out_and_who_has_won(hands: Hands) -> None:
    """F5, F15 to F17: on the glass, in words, and beside the box."""
    hands.at_pace(0)
    hands.put(1, "left")
    hands.put(2, "right")
    hands.press("F1M")
    hands.until_shows(screen("0", left=1, right=2))
    hands.take("right")
    hands.until_shows(screen("30M", left=1))
    hands.put(2, "right")
    hands.until_shows(screen("-----", Text.OUT, left=1, right=Tenant.REFUSED))
    hands.take("right")
    assert rows(hands.unfold("accounts"))[:3] == ["Card 1 30M", "Card 2 out 0", "Card 3 15M"]
    hands.press("F9")
    held: dict[int, str | Text] = {1: "30M", 3: "15M", 4: "15M", 5: "15M", 6: "15M", 2: Text.OUT}
    hands.until_shows(ranked(Message(Text.COUNT, lead="M ="), held, left=1))
    hands.until_said("1 30M, 3 15M, 4 15M, 5 15M, 6 15M, 2 OUT. M = COUNT")
    hands.press("M")
    hands.press("5M")
    hands.until_shows(screen("35M", Text.FINAL_COUNT, left=1))
    hands.take("left")
    hands.until_shows(ranked(Message(Text.WINNER, "1"), {1: "35M"}))
    hands.until_said("1 35M. WINNER 1")


def test_another_edition_and_back(hands: Hands) -> None:
    """F18, F20: the page follows with its cards, its name, its keys and the game's history."""
    hands.put(1, "left")
    hands.press("2M")
    hands.until_shows(screen("17M", left=1))
    hands.press("F044")
    hands.until_said("17M. NEXT europe")
    begin_a_new_game(hands)
    edition = hands.page.locator("#edition")
    expect(edition).to_have_text("europe edition")
    assert hands.cards() == [*range(1, 11)]
    expect(hands.rack(8)).to_have_accessible_name("Card 8")
    expect(hands.key("M")).to_have_accessible_name("M, the amount as typed")
    hands.until(lambda: history(hands) == ["The game opens: 6 cards have 1500 each"], "a new game")
    hands.press("F06M")
    expect(edition).to_have_text("banking edition")
    assert hands.cards() == [1, 2, 3, 4, 5, 6, 9, 10]
    hands.until(
        lambda: history(hands)[0] == "The bank pays card 1 2M", "the history of the game before"
    )
    assert len(history(hands)) == 2
    hands.until_shows(screen("17M", left=1))
    hands.press("1M")
    hands.until(lambda: len(history(hands)) == 3, "and it goes on")


def test_a_minute_is_told_once(hands: Hands) -> None:
    """F22: the glass says what is left, and so does its name; typing does not repeat it."""
    hands.press("F03")
    hands.press("90M")
    hands.until_said("-----. NEXT CLOCK 90")
    begin_a_new_game(hands)
    hands.at_pace(0)
    hands.put(1, "left")
    hands.until_said("card 1")
    said = hands.note_what_is_said()
    hands.press("12")
    hands.until_said("12")
    expect(hands.page.locator("#glass")).to_have_accessible_name("12. minutes left: 90")
    hands.until_shows(screen("12", left=1)._replace(minutes_left=90))
    hands.skip_a_minute()
    hands.until_said("asleep")
    hands.press("C")
    hands.until_said("15M")
    expect(hands.page.locator("#glass")).to_have_accessible_name("15M. minutes left: 89")
    assert said() == ["1", "12", "12. minutes left: 89", "asleep", "15M"]
