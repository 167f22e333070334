"""COUNT: all balances, before the final count is opened (F15).

Tests: tests/scenarios/f15-*.box.
"""

from typing import NamedTuple

from firmware.table.menu.menu import (
    LIST,
    Do,
    MenuContext,
    Nature,
    OpenCount,
    Outcome,
    Refuse,
    refuse_or_close,
)
from firmware.table.ranking import balances
from firmware.table.screen_body import ScreenBody
from hal.display.messages import Message, Text
from hal.events import Key


class BalanceTable(NamedTuple):
    """Shows all balances. M opens the final count."""

    @property
    def nature(self) -> Nature:
        return LIST

    def press(self, key: Key, context: MenuContext) -> Outcome:
        if key is not Key.MILLIONS:
            return refuse_or_close(self, key)
        # A card in the left slot is a player as soon as the count is open (F16).
        if context.ledger.players or context.left is not None:
            return Do(OpenCount())
        return Refuse(self, Message(Text.NO_CARD))

    def look(self, context: MenuContext) -> ScreenBody:
        message = Message(Text.COUNT, ask=Text.PRESS_M)
        return ScreenBody(message=message, table=balances(context.ledger))
