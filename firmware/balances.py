"""COUNT: who has how much, richest first, before the final count and after it (F15, F17)."""

from typing import NamedTuple

from firmware.desk import M_KEY, Desk, Do, Look, OpenCount, Outcome, Refuse
from firmware.ledger import Ledger
from hal.events import Key
from hal.view import Item, Message, Text


class Balances(NamedTuple):
    """All balances show; M opens the final count."""

    def press(self, key: Key, desk: Desk) -> Outcome:
        if key is not Key.MILLIONS:
            return Refuse(self)
        return Do(OpenCount()) if desk.ledger.players else Refuse(self, Message(Text.NO_CARD))

    def look(self, desk: Desk) -> Look:
        ledger = desk.ledger
        held = {number: ledger.balance(number) for number in ledger.cards}
        table = tuple(
            Item(str(number), Message(Text.OUT))
            if number in ledger.current.out
            else _worth(ledger, number, amount)
            for number, amount in _richest_first(held)
        )
        return Look(message=Message(Text.COUNT, lead=M_KEY), table=table)


def all_counted(ledger: Ledger) -> bool:
    """Whether the final count is over: every player has been counted."""
    players = ledger.players
    return bool(players) and all(ledger.current.is_counted(number) for number in players)


def ranking(ledger: Ledger) -> Look:
    """What everybody is worth, and who has won."""
    assert all_counted(ledger), "a count that is not over has no winner"
    worths = {number: ledger.current.worth(number) or 0 for number in ledger.players}
    ranked = _richest_first(worths)
    best = ranked[0][1]
    winners = " ".join(str(number) for number, worth in ranked if worth == best)
    table = tuple(_worth(ledger, number, worth) for number, worth in ranked)
    return Look(message=Message(Text.WINNER, winners), table=table)


def _richest_first(amounts: dict[int, int]) -> list[tuple[int, int]]:
    return sorted(amounts.items(), key=lambda pair: (-pair[1], pair[0]))


def _worth(ledger: Ledger, number: int, amount: int) -> Item:
    written = ledger.edition.units.write(amount).text
    return Item(str(number), Message(Text.WHOLE_AMOUNT, written))
