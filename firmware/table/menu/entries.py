"""The entries of F's list: when each is offered, and what it opens.

An entry always keeps its page and digit, so that fingers learn it (F1). Numbers in brackets are
the rules of docs/rules.md.
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
from firmware.table.menu.menu_entry import (
    MenuEntry,
    MenuPage,
    always,
    items,
    known_cards,
    opens,
    possible,
)
from firmware.table.menu.questions import AskAmount, AskNumber, Confirm
from firmware.table.payment import Pay
from firmware.table.screen_body import ScreenBody
from hal.display.messages import Message, Text
from hal.display.view import Menu
from hal.events import Key


class EntryList(NamedTuple):
    """One page of the list."""

    page: int = 0

    @property
    def nature(self) -> Nature:
        return LIST

    def press(self, key: Key, context: MenuContext) -> Outcome:
        pages = offered(context)
        chosen = pages[self._shown(pages)].get(key)
        return chosen.choose(context, chosen.name) if chosen else refuse_or_close(self, key)

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
        pages = tuple(items(page) for page in offered(context))
        return ScreenBody(menu=Menu(pages, self._shown(pages)))


def offered(context: MenuContext) -> list[dict[Key, MenuEntry]]:
    """What is possible now, page by page (F3)."""
    counting = context.ledger.current.counting
    pages = [
        {
            key: entry
            for key, entry in possible(page, context).items()
            if not (counting and entry.moves_money)
        }
        for page in PAGES
    ]
    return [page for page in pages if page]


# When an entry is offered


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


def _pot(context: MenuContext) -> bool:
    return context.house.pot and (_pot_is_won(context) or not _payee(context))


def _pot_is_won(context: MenuContext) -> bool:
    return _payee(context) and context.ledger.balance(POT) > 0


# What an entry opens


def _from_right(context: MenuContext, payee: int, purpose: Purpose, amount: int = 0) -> Pay:
    return Pay(context.right or BANK, payee, amount, purpose)


def _bankrupt(context: MenuContext, name: Text) -> Outcome:
    """All that a bankrupt player has."""
    everything = context.ledger.balance(context.right or BANK)
    pay = _from_right(context, context.left or BANK, Purpose.BANKRUPTCY, everything)
    return Show(Confirm(name, pay))


def _to_bank(
    figure: Callable[[Edition, int], int], purpose: Purpose
) -> Callable[[MenuContext, Text], Outcome]:
    """The right card pays the bank a figure computed from a mortgage value."""
    return lambda context, name: Show(AskAmount(name, _from_right(context, BANK, purpose), figure))


def _utility(context: MenuContext, name: Text) -> Outcome:
    """A utility's rent: the dice, then K for one or M for both."""
    pay = _from_right(context, context.left or BANK, Purpose.RENT)
    units = (Key.THOUSANDS, Key.MILLIONS)
    return Show(AskNumber(name, partial(_utility_rent, name, pay), units, pay.way))


def _utility_rent(
    name: Text, pay: Pay, context: MenuContext, dice: int | None, unit: Key, again: Question
) -> Outcome:
    least, most = calculations.dice_range(context.edition)
    if dice is None or not least <= dice <= most:
        return Refuse(again, Message(Text.DICE, f"{least}-{most}"))
    rent = calculations.utility_rent(context.edition, dice, both=unit is Key.MILLIONS)
    return Show(Confirm(name, pay._replace(amount=rent), again))


def _fine(context: MenuContext, name: Text) -> Outcome:
    """The fine, to the pot if that is the house rule (F23)."""
    payee = POT if context.house.pot else BANK
    pay = _from_right(context, payee, Purpose.FINE, context.edition.jail_fine)
    return Show(Confirm(name, pay))


def _sell(context: MenuContext, name: Text) -> Outcome:
    """Houses and hotels are sold back for half their price."""
    pay = Pay(BANK, context.left or BANK, 0, Purpose.SALE)
    return Show(AskAmount(name, pay, lambda _, price: calculations.half(price)))


def _again(context: MenuContext, name: Text) -> Outcome:
    """The last amount, with the cards that are in now."""
    amount = context.ledger.current.last_amount
    assert amount, "there was nothing to repeat"
    pay = _from_right(context, context.left or BANK, Purpose.ENTRY, amount)
    return Show(Confirm(name, pay))


def _fight_lost(context: MenuContext, name: Text) -> Outcome:
    """A multiple of the rent."""
    pay = _from_right(context, context.left or BANK, Purpose.FIGHT)
    return Show(AskAmount(name, pay, calculations.fight_lost))


def _pot_opened(context: MenuContext, name: Text) -> Outcome:
    """Out of the pot for the left card; else into it, from the right card or the bank."""
    if _pot_is_won(context):
        pay = Pay(POT, context.left or BANK, context.ledger.balance(POT), Purpose.POT)
        return Show(Confirm(name, pay))
    purpose = Purpose.TAX if _payer(context) else Purpose.POT
    return Show(AskAmount(name, _from_right(context, POT, purpose), lambda _, amount: amount))


def _history(context: MenuContext, _name: Text) -> Outcome:
    return Show(History.newest(context))


_mortgage = _to_bank(calculations.lifting, Purpose.MORTGAGE)
_interest = _to_bank(calculations.interest, Purpose.INTEREST)

PAGES: tuple[MenuPage, ...] = (
    {
        Key.ONE: MenuEntry(Text.BANKRUPT, "F5", _solvent, _bankrupt),
        Key.TWO: MenuEntry(Text.MORTGAGE, "F6", _payer, _mortgage),
        Key.THREE: MenuEntry(Text.INTEREST, "F7", _payer, _interest),
        Key.FOUR: MenuEntry(Text.UTILITY, "F8", _both, _utility),
        Key.FIVE: MenuEntry(Text.FINE, "F9", _payer, _fine),
        Key.SIX: MenuEntry(Text.SELL, "F10", _payee, _sell),
        Key.SEVEN: MenuEntry(Text.AGAIN, "F11", _something_to_repeat, _again),
        Key.EIGHT: MenuEntry(Text.HISTORY, "F13", _moves, _history, moves_money=False),
        Key.NINE: MenuEntry(Text.COUNT, "F15", known_cards, opens(BalanceTable), moves_money=False),
        Key.ZERO: MenuEntry(Text.GAME, "F18", always, opens(GameMenu), moves_money=False),
    },
    {
        Key.ONE: MenuEntry(Text.FIGHT_LOST, "F12", _fights, _fight_lost),
        Key.TWO: MenuEntry(Text.POT, "F23", _pot, _pot_opened),
    },
)
