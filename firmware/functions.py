"""What the F key does: each entry of its list, when it is offered, and what it opens.

An entry keeps its page and its digit always, so that fingers learn it (F1). Numbers in
brackets are the rules of docs/rules.md.
"""

from collections.abc import Callable
from typing import NamedTuple

from firmware import figures
from firmware.asking import AskAmount, AskNumber, Confirm
from firmware.balances import Balances
from firmware.desk import Desk, Look, Opened, Outcome, Pay, Refuse, Show, not_for_this
from firmware.edition import Edition
from firmware.game_menu import GameMenu
from firmware.history import History
from firmware.records import BANK, POT, Purpose
from hal.events import Key
from hal.view import Item, Menu, Message, Text


class Function(NamedTuple):
    """One entry of the list."""

    name: Text
    offered: Callable[[Desk], bool]
    open: Callable[[Desk], Opened]
    moves_money: bool = True
    """So it would end the final count, in which the next entry is a deed and no payment."""


class FunctionList(NamedTuple):
    """The list itself, one page of it."""

    page: int = 0

    def press(self, key: Key, desk: Desk) -> Outcome:
        chosen = offered(desk)[self.page].get(key)
        return not_for_this(self, key) if chosen is None else Show(chosen.open(desk))

    def turned(self, desk: Desk) -> "FunctionList":
        """The next page that has something on it."""
        return FunctionList((self.page + 1) % len(offered(desk)))

    def look(self, desk: Desk) -> Look:
        pages = tuple(
            tuple(Item(key.value, Message(function.name)) for key, function in page.items())
            for page in offered(desk)
        )
        return Look(menu=Menu(pages, self.page))


def offered(desk: Desk) -> list[dict[Key, Function]]:
    """What is possible now, page by page (F3)."""
    counting = desk.ledger.current.counting
    possible = [
        {
            key: function
            for key, function in page.items()
            if function.offered(desk) and not (counting and function.moves_money)
        }
        for page in PAGES
    ]
    return [page for page in possible if page]


# When


def _always(desk: Desk) -> bool:
    del desk
    return True


def _payer(desk: Desk) -> bool:
    return desk.right is not None


def _solvent(desk: Desk) -> bool:
    return desk.right is not None and desk.right not in desk.ledger.current.out


def _payee(desk: Desk) -> bool:
    return desk.left is not None


def _both(desk: Desk) -> bool:
    return _payer(desk) and _payee(desk)


def _fights(desk: Desk) -> bool:
    return _both(desk) and desk.edition.fight_lost_factor is not None


def _something_to_repeat(desk: Desk) -> bool:
    return (_payer(desk) or _payee(desk)) and desk.ledger.current.last_amount is not None


def _moves(desk: Desk) -> bool:
    return bool(desk.ledger.moves)


def _known_cards(desk: Desk) -> bool:
    return bool(desk.ledger.cards)


def _pot(desk: Desk) -> bool:
    return desk.house.pot and (_pot_is_won(desk) or (_payer(desk) and not _payee(desk)))


def _pot_is_won(desk: Desk) -> bool:
    return _payee(desk) and desk.ledger.balance(POT) > 0


# What


def _from_right(desk: Desk, payee: int, amount: int, purpose: Purpose) -> Pay:
    return Pay(desk.right or BANK, payee, amount, purpose)


def _all(desk: Desk) -> Opened:
    """All that a bankrupt player has (F5)."""
    payer = desk.right or BANK
    everything = desk.ledger.balance(payer)
    return Confirm(Text.ALL, Pay(payer, desk.left or BANK, everything, Purpose.BANKRUPTCY))


def _to_bank(
    name: Text, figure: Callable[[Edition, int], int], purpose: Purpose
) -> Callable[[Desk], Opened]:
    """The right card pays the bank what a mortgage's value comes to (F6, F7)."""

    def pay(desk: Desk, value: int) -> Pay:
        return _from_right(desk, BANK, figure(desk.edition, value), purpose)

    return lambda _: AskAmount(name, pay)


