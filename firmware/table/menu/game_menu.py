"""GAME: chooses the next game, forgets a card, goes back to the previous game (F18 to F20).

Tests: tests/scenarios.
"""

from typing import NamedTuple

from firmware.bank.records import BANK, LONGEST_GAME, Kind
from firmware.table.menu.menu import (
    LIST,
    ChooseEdition,
    ChooseKind,
    Do,
    ForgetCard,
    GoBack,
    MenuContext,
    Nature,
    Outcome,
    Question,
    Refuse,
    Show,
    refuse_or_close,
)
from firmware.table.menu.questions import AskNumber, retyped
from firmware.table.payment import Way
from firmware.table.screen_body import ScreenBody
from firmware.user_error import UserError
from hal.display.messages import Message, Text
from hal.display.view import IDLE, Item, Menu
from hal.events import Key

DIGITS = tuple(Key(digit) for digit in "1234567890")


class GameMenu(NamedTuple):
    """The list behind GAME."""

    @property
    def nature(self) -> Nature:
        return LIST

    def press(self, key: Key, context: MenuContext) -> Outcome:
        match self._offered(context).get(key):
            case Text.NORMAL:
                return Do(ChooseKind(Kind.NORMAL))
            case Text.FAST:
                return Do(ChooseKind(Kind.FAST))
            case Text.CLOCK:
                return Show(AskNumber(Text.CLOCK, _clock_game))
            case Text.EDITION:
                return Show(EditionList())
            case Text.FORGET:
                return Show(AskNumber(Text.FORGET, _forgotten))
            case Text.BACK:
                assert context.ledger.state.game_before is not None, "BACK was offered"
                return Show(GoingBack(context.ledger.state.game_before))
        return refuse_or_close(self, key)

    def _offered(self, context: MenuContext) -> dict[Key, Text]:
        offered = {
            Key.ONE: Text.NORMAL,
            Key.TWO: Text.FAST,
            Key.THREE: Text.CLOCK,
            Key.FOUR: Text.EDITION,
        }
        if context.ledger.cards:
            offered[Key.FIVE] = Text.FORGET
        if context.ledger.state.game_before is not None:
            offered[Key.SIX] = Text.BACK
        return offered

    def look(self, context: MenuContext) -> ScreenBody:
        page = tuple(Item(key.value, Message(name)) for key, name in self._offered(context).items())
        return ScreenBody(menu=Menu((page,)))


def _clock_game(context: MenuContext, minutes: int | None, unit: Key, again: Question) -> Outcome:
    del context, unit
    if minutes is None:
        return Refuse(again, Message(Text.NO_AMOUNT))
    if minutes < 1:
        return Refuse(again, Message(Text.MIN, "1"))
    if minutes > LONGEST_GAME:
        return Refuse(again, Message(Text.MAX, str(LONGEST_GAME)))
    return Do(ChooseKind(Kind.CLOCK, minutes))


def _forgotten(context: MenuContext, number: int | None, unit: Key, again: Question) -> Outcome:
    del unit
    if number is None:
        return Refuse(again, Message(Text.NO_AMOUNT))
    if number not in context.ledger.cards:
        return Refuse(again, Message(Text.UNKNOWN_CARD))
    return Show(Forgetting(number, again))


class Forgetting(NamedTuple):
    """Shows what a card holds. M forgets it; a digit types another number (F19)."""

    number: int
    typed: Question

    @property
    def nature(self) -> Nature:
        return Nature(way=Way(self.number, BANK))

    def press(self, key: Key, context: MenuContext) -> Outcome:
        if key is Key.MILLIONS:
            return Do(ForgetCard(self.number))
        return retyped(self, self.typed, key, context)

    def look(self, context: MenuContext) -> ScreenBody:
        held = context.edition.units.write(context.ledger.balance(self.number)).text
        return ScreenBody(held, Message(Text.FORGET, str(self.number), ask=Text.PRESS_M))


class EditionList(NamedTuple):
    """The editions, by their digits."""

    @property
    def nature(self) -> Nature:
        return LIST

    def press(self, key: Key, context: MenuContext) -> Outcome:
        chosen = dict(zip(DIGITS, context.catalog.names(), strict=False)).get(key)
        if chosen is None:
            return refuse_or_close(self, key)
        try:
            return Do(ChooseEdition(context.catalog.load(chosen)))
        except UserError:
            return Refuse(self)

    def look(self, context: MenuContext) -> ScreenBody:
        page = tuple(
            Item(key.value, Message(Text.WHOLE_AMOUNT, name))
            for key, name in zip(DIGITS, context.catalog.names(), strict=False)
        )
        return ScreenBody(menu=Menu((page,)))


class GoingBack(NamedTuple):
    """M goes back to the game before this one."""

    game: int

    @property
    def nature(self) -> Nature:
        return Nature()

    def press(self, key: Key, context: MenuContext) -> Outcome:
        del context
        return Do(GoBack()) if key is Key.MILLIONS else refuse_or_close(self, key)

    def look(self, context: MenuContext) -> ScreenBody:
        del context
        return ScreenBody(IDLE, Message(Text.GAME, str(self.game), ask=Text.PRESS_M))
