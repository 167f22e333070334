"""HISTORY: shows the moves of this game, takes back any of them, or makes it again (F13, C5)."""

from typing import NamedTuple

from firmware.bank.purposes import Purpose
from firmware.bank.records import Posting
from firmware.table.menu.menu import (
    LIST,
    Do,
    MakeAgain,
    MenuContext,
    Nature,
    Outcome,
    Refuse,
    Show,
    StrayKey,
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
    """Ages are measured at this instant: a running figure would distract."""
    asked: TakeBack | MakeAgain | None = None
    """What the next M does."""

    @property
    def nature(self) -> Nature:
        match self.asked:
            case TakeBack(move):
                return Nature(way=Way(move.payee, move.payer))
            case MakeAgain(move):
                return Nature(way=Way(move.payer, move.payee))
            case None:
                return LIST

    @classmethod
    def newest(cls, context: MenuContext) -> "History":
        return cls(tuple(context.ledger.history), 0, context.now)

    def press(self, key: Key, context: MenuContext) -> Outcome:
        unasked = self._replace(asked=None, looked_at=context.now)
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
                return Do(self.asked)
            case Key.MILLIONS:
                action = self._action(context)
                return Show(self._replace(asked=action)) if action else Refuse(unasked)
        return StrayKey() if key.is_digit else Refuse(unasked)

    def _action(self, context: MenuContext) -> TakeBack | MakeAgain | None:
        """What M asks for; a bankruptcy is not made again."""
        move = self.moves[self.place]
        if not context.ledger.current.is_taken_back(move):
            return TakeBack(move)
        return None if move.purpose is Purpose.BANKRUPTCY else MakeAgain(move)

    def look(self, context: MenuContext) -> ScreenBody:
        move = self.moves[self.place]
        field = context.edition.units.write(move.amount).text
        if self.asked:
            text = Text.UNDO if isinstance(self.asked, TakeBack) else Text.AGAIN
            return ScreenBody(field, Message(text, ask=Text.PRESS_M))
        way = str(Way(move.payer, move.payee))
        age = self._age(move, context)
        return ScreenBody(field, Message(Text[move.purpose.history], age, lead=way))

    def _age(self, move: Posting, context: MenuContext) -> str | Text:
        if context.ledger.current.is_taken_back(move):
            return Text.UNDONE
        made = context.made_at.get(move.id)
        return Text.EARLIER if made is None else age_of(self.looked_at - made)


def age_of(duration: int) -> str:
    """How long ago something was, in the largest whole unit."""
    if duration < MINUTE:
        return f"{duration // SECOND}S"
    if duration < HOUR:
        return f"{duration // MINUTE}MIN"
    return f"{duration // HOUR}H"
