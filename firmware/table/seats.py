"""The two slots: which card is in which, and which one was refused.

A *visit* is the time from putting a card in to taking it out, and has a number. Undo, salary and
forgetting are limited to a visit, so they are kept with it, and are gone when it ends.
"""

from collections.abc import Iterable
from typing import NamedTuple, TypeAlias

from firmware.bank.records import BANK
from firmware.table.payment import Way
from hal.display.messages import Message, Text
from hal.display.view import Occupant
from hal.events import Slot


class Vacant(NamedTuple):
    """Nothing is in the slot."""


class Seated(NamedTuple):
    """A player's card is in the slot."""

    visit: int
    uid: bytes
    card: int
    is_new: bool = False
    """It took its number in this visit and no move was made with it, so C forgets it."""
    salary_paid: bool = False


class RefusedCard(NamedTuple):
    """A refused card blocks the box until it is taken out (S12)."""

    visit: int
    uid: bytes | None
    message: Message


class Forgotten(NamedTuple):
    """A card is in the slot, but for the bank the slot is empty (S10)."""

    uid: bytes


Seat: TypeAlias = Vacant | Seated | RefusedCard | Forgotten


class Seats:
    """Both slots."""

    def __init__(self) -> None:
        self._seats: dict[Slot, Seat] = {slot: Vacant() for slot in Slot}
        self._visits = 0

    def __getitem__(self, slot: Slot) -> Seat:
        return self._seats[slot]

    def next_visit(self) -> int:
        self._visits += 1
        return self._visits

    def put(self, slot: Slot, seat: Seat) -> None:
        self._seats[slot] = seat

    def seated(self, slot: Slot) -> Seated | None:
        seat = self._seats[slot]
        return seat if isinstance(seat, Seated) else None

    def all_seated(self) -> list[tuple[Slot, Seated]]:
        """The players' cards that are in, left first."""
        return [(slot, seat) for slot in Slot if (seat := self.seated(slot))]

    def players_in(self) -> list[tuple[Slot, bytes]]:
        """The players' cards that are in, also those that are `OUT`, left first."""
        found = []
        for slot in Slot:
            match self._seats[slot]:
                case Seated(uid=uid):
                    found.append((slot, uid))
                case RefusedCard(uid=bytes() as uid, message=Message(text=Text.OUT)):
                    found.append((slot, uid))
        return found

    def not_admitted(self) -> list[tuple[Slot, bytes]]:
        """The cards that were refused because the disk could not write their number."""
        return [
            (slot, uid)
            for slot, seat in self._seats.items()
            if isinstance(seat, RefusedCard)
            and seat.message.text is Text.ERROR
            and (uid := seat.uid)
        ]

    @property
    def way(self) -> Way | None:
        """From whom to whom an entry goes (S2); None without a card."""
        left, right = self.seated(Slot.LEFT), self.seated(Slot.RIGHT)
        if left is None and right is None:
            return None
        return Way(right.card if right else BANK, left.card if left else BANK)

    @property
    def payer_or_only(self) -> Seated | None:
        """The card whose balance shows: the right one, else the left one (S3, S5)."""
        return self.seated(Slot.RIGHT) or self.seated(Slot.LEFT)

    @property
    def blocking(self) -> Message | None:
        """The message of the refused card that blocks the box, the newest one's."""
        refused = [seat for seat in self._seats.values() if isinstance(seat, RefusedCard)]
        return max(refused, key=lambda seat: seat.visit).message if refused else None

    @property
    def occupied(self) -> bool:
        """Whether the bank sees a card, also a refused one."""
        return any(isinstance(seat, Seated | RefusedCard) for seat in self._seats.values())

    def holds(self, slot: Slot, uid: bytes) -> bool:
        """Whether this card is in a slot, also if it is refused or forgotten."""
        seat = self._seats[slot]
        return not isinstance(seat, Vacant) and seat.uid == uid

    def moved(self, visits: Iterable[int]) -> None:
        """Money moved in these visits, so their cards are no longer new."""
        for slot, seat in self.all_seated():
            if seat.visit in visits:
                self.put(slot, seat._replace(is_new=False))

    def mark_salary(self, visits: Iterable[int], paid: bool) -> None:
        for slot, seat in self.all_seated():
            if seat.visit in visits:
                self.put(slot, seat._replace(salary_paid=paid))

    def occupant(self, slot: Slot) -> int | Occupant:
        """What the status row shows for a slot."""
        match self._seats[slot]:
            case Seated(card=card):
                return card
            case RefusedCard():
                return Occupant.REFUSED
            case _:
                return Occupant.NONE
