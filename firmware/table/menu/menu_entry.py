"""An entry of a list, as one row of a table.

Tests: tests/unit/firmware/table/menu/test_entries.py.
"""

from collections.abc import Callable, Mapping
from typing import NamedTuple, TypeAlias

from firmware.table.menu.menu import MenuContext, Outcome, Question, Show
from hal.display.messages import Message, Text
from hal.display.view import Item
from hal.events import Key


class MenuEntry(NamedTuple):
    """One entry: its name, its rule in docs/rules.md, when it is offered, and what it does."""

    name: Text
    rule: str
    offered: Callable[[MenuContext], bool]
    choose: Callable[[MenuContext, Text], Outcome]
    """Gets the name of its row."""
    moves_money: bool = True
    """Whether it is left out while the final count is open."""


MenuPage: TypeAlias = Mapping[Key, MenuEntry]
"""The entries by the digit that chooses them."""


def possible(page: MenuPage, context: MenuContext) -> dict[Key, MenuEntry]:
    """The entries that are offered now."""
    return {key: entry for key, entry in page.items() if entry.offered(context)}


def items(page: MenuPage) -> tuple[Item, ...]:
    return tuple(Item(key.value, Message(entry.name)) for key, entry in page.items())


def always(_context: MenuContext) -> bool:
    return True


def known_cards(context: MenuContext) -> bool:
    return bool(context.ledger.cards)


def opens(question: Callable[[], Question]) -> Callable[[MenuContext, Text], Outcome]:
    """What an entry does that needs neither the table nor its name."""
    return lambda _context, _name: Show(question())
