"""GAME: chooses the next game, forgets a card, goes back to the previous game (F18 to F20).

Tests: tests/scenarios/f18-*.box, tests/scenarios/f19-*.box, tests/scenarios/f20-*.box.
"""

from collections.abc import Callable
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
from firmware.table.menu.menu_entry import (
    MenuEntry,
    MenuPage,
    always,
    items,
    known_cards,
    opens,
    possible,
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
        chosen = possible(PAGE, context).get(key)
        return chosen.choose(context, chosen.name) if chosen else refuse_or_close(self, key)

    def look(self, context: MenuContext) -> ScreenBody:
        return ScreenBody(menu=Menu((items(possible(PAGE, context)),)))


def _next_game(kind: Kind) -> Callable[[MenuContext, Text], Outcome]:
    return lambda _context, _name: Do(ChooseKind(kind))


def _clock(_context: MenuContext, name: Text) -> Outcome:
    return Show(AskNumber(name, _clock_game))


def _clock_game(context: MenuContext, minutes: int | None, unit: Key, again: Question) -> Outcome:
    del context, unit
    if minutes is None:
        return Refuse(again, Message(Text.NO_AMOUNT))
    if minutes < 1:
        return Refuse(again, Message(Text.MIN, "1"))
    if minutes > LONGEST_GAME:
        return Refuse(again, Message(Text.MAX, str(LONGEST_GAME)))
    return Do(ChooseKind(Kind.CLOCK, minutes))


def _forget(_context: MenuContext, name: Text) -> Outcome:
    return Show(AskNumber(name, _forgotten))


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
        chosen = _editions(context).get(key)
        if chosen is None:
            return refuse_or_close(self, key)
        try:
            return Do(ChooseEdition(context.catalog.load(chosen)))
        except UserError:
            return Refuse(self)

    def look(self, context: MenuContext) -> ScreenBody:
        page = tuple(
            Item(key.value, Message(Text.WHOLE_AMOUNT, name))
            for key, name in _editions(context).items()
        )
        return ScreenBody(menu=Menu((page,)))


def _editions(context: MenuContext) -> dict[Key, str]:
    return dict(zip(DIGITS, context.catalog.names(), strict=False))


def _game_before(context: MenuContext) -> bool:
    return context.ledger.state.game_before is not None


def _back(context: MenuContext, _name: Text) -> Outcome:
    assert context.ledger.state.game_before is not None, "BACK was offered"
    return Show(GoingBack(context.ledger.state.game_before))


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


PAGE: MenuPage = {
    Key.ONE: MenuEntry(Text.NORMAL, "F18", always, _next_game(Kind.NORMAL)),
    Key.TWO: MenuEntry(Text.FAST, "F18", always, _next_game(Kind.FAST)),
    Key.THREE: MenuEntry(Text.CLOCK, "F18", always, _clock),
    Key.FOUR: MenuEntry(Text.EDITION, "F18", always, opens(EditionList)),
    Key.FIVE: MenuEntry(Text.FORGET, "F19", known_cards, _forget),
    Key.SIX: MenuEntry(Text.BACK, "F20", _game_before, _back),
}
