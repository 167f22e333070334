"""HISTORY: the moves of this game, one at a time, and taking one back however old (F13)."""

from typing import NamedTuple

from firmware.desk import M_KEY, Desk, Do, Look, Outcome, Refuse, Show, TakeBack
from firmware.records import BANK, POT, Posting, Purpose
from hal.events import MINUTE, SECOND, Instant, Key
from hal.view import Message, Text

HOUR = 60 * MINUTE

WORDS = {
    Purpose.ENTRY: Text.PAID,
    Purpose.SALARY: Text.SALARY,
    Purpose.BANKRUPTCY: Text.BANKRUPT,
    Purpose.MORTGAGE: Text.MORTGAGE,
    Purpose.INTEREST: Text.INTEREST,
    Purpose.RENT: Text.RENT,
    Purpose.FINE: Text.FINE,
    Purpose.SALE: Text.SALE,
    Purpose.FIGHT: Text.FIGHT,
    Purpose.TAX: Text.TAX,
    Purpose.POT: Text.POT,
}
"""What the screen says a move was for (F24)."""

ACCOUNTS = {BANK: "B", POT: "P"}
"""Cards go by their numbers."""


class History(NamedTuple):
    """One of the moves shows."""

    moves: tuple[Posting, ...]
    """Newest first."""
    place: int
    looked_at: Instant
    """How long ago a move was, is told as of then: a figure that ran would only distract."""
    asked: bool = False
    """Whether the next M takes the move back."""

    @classmethod
    def newest(cls, desk: Desk) -> "History":
        return cls(tuple(desk.ledger.moves), 0, desk.now)

    def press(self, key: Key, desk: Desk) -> Outcome:
        calm = self._replace(asked=False, looked_at=desk.now)
        match key:
            case Key.GO if self.place + 1 < len(self.moves):
                return Show(calm._replace(place=self.place + 1))
            case Key.COMMA if self.place > 0:
                return Show(calm._replace(place=self.place - 1))
            case Key.MILLIONS if desk.house.strict_undo:
                return Refuse(calm, Message(Text.RULEBOOK_ONLY))
            case Key.MILLIONS if desk.ledger.current.counting:
                return Refuse(calm, Message(Text.FINAL_COUNT))
            case Key.MILLIONS if self.asked:
                return Do(TakeBack(self.moves[self.place]))
            case Key.MILLIONS:
                return Show(self._replace(asked=True))
        return Refuse(calm)

    def look(self, desk: Desk) -> Look:
        move = self.moves[self.place]
        field = desk.edition.units.write(move.amount).text
        if self.asked:
            return Look(field, Message(Text.UNDO, lead=M_KEY))
        made = desk.made_at.get(move.id)
        age = Text.EARLIER if made is None else age_of(self.looked_at - made)
        who = f"{_name(move.payer)}>{_name(move.payee)}"
        return Look(field, Message(WORDS[move.purpose], age, lead=who))


def age_of(duration: int) -> str:
    """How long ago something was, in the largest whole unit."""
    if duration < MINUTE:
        return f"{duration // SECOND}S"
    if duration < HOUR:
        return f"{duration // MINUTE}MIN"
    return f"{duration // HOUR}H"


def _name(account: int) -> str:
    return ACCOUNTS.get(account, str(account))
