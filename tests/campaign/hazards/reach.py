"""What C may take back: the banker knows what was done last, and which cards have stayed in."""

from collections.abc import Set
from typing import NamedTuple

from firmware.bank.purposes import Purpose
from firmware.bank.records import BANK, POT, CardForgotten, CardKnown, Posting
from hal.display.view import View
from hal.events import Key, Slot
from tests.campaign.hazards.sight import Sight, Way, cards_of, sight_of
from tests.campaign.hazards.step import Step, What

LETTERS = {BANK: "B", POT: "P"}


class Done(NamedTuple):
    """Something that C can take back: a move, or the number that a new card took."""

    way: Way
    amount: int
    posting: int
    stays: frozenset[tuple[Slot, int]]
    """The visits of its cards that must last."""
    number: str = ""
    """That of the new card."""


class Reach:
    """Updated after every step."""

    def __init__(self) -> None:
        self.taken_back: tuple[Way, int] | None = None
        """The move that was taken back last."""
        self.forgotten: tuple[Way, int] | None = None
        """What M at FORGET has just returned to the bank; C restores it [F19]."""
        self._done: list[Done] = []
        self._before_forgetting: list[Done] | None = None
        self._used: set[tuple[Slot, int]] = set()
        """The visits in which money moved."""
        self._visits = dict.fromkeys(Slot, 0)

    @property
    def newest(self) -> Done | None:
        """What C may take back: the newest thing, if its cards have stayed in [C2]."""
        if not self._done:
            return None
        newest = self._done[-1]
        stays = all(self._visits[slot] == visit for slot, visit in newest.stays)
        if not stays or (newest.number and newest.stays & self._used):
            return None
        return newest

    def update(self, step: Step) -> None:
        if step.slot:
            self._visits[step.slot] += 1
        in_doubt = sight_of(step.before) is Sight.LEDGER_ERROR
        if step.what is What.POWER or step.starts_game or in_doubt:
            self._done.clear()
        if step.what is What.POWER:
            self._visits = {slot: visit + 1 for slot, visit in self._visits.items()}
        forgotten, before = self.forgotten, self._before_forgetting
        for record in step.records:
            match record:
                case Posting():
                    self._note_posting(record, step)
                case CardKnown(number=number):
                    self._note_number(number, step)
                case CardForgotten(number=number):
                    self._before_forgetting = list(self._done)
                    self._done = [done for done in self._done if done.number != str(number)]
        if self._ends_restoring(step):
            self.forgotten = self.forgotten if self.forgotten != forgotten else None
            self._before_forgetting = (
                self._before_forgetting if self._before_forgetting is not before else None
            )

    def _ends_restoring(self, step: Step) -> bool:
        """Whether C no longer restores the card that was forgotten before this step."""
        waking = sight_of(step.before) is Sight.DARK
        return bool(step.slot or (step.key and not waking)) or step.what is What.POWER

    def _note_posting(self, posting: Posting, step: Step) -> None:
        way = way_of_posting(posting)
        match posting.purpose:
            case Purpose.OPENING | Purpose.RESTORED:
                return
            case Purpose.RETURN:
                if step.key is Key.MILLIONS:
                    self.forgotten = Way(way.payee, way.payer), posting.amount
            case Purpose.REVERSAL:
                self._done = [done for done in self._done if done.posting != posting.reverses]
                self.taken_back = Way(way.payee, way.payer), posting.amount
            case _:
                stays = self._visits_of(posting.accounts, step.after)
                self._used |= stays
                self._done.append(Done(way, posting.amount, posting.id, stays))

    def _note_number(self, number: int, step: Step) -> None:
        """A card has taken a number; or at C, a card has its number again."""
        if step.key is not Key.CANCEL:
            stays = self._visits_of({number}, step.after)
            self._done.append(Done(Way("", ""), 0, 0, stays, str(number)))
        elif self._before_forgetting is not None:
            self._done = self._before_forgetting
        else:
            self._done = [done for done in self._done if done.number != str(number)]

    def _visits_of(self, numbers: Set[int], view: View) -> frozenset[tuple[Slot, int]]:
        """The visits of these cards, as far as they are in."""
        cards = zip(Slot, cards_of(view), strict=True)
        return frozenset((slot, self._visits[slot]) for slot, card in cards if card in numbers)


def way_of_posting(posting: Posting) -> Way:
    payer, payee = (LETTERS.get(n, str(n)) for n in (posting.payer, posting.payee))
    return Way(payer, payee)
