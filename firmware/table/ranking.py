"""Tables of cards and what they have, richest first: all balances, and who has won (F15, F17).

Tests: tests/scenarios.
"""

from firmware.bank.ledger import Ledger
from firmware.table.screen_body import ScreenBody
from hal.display.messages import Message, Text
from hal.display.view import Item


def balances(ledger: Ledger) -> tuple[Item, ...]:
    """All known cards with their balances."""
    held = {number: ledger.balance(number) for number in ledger.cards}
    return tuple(
        Item(str(number), Message(Text.OUT))
        if number in ledger.current.out
        else _row(ledger, number, amount)
        for number, amount in _richest_first(held)
    )


def winners(ledger: Ledger) -> ScreenBody:
    """All worths, and the winner."""
    assert ledger.all_counted, "a count that is not over has no winner"
    worths = {number: ledger.current.worth(number) or 0 for number in ledger.players}
    ranked = _richest_first(worths)
    best = ranked[0][1]
    numbers = " ".join(str(number) for number, worth in ranked if worth == best)
    table = tuple(_row(ledger, number, worth) for number, worth in ranked)
    return ScreenBody(message=Message(Text.WINNER, numbers), table=table)


def _richest_first(amounts: dict[int, int]) -> list[tuple[int, int]]:
    return sorted(amounts.items(), key=lambda pair: (-pair[1], pair[0]))


def _row(ledger: Ledger, number: int, amount: int) -> Item:
    written = ledger.edition.units.write(amount).text
    return Item(str(number), Message(Text.WHOLE_AMOUNT, written))
