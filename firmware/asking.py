"""What F asks for before money moves: something to type, and then M (F4).

``AskAmount`` asks for an amount, ``AskNumber`` for a plain number; ``Confirm`` shows what
will move and waits for M.
"""

from collections.abc import Callable
from typing import NamedTuple

from firmware.desk import M_KEY, Desk, Do, Look, Opened, Outcome, Pay, Refuse, Show, not_for_this
from firmware.entry import Entry, amount_of
from hal.events import Key
from hal.view import Message, Text


class AskAmount(NamedTuple):
    """An amount is to be typed, with its unit."""

    name: Text
    reckon: Callable[[Desk, int], Pay]
    """What is to be paid for an amount that was typed."""
    entry: Entry = Entry()

    def press(self, key: Key, desk: Desk) -> Outcome:
        match key:
            case Key.MILLIONS | Key.THOUSANDS:
                again = self._replace(entry=Entry())
                amount = amount_of(self.entry, key, desk.edition)
                if isinstance(amount, Message):
                    return Refuse(again, amount)
                return confirm(self.name, self.reckon(desk, amount), again)
            case Key.GO:
                return Refuse(self)
        entry = self.entry.type(key)
        return Refuse(self) if entry is None else Show(self._replace(entry=entry))

    def look(self, desk: Desk) -> Look:
        del desk
        return _typed_so_far(self.name, self.entry)


class AskNumber(NamedTuple):
    """A whole number is to be typed: dice, minutes, a card's."""

    name: Text
    take: Callable[[Desk, int | None, Key, Opened], Outcome]
    """What a unit key makes of the number, None where none was typed; and what asks again."""
    units: tuple[Key, ...] = (Key.MILLIONS,)
    """The keys that complete it."""
    entry: Entry = Entry()

    def press(self, key: Key, desk: Desk) -> Outcome:
        if key in self.units:
            number = None if self.entry.is_blank else int(self.entry.keys)
            return self.take(desk, number, key, self._replace(entry=Entry()))
        entry = self.entry.type(key) if key.is_digit else None
        return Refuse(self) if entry is None else Show(self._replace(entry=entry))

    def look(self, desk: Desk) -> Look:
        del desk
        return _typed_so_far(self.name, self.entry)


def _typed_so_far(name: Text, entry: Entry) -> Look:
    return Look(entry.shown or "0", Message(name))


class Confirm(NamedTuple):
    """What will move shows; M moves it, and a digit types anew what it was worked out from."""

    name: Text
    pay: Pay
    typed: Opened | None = None

    def press(self, key: Key, desk: Desk) -> Outcome:
        if key is Key.MILLIONS:
            return Do(self.pay)
        if self.typed is not None and (key.is_digit or key is Key.COMMA):
            again = self.typed.press(key, desk)
            return again if isinstance(again, Show) else Refuse(self)
        return not_for_this(self, key)

    def look(self, desk: Desk) -> Look:
        field = desk.edition.units.write(self.pay.amount).text
        return Look(field, Message(self.name, lead=M_KEY))


def confirm(name: Text, pay: Pay, typed: Opened) -> Outcome:
    """Ask for M, if there is something to move."""
    if pay.amount == 0:
        return Refuse(typed, Message(Text.NO_AMOUNT))
    return Show(Confirm(name, pay, typed))
