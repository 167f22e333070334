"""The entries of F's list: when each is offered, and what it opens.

An entry always keeps its page and digit, so that fingers learn it (F1). Numbers in brackets are
the rules of docs/rules.md.

Tests: tests/scenarios.
"""

from collections.abc import Callable, Sized
from functools import partial
from typing import NamedTuple

from firmware.bank import calculations
from firmware.bank.edition import Edition
from firmware.bank.purposes import Purpose
from firmware.bank.records import BANK, POT
from firmware.table.menu.count import BalanceTable
from firmware.table.menu.game_menu import GameMenu
from firmware.table.menu.history import History
from firmware.table.menu.menu import (
    LIST,
    MenuContext,
    Nature,
    Outcome,
    Question,
    Refuse,
    Show,
    refuse_or_close,
)
from firmware.table.menu.questions import AskAmount, AskNumber, Confirm
from firmware.table.payment import Pay
from firmware.table.screen_body import ScreenBody
from hal.display.messages import Message, Text
from hal.display.view import Item, Menu
from hal.events import Key


class MenuEntry(NamedTuple):
    """One entry of the list."""

    name: Text
    offered: Callable[[MenuContext], bool]
    open: Callable[[MenuContext], Question]
    moves_money: bool = True
    """Whether it is left out while the final count is open."""


class EntryList(NamedTuple):
    """One page of the list."""

    page: int = 0

    @property
    def nature(self) -> Nature:
        return LIST

    def press(self, key: Key, context: MenuContext) -> Outcome:
        pages = offered(context)
        chosen = pages[self._shown(pages)].get(key)
        return refuse_or_close(self, key) if chosen is None else Show(chosen.open(context))

    def turned(self, context: MenuContext) -> "EntryList":
        """The next page that has something on it."""
        pages = offered(context)
        return EntryList((self._shown(pages) + 1) % len(pages))

    def _shown(self, pages: Sized) -> int:
        return self.page if self.page < len(pages) else 0

    def kept(self, context: MenuContext) -> "EntryList":
        """After a card has moved: the same page, or the first if it no longer exists (N3)."""
        return EntryList(self._shown(offered(context)))

    def look(self, context: MenuContext) -> ScreenBody:
        pages = tuple(
            tuple(Item(key.value, Message(function.name)) for key, function in page.items())
            for page in offered(context)
        )
        return ScreenBody(menu=Menu(pages, self._shown(pages)))


def offered(context: MenuContext) -> list[dict[Key, MenuEntry]]:
    """What is possible now, page by page (F3)."""
    counting = context.ledger.current.counting
    possible = [
        {
            key: function
            for key, function in page.items()
            if function.offered(context) and not (counting and function.moves_money)
        }
        for page in PAGES
    ]
    return [page for page in possible if page]


# When an entry is offered


def _always(context: MenuContext) -> bool:
    del context
    return True


def _payer(context: MenuContext) -> bool:
    return context.right is not None


def _solvent(context: MenuContext) -> bool:
    return context.right is not None and context.right not in context.ledger.current.out


def _payee(context: MenuContext) -> bool:
    return context.left is not None


def _both(context: MenuContext) -> bool:
    return _payer(context) and _payee(context)


def _fights(context: MenuContext) -> bool:
    return _both(context) and context.edition.fight_lost_factor is not None


def _something_to_repeat(context: MenuContext) -> bool:
    return (_payer(context) or _payee(context)) and context.ledger.current.last_amount is not None


def _moves(context: MenuContext) -> bool:
    return bool(context.ledger.history)


def _known_cards(context: MenuContext) -> bool:
    return bool(context.ledger.cards)


def _pot(context: MenuContext) -> bool:
    return context.house.pot and (_pot_is_won(context) or not _payee(context))


def _pot_is_won(context: MenuContext) -> bool:
    return _payee(context) and context.ledger.balance(POT) > 0


# What an entry opens


def _from_right(context: MenuContext, payee: int, purpose: Purpose, amount: int = 0) -> Pay:
    return Pay(context.right or BANK, payee, amount, purpose)


def _bankrupt(context: MenuContext) -> Question:
    """All that a bankrupt player has (F5)."""
    everything = context.ledger.balance(context.right or BANK)
    pay = _from_right(context, context.left or BANK, Purpose.BANKRUPTCY, everything)
    return Confirm(Text.BANKRUPT, pay)