def _utility(desk: Desk) -> Opened:
    """A utility's rent: the dice, then K for one or M for both (F8)."""
    del desk
    return AskNumber(Text.UTILITY, _utility_rent, units=(Key.THOUSANDS, Key.MILLIONS))


def _utility_rent(desk: Desk, dice: int | None, unit: Key, again: Opened) -> Outcome:
    least, most = figures.dice_range(desk.edition)
    if dice is None or not least <= dice <= most:
        return Refuse(again, Message(Text.DICE, f"{least}-{most}"))
    rent = figures.utility_rent(desk.edition, dice, both=unit is Key.MILLIONS)
    pay = _from_right(desk, desk.left or BANK, rent, Purpose.RENT)
    return Show(Confirm(Text.UTILITY, pay, again))


def _jail(desk: Desk) -> Opened:
    """The fine, to the pot where that is the house rule (F9, F23)."""
    to_pot = desk.house.pot and desk.left is None
    fine = desk.edition.jail_fine
    return Confirm(Text.JAIL, _from_right(desk, POT if to_pot else BANK, fine, Purpose.FINE))


def _half(desk: Desk) -> Opened:
    """Houses and hotels are sold back (F10)."""
    del desk
    return AskAmount(
        Text.HALF,
        lambda desk, price: Pay(BANK, desk.left or BANK, figures.half(price), Purpose.SALE),
    )


def _again(desk: Desk) -> Opened:
    """The last amount, with the cards that are in now (F11)."""
    amount = desk.ledger.current.last_amount
    assert amount, "there was nothing to repeat"
    pay = Pay(desk.right or BANK, desk.left or BANK, amount, Purpose.ENTRY)
    return Confirm(Text.AGAIN, pay)


def _fight_lost(desk: Desk) -> Opened:
    """The rent, so many times (F12)."""
    del desk
    return AskAmount(
        Text.FIGHT_LOST,
        lambda desk, rent: _from_right(
            desk, desk.left or BANK, figures.fight_lost(desk.edition, rent), Purpose.FIGHT
        ),
    )


def _pot_opened(desk: Desk) -> Opened:
    """Out of the pot for the left card, else into it from the right (F23)."""
    if _pot_is_won(desk):
        pay = Pay(POT, desk.left or BANK, desk.ledger.balance(POT), Purpose.POT)
        return Confirm(Text.POT, pay)
    return AskAmount(Text.POT, lambda desk, tax: _from_right(desk, POT, tax, Purpose.TAX))


def _history(desk: Desk) -> Opened:
    return History.newest(desk)


def _balances(desk: Desk) -> Opened:
    del desk
    return Balances()


def _game(desk: Desk) -> Opened:
    del desk
    return GameMenu()


PAGES: tuple[dict[Key, Function], ...] = (
    {
        Key.ONE: Function(Text.ALL, _solvent, _all),
        Key.TWO: Function(
            Text.MORTGAGE, _payer, _to_bank(Text.MORTGAGE, figures.lifting, Purpose.MORTGAGE)
        ),
        Key.THREE: Function(
            Text.INTEREST, _payer, _to_bank(Text.INTEREST, figures.interest, Purpose.INTEREST)
        ),
        Key.FOUR: Function(Text.UTILITY, _both, _utility),
        Key.FIVE: Function(Text.JAIL, _payer, _jail),
        Key.SIX: Function(Text.HALF, _payee, _half),
        Key.SEVEN: Function(Text.AGAIN, _something_to_repeat, _again),
        Key.EIGHT: Function(Text.HISTORY, _moves, _history, moves_money=False),
        Key.NINE: Function(Text.COUNT, _known_cards, _balances, moves_money=False),
        Key.ZERO: Function(Text.GAME, _always, _game, moves_money=False),
    },
    {
        Key.ONE: Function(Text.FIGHT_LOST, _fights, _fight_lost),
        Key.TWO: Function(Text.POT, _pot, _pot_opened),
    },
)
