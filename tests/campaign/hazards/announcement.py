"""The oracle: what a key may do to money, from the screen and the banker's memory alone."""

from fractions import Fraction
from typing import NamedTuple, TypeAlias

from hal.display.view import View
from hal.events import SECOND, Key
from tests.campaign.hazards.memory import Memory
from tests.campaign.hazards.reach import Reach
from tests.campaign.hazards.sight import (
    Sight,
    Way,
    cards_of,
    is_refusal,
    message_of,
    sight_of,
    way_of,
)
from tests.campaign.storm.model.figures import EDITIONS, Edition

SHORT_C = 1 * SECOND
LONG_C = 3 * SECOND
HELD_M = 1 * SECOND


class Nothing(NamedTuple):
    """No money moves."""


class Pays(NamedTuple):
    """Exactly this moves. If it does not, an error must sound."""

    way: Way
    amount: int


class PaysShown(NamedTuple):
    """The amount in the big field moves, which may have been cut [M3]."""

    way: Way
    field: str
    edition: str


class TakesBack(NamedTuple):
    """One of these moves may be made, to take something back."""

    moves: tuple[Pays, ...]
    number: str = ""
    """The new card whose number may be taken back, with all that the card holds [S10]."""


class NewGame(NamedTuple):
    """Another game begins [C4]."""


class OtherGame(NamedTuple):
    """Another game continues [F20]."""

    number: str


Announcement: TypeAlias = Nothing | Pays | PaysShown | TakesBack | NewGame | OtherGame


def announced(view: View, memory: Memory, key: Key, held: int) -> Announcement:
    """What a key may do to money if it is held for so long, in microseconds; 0 is a tap."""
    view = memory.uncovered(view)
    sight = Sight.NOT_DONE if memory.owed else sight_of(view)
    if sight is Sight.DARK:
        return Nothing()
    if key is Key.CANCEL:
        return _cancel(view, sight, memory, held)
    match key:
        case Key.MILLIONS | Key.THOUSANDS:
            return _unit(view, sight, key, held)
        case Key.GO:
            return _go(view, sight)
    return Nothing()


def may_type(view: View, memory: Memory) -> bool:
    """Whether a digit or comma may begin or continue an amount."""
    if memory.owed:
        return False
    sights = (Sight.ENTRY, Sight.COUNT_ENTRY, Sight.CARD_IN, Sight.COUNT, Sight.DARK)
    return sight_of(memory.uncovered(view)) in sights


def _unit(view: View, sight: Sight, key: Key, held: int) -> Announcement:
    way, is_m = way_of(view), key is Key.MILLIONS
    message = message_of(view)
    if sight is Sight.ENTRY and way:
        amount = amount_typed(view.field, key, EDITIONS[view.edition])
        return Pays(way, amount) if amount else Nothing()
    if sight is Sight.QUESTION and is_m and message.startswith("GAME "):
        return OtherGame(message.removeprefix("GAME ").partition("?")[0])
    if sight is Sight.QUESTION and is_m and way and not message.startswith("BANKRUPT"):
        return PaysShown(way, view.field, view.edition)
    if sight is Sight.HOLD and is_m and way and held >= HELD_M:
        return PaysShown(way, view.field, view.edition)
    return Nothing()


def _go(view: View, sight: Sight) -> Announcement:
    """The badges say whether G pays: a card in the left slot only [S7]."""
    left, right = cards_of(view)
    if sight is not Sight.CARD_IN or left is None or right is not None:
        return Nothing()
    return Pays(Way("B", str(left)), EDITIONS[view.edition].salary)


def _cancel(view: View, sight: Sight, memory: Memory, held: int) -> Announcement:
    if held >= LONG_C:
        return NewGame()
    if held >= SHORT_C or sight not in (Sight.CARD_IN, Sight.NO_CARD, Sight.COUNT):
        return Nothing()
    if is_refusal(view) or memory.lost_refusal:
        return Nothing()
    if sight is Sight.COUNT and not memory.reach.forgotten:
        return Nothing()
    return _taken_back(memory.reach, says_again=message_of(view) == "C = AGAIN")


def _taken_back(reach: Reach, *, says_again: bool) -> Announcement:
    if says_again and reach.taken_back:
        return TakesBack((Pays(*reach.taken_back),))
    if reach.forgotten:
        return TakesBack((Pays(*reach.forgotten),))
    newest = reach.newest
    if newest is None:
        return Nothing()
    if newest.number:
        return TakesBack((), newest.number)
    return TakesBack((Pays(Way(newest.way.payee, newest.way.payer), newest.amount),))


def amount_typed(field: str, unit: Key, edition: Edition) -> int | None:
    """The amount of an entry; None if it is not a whole number of currency units."""
    typed = field.replace(",", ".")
    exact = Fraction(f"{typed}0" if typed.endswith(".") else typed) * edition.units[unit.value]
    return int(exact) if exact.denominator == 1 else None
