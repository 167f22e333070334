"""A game to report on."""

import pytest

from firmware.bank import edition as editions
from firmware.bank.purposes import Purpose
from firmware.reports.report import Report
from tests.unit.firmware.reports.played_games import Table


@pytest.fixture
def evening() -> Report:
    """Eight players; one is out."""
    europe = editions.load("europe")
    table = Table(cards=8, edition=europe)
    for round_ in range(6):
        for card in range(1, 9):
            amount = 10 * card + round_
            table.ledger.move(card, card % 8 + 1, amount, Purpose.ENTRY)
    table.ruin(5, 6)
    table.ledger.open_count()
    for card in table.ledger.players:
        table.ledger.count(card, 100 * card)
    return table.report()