def _to_bank(
    name: Text, figure: Callable[[Edition, int], int], purpose: Purpose
) -> Callable[[MenuContext], Question]:
    """The right card pays the bank a figure computed from a mortgage value (F6, F7)."""
    return lambda context: AskAmount(name, _from_right(context, BANK, purpose), figure)


def _utility(context: MenuContext) -> Question:
    """A utility's rent: the dice, then K for one or M for both (F8)."""
    pay = _from_right(context, context.left or BANK, Purpose.RENT)
    units = (Key.THOUSANDS, Key.MILLIONS)
    return AskNumber(Text.UTILITY, partial(_utility_rent, pay), units, pay.way)


def _utility_rent(
    pay: Pay, context: MenuContext, dice: int | None, unit: Key, again: Question
) -> Outcome:
    least, most = calculations.dice_range(context.edition)
    if dice is None or not least <= dice <= most:
        return Refuse(again, Message(Text.DICE, f"{least}-{most}"))
    rent = calculations.utility_rent(context.edition, dice, both=unit is Key.MILLIONS)
    return Show(Confirm(Text.UTILITY, pay._replace(amount=rent), again))


def _fine(context: MenuContext) -> Question:
    """The fine, to the pot if that is the house rule (F9, F23)."""
    payee = POT if context.house.pot else BANK
    return Confirm(Text.FINE, _from_right(context, payee, Purpose.FINE, context.edition.jail_fine))


def _sell(context: MenuContext) -> Question:
    """Houses and hotels are sold back for half their price (F10)."""
    pay = Pay(BANK, context.left or BANK, 0, Purpose.SALE)
    return AskAmount(Text.SELL, pay, lambda _, price: calculations.half(price))


def _again(context: MenuContext) -> Question:
    """The last amount, with the cards that are in now (F11)."""
    amount = context.ledger.current.last_amount
    assert amount, "there was nothing to repeat"
    return Confirm(Text.AGAIN, _from_right(context, context.left or BANK, Purpose.ENTRY, amount))


def _fight_lost(context: MenuContext) -> Question:
    """A multiple of the rent (F12)."""
    pay = _from_right(context, context.left or BANK, Purpose.FIGHT)
    return AskAmount(Text.FIGHT_LOST, pay, calculations.fight_lost)


def _pot_opened(context: MenuContext) -> Question:
    """Out of the pot for the left card; else into it, from the right card or the bank (F23)."""
    if _pot_is_won(context):
        pay = Pay(POT, context.left or BANK, context.ledger.balance(POT), Purpose.POT)
        return Confirm(Text.POT, pay)
    purpose = Purpose.TAX if _payer(context) else Purpose.POT
    return AskAmount(Text.POT, _from_right(context, POT, purpose), lambda _, amount: amount)


def _history(context: MenuContext) -> Question:
    return History.newest(context)


def _balances(context: MenuContext) -> Question:
    del context
    return BalanceTable()


def _game(context: MenuContext) -> Question:
    del context
    return GameMenu()


PAGES: tuple[dict[Key, MenuEntry], ...] = (
    {
        Key.ONE: MenuEntry(Text.BANKRUPT, _solvent, _bankrupt),
        Key.TWO: MenuEntry(
            Text.MORTGAGE, _payer, _to_bank(Text.MORTGAGE, calculations.lifting, Purpose.MORTGAGE)
        ),
        Key.THREE: MenuEntry(
            Text.INTEREST, _payer, _to_bank(Text.INTEREST, calculations.interest, Purpose.INTEREST)
        ),
        Key.FOUR: MenuEntry(Text.UTILITY, _both, _utility),
        Key.FIVE: MenuEntry(Text.FINE, _payer, _fine),
        Key.SIX: MenuEntry(Text.SELL, _payee, _sell),
        Key.SEVEN: MenuEntry(Text.AGAIN, _something_to_repeat, _again),
        Key.EIGHT: MenuEntry(Text.HISTORY, _moves, _history, moves_money=False),
        Key.NINE: MenuEntry(Text.COUNT, _known_cards, _balances, moves_money=False),
        Key.ZERO: MenuEntry(Text.GAME, _always, _game, moves_money=False),
    },
    {
        Key.ONE: MenuEntry(Text.FIGHT_LOST, _fights, _fight_lost),
        Key.TWO: MenuEntry(Text.POT, _pot, _pot_opened),
    },
)
