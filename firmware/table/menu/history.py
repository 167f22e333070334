"""HISTORY: shows the moves of this game one at a time, and takes back any of them (F13)."""

from typing import NamedTuple

from firmware.bank.records import Posting
from firmware.table.menu.menu import (
    LIST,
    Do,
    MenuContext,
    Nature,
    Outcome,
    Refuse,
    Show,
    TakeBack,
)
from firmware.table.payment import Way
from firmware.table.screen_body import ScreenBody
from hal.display.messages import Message, Text
from hal.events import MINUTE, SECOND, Instant, Key

HOUR = 60 * MINUTE


class History(NamedTuple):
    """Shows one of the moves."""

    moves: tuple[Posting, ...]
    """Newest first."""
    place: int
    looked_at: Instant
    """The age of a move is as of then: a running figure would distract."""
    asked: bool = False
    """Whether the next M takes the move back."""

    @property
    def nature(self) -> Nature:
        move = self.moves[self.place]
        return Nature(way=Way(move.payee, move.payer)) if self.asked else LIST

    @classmethod
    def newest(cls, context: MenuContext) -> "History":
        return cls(tuple(context.ledger.moves), 0, context.now)

    def press(self, key: Key, context: MenuContext) -> Outcome:
        unasked = self._replace(asked=False, looked_at=context.now)
        match key:
            case Key.GO if self.place + 1 < len(self.moves):
                return Show(unasked._replace(place=self.place + 1))
            case Key.COMMA if self.place > 0:
                return Show(unasked._replace(place=self.place - 1))
            case Key.MILLIONS if context.house.strict_undo:
                return Refuse(unasked, Message(Text.RULEBOOK_ONLY))
            case Key.MILLIONS if context.ledger.current.counting:
                return Refuse(unasked, Message(Text.FINAL_COUNT))
            case Key.MILLIONS if self.asked:
                return Do(TakeBack(self.moves[self.place]))
            case Key.MILLIONS:
                return Show(self._replace(asked=True))
        return Refuse(unasked)

    def look(self, context: MenuContext) -> ScreenBody:
        move = self.moves[self.place]
        field = context.edition.units.write(move.amount).text
        if self.asked:
            return ScreenBody(field, Message(Text.UNDO, ask=Text.PRESS_M))
        made = context.made_at.get(move.id)
        age = Text.EARLIER if made is None else age_of(self.looked_at - made)
        way = str(Way(move.payer, move.payee))
        return ScreenBody(field, Message(Text[move.purpose.history], age, lead=way))


def age_of(duration: int) -> str:
    """How long ago something was, in the largest whole unit."""
    if duration < MINUTE:
        return f"{duration // SECOND}S"
    if duration < HOUR:
        return f"{duration // MINUTE}MIN"
    return f"{duration // HOUR}H"
