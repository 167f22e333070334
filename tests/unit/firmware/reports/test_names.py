"""The names of cards in a report (N6): whose they are, and that they fit and do no harm."""

import re

import pytest

from firmware.bank import edition as editions
from firmware.bank.names import LONGEST_NAME
from firmware.bank.purposes import Purpose
from firmware.bank.records import BANK
from firmware.reports import page as report_page
from firmware.reports.report import Report
from tests.unit.firmware.reports.played_games import BANKING, Page, Table, text

LONGEST = "Maximilian"
assert len(LONGEST) == LONGEST_NAME


def named(**names: str) -> Table:
    """A table where card 1 paid card 2 three millions; card 3 has no name."""
    table = Table(cards=3)
    for card, name in names.items():
        table.ledger.name(int(card.removeprefix("card")), name)
    table.pay(1, 2, 3)
    table.pay(3, BANK, 1)
    return table


def names_in_ranking(report: Report) -> dict[int, str]:
    return {player.number: player.name for player in report.players}


def sentences(report: Report) -> list[str]:
    return [report.sentence(move.posting) for move in report.moves if move.step]


def test_names_stand_beside_the_numbers_in_the_text() -> None:
    report = named(card1="Ana", card2="Zoë").report()
    lines = text(report).split("\n")
    assert lines[5:11] == [
        "Ranking by balance",
        "  place  card  name  balance",
        "  1         2  Zoë       18M",
        "  2         3            14M",
        "  3         1  Ana       12M",
        "Card 2 (Zoë) has the most money so far.",
    ]
    assert sentences(report) == [
        "Card 1 (Ana) pays 3M to card 2 (Zoë)",
        "Card 3 pays 1M to the bank",
    ]


def test_names_stand_beside_the_numbers_on_the_page() -> None:
    written = report_page.page(named(card1="Ana", card2="Zoë").report())
    page = Page(written)
    ranking = written.split("<tbody>")[1].split("</tbody>")[0]
    rows = [re.sub("<[^>]+>", "|", row) for row in re.findall("<tr.*</tr>", ranking)]
    assert [[cell for cell in row.split("|") if cell] for row in rows] == [
        ["1", "2", "Zoë", "18M"],
        ["2", "3", "14M"],
        ["3", "1", "Ana", "12M"],
    ]
    assert "Card 2 (Zoë) has the most money so far." in page.words["p"]
    assert "Card 1 (Ana) pays 3M to card 2 (Zoë)" in page.words["td"]
    assert page.all("span", **{"class": "name"})
    assert "Card 1 (Ana) begins with 15M, ends with 12M." in page.words["desc"][0]


def test_a_report_without_names_has_no_column_for_them() -> None:
    report = named().report()
    assert "name" not in report.ranking[0]
    assert not Page(report_page.page(report)).all("table", **{"class": "named"})


def test_several_winners_have_their_names() -> None:
    table = named(card1="Ana")
    table.count(card1=6, card2=0, card3=0)
    assert table.report().verdict == "Cards 1 (Ana) and 2 have won the final count."


def test_a_forgotten_card_has_no_name_in_the_report() -> None:
    """Neither its own, nor that of the card that has its number now."""
    table = named(card1="Ana", card2="Ben")
    table.ledger.forget(2)
    assert names_in_ranking(table.report()) == {3: "", 1: "Ana", 2: ""}
    table.ledger.admit(b"\x09" * 4)
    table.ledger.name(2, "Eva")
    table.pay(1, 2, 1)
    report = table.report()
    assert names_in_ranking(report) == {2: "Eva", 3: "", 1: "Ana"}
    assert sentences(report) == [
        "Card 1 (Ana) pays 3M to card 2",
        "Card 3 pays 1M to the bank",
        "Card 2 is forgotten; 18M goes back to the bank",
        "Card 1 (Ana) pays 1M to card 2 (Eva)",
    ]


def test_a_card_that_was_forgotten_later_has_no_name_in_an_old_game() -> None:
    table = named(card1="Ana", card2="Ben")
    table.ledger.new_game(BANKING)
    table.pay(1, 2, 1)
    table.ledger.forget(2)
    table.ledger.admit(b"\x09" * 4)
    table.ledger.name(2, "Eva")
    table.pay(2, 1, 1)
    assert names_in_ranking(table.report(1)) == {2: "", 3: "", 1: "Ana"}
    assert sentences(table.report(1))[0] == "Card 1 (Ana) pays 3M to card 2"
    assert names_in_ranking(table.report(2)) == {1: "Ana", 2: "Eva"}
    # Eva plays the old game on, with the account of that number (F19, F20).
    table.ledger.go_back()
    table.pay(2, 1, 1)
    assert names_in_ranking(table.report(1)) == {2: "Eva", 3: "", 1: "Ana"}
    assert sentences(table.report(1))[0] == "Card 1 (Ana) pays 3M to card 2"
    assert sentences(table.report(1))[-1] == "Card 2 (Eva) pays 1M to card 1 (Ana)"


def test_a_restored_card_has_its_name_in_every_game() -> None:
    table = named(card1="Ana", card2="Ben")
    before = sentences(table.report())
    table.ledger.restore(table.ledger.forget(2))
    assert names_in_ranking(table.report()) == {2: "Ben", 3: "", 1: "Ana"}
    assert sentences(table.report())[: len(before)] == before


def test_a_name_is_never_markup() -> None:
    """No box accepts such a name; a file may contain it."""
    report = named(card1="Ana").report()
    hostile = "<b>&\x1b[2J"
    names = report.names._replace(by_number={1: hostile})
    players = tuple(
        player._replace(name="<b>&" if player.number == 1 else "") for player in report.players
    )
    forged = report._replace(names=names, players=players)
    page = Page(report_page.page(forged))
    assert "Card 1 (<b>& [2J) pays 3M to card 2" in page.words["td"]
    assert page.words["span"].count("<b>&") == 1, "in the head of the moves"
    assert "<b>&" in page.words["td"], "in the ranking"


def test_control_characters_are_removed() -> None:
    table = named(card1="Ana")
    table.ledger.name(2, "\x1b[2J")
    written = text(table.report())
    assert "\x1b" not in written
    assert " [2J" in written


@pytest.mark.parametrize("edition", editions.names())
def test_the_longest_names_fit_a_terminal(edition: str) -> None:
    played = editions.load(edition)
    table = Table(cards=played.cards, edition=played)
    for number in table.ledger.cards:
        table.ledger.name(number, LONGEST)
        table.ledger.move(BANK, number, played.step, Purpose.ENTRY)
    for number in (1, 2):
        table.ruin(number)
    table.ledger.open_count()
    for number in table.ledger.players:
        table.ledger.count(number, 123_456 * played.step)
    table.ledger.forget(3)
    report = table.report()
    assert len(report.winners) == played.cards - 3
    assert max(map(len, text(report).split("\n"))) <= 80
    assert LONGEST in text(report)
