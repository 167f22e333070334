"""Rules of earlier editions that let a key surprise the banker.

Each is patched into the box from outside. The search must find each of them.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

import pytest

from firmware.bank.records import BANK, POT
from firmware.table.box import CLOSE_AFTER, Box
from firmware.table.menu import menu
from firmware.table.menu.menu import MenuContext, Nature, Outcome, Question
from firmware.table.menu.questions import Confirm
from firmware.table.modes import KEYS, Act, Mode
from firmware.table.payment import Pay
from firmware.table.teller import Reply, Teller
from firmware.table.transient import MESSAGE_TIME, Notice
from hal.display.messages import Text
from hal.display.sounds import Sound
from hal.events import Instant, Key, Slot

Patch = pytest.MonkeyPatch


class OldRule(NamedTuple):
    """A rule of an earlier edition, and the rule that has replaced it."""

    name: str
    replaced_by: str
    put_back: Callable[[Patch], None]
    example: str
    """A script whose last line surprises the banker; lines are separated by semicolons."""

    def __str__(self) -> str:
        return self.name


def _everything_closes(patch: Patch) -> None:
    rest = Box._rest

    def close_silently(box: Box) -> None:
        if box._now >= box._quiet_since + CLOSE_AFTER:
            box._half_done = None
        rest(box)

    patch.setattr(Box, "_list_open", property(lambda box: box._half_done is not None))
    patch.setattr(Box, "_rest", close_silently)


def _interruptions_need_no_acknowledgement(patch: Patch) -> None:
    interrupt = Box._interrupt

    def drop(box: Box) -> bool:
        was, dropped = box._interrupted_at, interrupt(box)
        box._interrupted_at = was
        return dropped

    patch.setattr(Box, "_interrupt", drop)


def _bankrupt_at_once(patch: Patch) -> None:
    patch.setattr(Confirm, "_is_held", property(lambda _: False))


def _stray_digits_are_typed(patch: Patch) -> None:
    press_in = Box._press_in

    def fall_through(box: Box, opened: Question, key: Key) -> Sound:
        if isinstance(opened.press(key, box._context), menu.StrayKey):
            box._half_done = None
            return box._press(key, None)
        return press_in(box, opened, key)

    patch.setattr(Box, "_press_in", fall_through)


def _refusals_disappear(patch: Patch) -> None:
    ends = property(lambda notice: Instant(notice.since + MESSAGE_TIME))
    patch.setattr(Notice, "ends", ends)


def _comma_only_wakes(patch: Patch) -> None:
    patch.setitem(KEYS, Mode.ASLEEP, KEYS[Mode.ASLEEP]._replace(comma=Act.WAKE))


def _digits_only_wake(patch: Patch) -> None:
    patch.setitem(KEYS, Mode.ASLEEP, KEYS[Mode.ASLEEP]._replace(digit=Act.WAKE))


def _f_wakes_without_a_word(patch: Patch) -> None:
    patch.setattr(Box, "_wake", lambda _box, _key: Sound.KEY)


def _go_drops_the_entry(patch: Patch) -> None:
    go = Box._go

    def drop(box: Box) -> Sound:
        box._half_done = None
        return go(box)

    patch.setattr(Box, "_go", drop)


def _payer_settled_at_m(patch: Patch) -> None:
    press = Confirm.press

    def settle(confirm: Confirm, key: Key, context: MenuContext) -> Outcome:
        return press(confirm._replace(pay=_now_in(confirm.pay, context)), key, context)

    patch.setattr(Confirm, "press", settle)
    patch.setattr(Nature, "needs", lambda _nature, _card: False)


def _now_in(pay: Pay, context: MenuContext) -> Pay:
    """The payment, between the cards that are in now."""
    payer = pay.payer if pay.payer in (BANK, POT) else context.right or BANK
    payee = pay.payee if pay.payee in (BANK, POT) else context.left or BANK
    return pay._replace(payer=payer, payee=payee) if payer != payee else pay


def _c_reaches_older_moves(patch: Patch) -> None:
    undo = Teller.undo

    def skip(teller: Teller) -> Reply:
        before = list(teller._newest)
        reply = undo(teller)
        while reply.message and reply.message.text is Text.NOTHING_TO_UNDO and teller._newest:
            teller._newest.pop()
            reply = undo(teller)
        if reply.sound is Sound.ERROR:
            teller._newest = before
        return reply

    patch.setattr(Teller, "undo", skip)


def _c_takes_back_moves_of_cards_that_left(patch: Patch) -> None:
    undo = Teller.undo

    def reach_all(teller: Teller) -> Reply:
        teller._out_of_reach.clear()
        return undo(teller)

    patch.setattr(Teller, "undo", reach_all)


def _cards_drop_entries(patch: Patch) -> None:
    leaves = Box._card_leaves

    def drop(box: Box, slot: Slot) -> tuple[Sound, ...]:
        sounds = leaves(box, slot)
        box._half_done = None
        return sounds

    patch.setattr(Box, "_card_leaves", drop)


OLD_RULES = (
    OldRule(
        "everything that is half done closes after 15 seconds",
        "N3",
        _everything_closes,
        "insert left 1; press 1; wait 15s; press 5",
    ),
    OldRule(
        "an interruption need not be acknowledged",
        "N2",
        _interruptions_need_no_acknowledgement,
        "insert left 1; insert right 2; press 1; remove right; press 5",
    ),
    OldRule(
        "BANKRUPT takes a short M",
        "F5",
        _bankrupt_at_once,
        "insert right 1; press F; press 1; press M",
    ),
    OldRule(
        "a digit that a list does not offer is typed",
        "F1",
        _stray_digits_are_typed,
        "insert left 1; press F; press 5",
    ),
    OldRule(
        "the message of a refusal disappears",
        "G2",
        _refusals_disappear,
        "insert left 1; press 1; press M; press M; wait 2s; press C",
    ),
    OldRule(
        "a comma only wakes the box",
        "P2",
        _comma_only_wakes,
        "insert left 1; wait 60s; press ,; press 5",
    ),
    OldRule(
        "a digit only wakes the box",
        "P2",
        _digits_only_wake,
        "insert left 1; wait 60s; press 1; press 5",
    ),
    OldRule(
        "F wakes the box without a message",
        "P2",
        _f_wakes_without_a_word,
        "insert left 1; wait 60s; press F; press 6",
    ),
    OldRule(
        "G drops the entry and pays",
        "S7",
        _go_drops_the_entry,
        "insert left 1; press 1; press G",
    ),
    OldRule(
        "who pays is settled at M",
        "N3",
        _payer_settled_at_m,
        "insert right 1; press F; press 5; remove right; insert right 2; press M",
    ),
    OldRule(
        "C reaches older moves",
        "C2",
        _c_reaches_older_moves,
        "insert left 1; press G; insert right 2; press 1; press M; remove right; press C",
    ),
    OldRule(
        "C ignores that a card has left",
        "C2",
        _c_takes_back_moves_of_cards_that_left,
        "insert left 1; press G; remove left; insert left 1; press C",
    ),
    OldRule(
        "a card that moves drops the entry silently",
        "S4",
        _cards_drop_entries,
        "insert left 1; press 1; insert right 2; press 5",
    ),
)


@contextmanager
def put_back(rule: OldRule | None) -> Iterator[None]:
    """Patch the box for a while; None patches nothing."""
    with pytest.MonkeyPatch.context() as patch:
        if rule:
            rule.put_back(patch)
        yield
