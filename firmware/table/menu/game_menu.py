"""GAME: what the next new game will be, forgetting a card, and going back a game (F18 to F20)."""

from typing import NamedTuple

from firmware.asking import AskNumber
from firmware.desk import (
    M_KEY,
    ChooseEdition,
    ChooseKind,
    Desk,
    Do,
    ForgetCard,
    GoBack,
    Look,
    Opened,
    Outcome,
    Refuse,
    Show,
    not_for_this,
)
from firmware.mistake import Mistake
from firmware.records import Kind
from hal.events import Key
from hal.view import IDLE, Item, Menu, Message, Text

LONGEST_GAME = 999
"""Minutes."""

DIGITS = tuple(Key(digit) for digit in "1234567890")


class GameMenu(NamedTuple):
    """The list behind GAME."""

    def press(self, key: Key, desk: Desk) -> Outcome:
        match self._offered(desk).get(key):
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
                return Show(GoingBack())
        return not_for_this(self, key)

    def _offered(self, desk: Desk) -> dict[Key, Text]:
        offered = {
            Key.ONE: Text.NORMAL,
            Key.TWO: Text.FAST,
            Key.THREE: Text.CLOCK,
            Key.FOUR: Text.EDITION,
        }
        if desk.ledger.cards:
            offered[Key.FIVE] = Text.FORGET
        if desk.ledger.game_before is not None:
            offered[Key.SIX] = Text.BACK
        return offered

    def look(self, desk: Desk) -> Look:
        page = tuple(Item(key.value, Message(name)) for key, name in self._offered(desk).items())
        return Look(menu=Menu((page,)))


def _clock_game(desk: Desk, minutes: int | None, unit: Key, again: Opened) -> Outcome:
    del desk, unit
    if minutes is None:
        return Refuse(again, Message(Text.NO_AMOUNT))
    if minutes < 1:
        return Refuse(again, Message(Text.MIN, "1"))
    if minutes > LONGEST_GAME:
        return Refuse(again, Message(Text.MAX, str(LONGEST_GAME)))
    return Do(ChooseKind(Kind.CLOCK, minutes))


def _forgotten(desk: Desk, number: int | None, unit: Key, again: Opened) -> Outcome:
    del unit
    if number is None:
        return Refuse(again, Message(Text.NO_AMOUNT))
    if number not in desk.ledger.cards:
        return Refuse(again, Message(Text.UNKNOWN_CARD))
    return Do(ForgetCard(number))


class EditionList(NamedTuple):
    """The editions, by their digits."""

    def press(self, key: Key, desk: Desk) -> Outcome:
        chosen = dict(zip(DIGITS, desk.shelf.names(), strict=False)).get(key)
        if chosen is None:
            return not_for_this(self, key)
        try:
            return Do(ChooseEdition(desk.shelf.load(chosen)))
        except Mistake:
            return Refuse(self)

    def look(self, desk: Desk) -> Look:
        page = tuple(
            Item(key.value, Message(Text.WHOLE_AMOUNT, name))
            for key, name in zip(DIGITS, desk.shelf.names(), strict=False)
        )
        return Look(menu=Menu((page,)))


class GoingBack(NamedTuple):
    """M goes back to the game before this one."""

    def press(self, key: Key, desk: Desk) -> Outcome:
        del desk
        return Do(GoBack()) if key is Key.MILLIONS else not_for_this(self, key)

    def look(self, desk: Desk) -> Look:
        del desk
        return Look(IDLE, Message(Text.BACK, lead=M_KEY))
