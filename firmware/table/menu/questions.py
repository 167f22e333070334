"""The questions that F asks before money moves (F4).

``AskAmount`` asks for an amount, ``AskNumber`` for a plain number; ``Confirm`` shows what will
move and waits for M. Who pays whom is fixed when the question is opened (N3).

Tests: tests/scenarios/f4-*.box, tests/unit/firmware/table/menu/test_menu.py.
"""

from collections.abc import Callable
from typing import NamedTuple

from firmware.bank.edition import Edition
from firmware.bank.entry import Entry, amount_of
from firmware.bank.purposes import Purpose
from firmware.bank.refusals import Refusal
from firmware.table.captions import caption
from firmware.table.menu.menu import (
    Do,
    DoAfterHold,
    MenuContext,
    Nature,
    Outcome,
    Question,
    Refuse,
    Show,
    refuse_or_close,
)
from firmware.table.payment import Pay, Way
from firmware.table.screen_body import ScreenBody
from hal.display.messages import Message, Text
from hal.events import Key


class AskAmount(NamedTuple):
    """Asks for an amount with its unit."""

    name: Text
    pay: Pay
    """What will be paid, but for its amount."""
    figure: Callable[[Edition, int], int]
    """Computes the amount from the one that was typed."""
    entry: Entry = Entry()

    @property
    def nature(self) -> Nature:
        return Nature(self.pay.way, needs_cards=True)

    def press(self, key: Key, context: MenuContext) -> Outcome:
        match key:
            case Key.MILLIONS | Key.THOUSANDS:
                again = self._replace(entry=Entry())
                amount = amount_of(self.entry, key, context.edition)
                if isinstance(amount, Refusal):
                    return Refuse(again, caption(amount, context.edition))
                amount = self.figure(context.edition, amount)
                return confirm(self.name, self.pay._replace(amount=amount), again)
            case Key.GO:
                return Refuse(self)
        entry = self.entry.type(key)
        return Refuse(self) if entry is None else Show(self._replace(entry=entry))

    def look(self, context: MenuContext) -> ScreenBody:
        del context
        return _typed_so_far(self.name, self.entry)


class AskNumber(NamedTuple):
    """Asks for a whole number: dice, minutes, a card's number."""

    name: Text
    answer: Callable[[MenuContext, int | None, Key, Question], Outcome]
    """The outcome for a number (None: nothing typed), its unit key, and a question to retry."""
    units: tuple[Key, ...] = (Key.MILLIONS,)
    """The keys that complete it."""
    way: Way | None = None
    entry: Entry = Entry()

    @property
    def nature(self) -> Nature:
        return Nature(self.way, needs_cards=True)

    def press(self, key: Key, context: MenuContext) -> Outcome:
        if key in self.units:
            number = None if self.entry.is_blank else int(self.entry.keys)
            return self.answer(context, number, key, self._replace(entry=Entry()))
        entry = self.entry.type(key) if key.is_digit else None
        return Refuse(self) if entry is None else Show(self._replace(entry=entry))

    def look(self, context: MenuContext) -> ScreenBody:
        del context
        return _typed_so_far(self.name, self.entry)


def _typed_so_far(name: Text, entry: Entry) -> ScreenBody:
    return ScreenBody(entry.shown or "0", Message(name), typed=True)


class Confirm(NamedTuple):
    """Shows what will move. M moves it; a digit begins a new amount to compute it from."""

    name: Text
    pay: Pay
    typed: Question | None = None

    @property
    def nature(self) -> Nature:
        return Nature(self.pay.way, needs_cards=True)

    @property
    def _is_held(self) -> bool:
        return self.pay.purpose is Purpose.BANKRUPTCY

    def press(self, key: Key, context: MenuContext) -> Outcome:
        if key is Key.MILLIONS:
            return DoAfterHold(self.pay) if self._is_held else Do(self.pay)
        return retyped(self, self.typed, key, context)

    def look(self, context: MenuContext) -> ScreenBody:
        field = context.edition.units.write(self.pay.amount).text
        ask = Text.HOLD_M if self._is_held else Text.PRESS_M
        return ScreenBody(field, Message(self.name, ask=ask))


def confirm(name: Text, pay: Pay, typed: Question) -> Outcome:
    """Ask for M, if there is something to move."""
    if pay.amount == 0:
        return Refuse(typed, Message(Text.NO_AMOUNT))
    return Show(Confirm(name, pay, typed))


def retyped(asked: Question, typed: Question | None, key: Key, context: MenuContext) -> Outcome:
    """Handle another key than M: a digit begins a new amount, if one was typed."""
    if typed is None or not (key.is_digit or key is Key.COMMA):
        return refuse_or_close(asked, key)
    again = typed.press(key, context)
    return again if isinstance(again, Show) else Refuse(asked)
