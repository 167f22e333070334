"""A report as text."""

import pytest

from firmware.bank import edition as editions
from firmware.bank.purposes import Purpose
from firmware.bank.records import BANK
from tests.unit.firmware.reports.played_games import Table, text


def test_the_text() -> None:
    table = Table(cards=3)
    table.pay(1, 2, 5)
    table.pay(BANK, 1, 10)
    table.pay(2, BANK, 20)
    table.count(card1=1, card2=2)
    lines = text(table.report()).split("\n")
    assert lines[0] == "Game 1: edition banking, normal"
    assert lines[2].startswith("begun        1970-01-01 ")
    assert lines[3].startswith("last played  1970-01-01 ")
    assert lines[5:10] == [
        "Ranking by the final count",
        "  place  card  balance  final count  result",
        "  1         1      20M          21M  WINNER",
        "  2         2        0           2M",
        "Card 1 has won the final count.",
    ]
    assert lines[-2:] == ["", "Never played, and left out: 1 card."]


def test_the_text_marks_the_last_player_and_the_bankrupt_ones() -> None:
    table = Table(cards=3)
    table.pay(2, BANK, 1)
    table.undo()
    table.ruin(1, 3)
    assert "  place  card  balance" in text(table.report()).split("\n")
    table.ruin(2, 3)
    lines = text(table.report()).split("\n")
    assert lines[5:11] == [
        "Ranking by balance",
        "  place  card  balance  result",
        "  1         3      45M  WINNER",
        "  OUT       2        0",
        "  OUT       1        0",
        "Card 3 has won: everybody else is out.",
    ]


def test_the_chart_in_text() -> None:
    table = Table(cards=2)
    table.pay(1, 2, 5)
    table.pay(BANK, 1, 10)
    table.pay(2, BANK, 20)
    lines = text(table.report()).split("\n")
    top = next(index for index, line in enumerate(lines) if line.startswith("20M +"))
    plot = [line[5:65].ljust(60) for line in lines[top : top + 18]]
    # Four quarters, the start and after each of three moves; equal balances alternate.
    assert plot[0] == " " * 15 + "2" * 15 + "121212121212121" + "1" * 15
    assert plot[4] == "121212121212121" + " " * 15 + ":" + " " * 14 + ":" + " " * 14
    assert plot[6] == " " * 15 + ":" + " " * 14 + ":" + " " * 14 + ":" + " " * 14
    assert plot[8] == " " * 15 + "1" * 15 + " " * 15 + ":" + " " * 14
    assert plot[16] == " " * 45 + ":" + " " * 14
    assert plot[17] == " " * 45 + "2" * 15
    assert lines[top + 17].startswith("  0 +")
    assert [lines[top][65:], lines[top + 17][65:]] == [" 1", " 2"]
    assert lines[top + 19].split() == ["start", "3", "moves"]


@pytest.mark.parametrize("edition", editions.names())
@pytest.mark.parametrize("moves", [1, 59, 60, 61, 700])
def test_the_text_is_plain_and_fits_a_terminal(edition: str, moves: int) -> None:
    played = editions.load(edition)
    table = Table(cards=played.cards, edition=played)
    for number in table.ledger.cards:
        table.ledger.reverse(table.ledger.move(number, BANK, played.step, Purpose.ENTRY))
    table.ledger.move(BANK, 1, played.fullest - played.opening_balance, Purpose.ENTRY)
    for move in range(moves):
        payer = move % played.cards + 1
        amount = min(table.ledger.balance(payer), played.step * 17)
        payee = payer % played.cards + 1
        if payee != 1 and amount:
            table.ledger.move(payer, payee, amount, Purpose.ENTRY)
    for ended in (False, True):
        if ended:
            table.ledger.new_game(played)
        written = text(table.report(1))
        assert written.isascii()
        assert max(map(len, written.split("\n"))) <= 80
    everybody = [player._replace(place=1) for player in table.report(1).players]
    crowd = table.report(1)._replace(players=tuple(everybody))
    assert max(map(len, text(crowd).split("\n"))) <= 80
