"""Tables of cards and what they have, richest first: all balances, and who has won (F15, F17).

Tests: tests/scenarios/f15-*.box, tests/scenarios/f17-*.box.
"""

from firmware.bank.ledger import Ledger
from hal.display.messages import Message, Text
from hal.display.view import Item


def balances(ledger: Ledger) -> tuple[Item, ...]:
    """All known cards with their balances."""
    held = {number: ledger.balance(number) for number in ledger.cards}
    return tuple(
        _out(number) if number in ledger.current.out else _row(ledger, number, amount)
        for number, amount in _richest_first(held)
    )


def worths(ledger: Ledger) -> tuple[Item, ...]:
    """The worths of all players, then the bankrupt ones."""
    table = [_row(ledger, number, worth) for number, worth in _ranked(ledger)]
    table += [_out(number) for number in ledger.cards if number in ledger.current.out]
    return tuple(table)


def winner(ledger: Ledger) -> Message:
    """Who has won; several players if they are equal."""
    ranked = _ranked(ledger)
    best = ranked[0][1]
    return Message(Text.WINNER, " ".join(str(number) for number, worth in ranked if worth == best))


def _ranked(ledger: Ledger) -> list[tuple[int, int]]:
    """The players and their worths; one who was not counted is worth what the card holds."""
    players = ledger.players
    return _richest_first({n: ledger.balance(n) + ledger.current.added(n) for n in players})


def _richest_first(amounts: dict[int, int]) -> list[tuple[int, int]]:
    return sorted(amounts.items(), key=lambda pair: (-pair[1], pair[0]))


def _out(number: int) -> Item:
    return Item(str(number), Message(Text.OUT))


def _row(ledger: Ledger, number: int, amount: int) -> Item:
    written = ledger.edition.units.write(amount).text
    return Item(str(number), Message(Text.WHOLE_AMOUNT, written))
