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
        _out(number) if number in ledger.current.out else _row(ledger, number, amount)
        for number, amount in _richest_first(held)
    )


def winners(ledger: Ledger) -> ScreenBody:
    """All worths, the winner, and the bankrupt players last.

    A player who was not counted is worth what the card holds.
    """
    game = ledger.current
    worths = {number: ledger.balance(number) + game.added(number) for number in ledger.players}
    ranked = _richest_first(worths)
    best = ranked[0][1]
    numbers = " ".join(str(number) for number, worth in ranked if worth == best)
    table = [_row(ledger, number, worth) for number, worth in ranked]
    table += [_out(number) for number in ledger.cards if number in game.out]
    return ScreenBody(message=Message(Text.WINNER, numbers), table=tuple(table))


def _richest_first(amounts: dict[int, int]) -> list[tuple[int, int]]:
    return sorted(amounts.items(), key=lambda pair: (-pair[1], pair[0]))


def _out(number: int) -> Item:
    return Item(str(number), Message(Text.OUT))


def _row(ledger: Ledger, number: int, amount: int) -> Item:
    written = ledger.edition.units.write(amount).text
    return Item(str(number), Message(Text.WHOLE_AMOUNT, written))
