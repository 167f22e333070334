"""The two slots as the bank takes them: who sits where, and who was turned away.

A *visit* is the time from a card's going in to its coming out, and has a number.
Undo, salary and forgetting all hang on "in this visit", so they are kept here,
with the visit, and are gone when it ends.
"""

from collections.abc import Iterable
from typing import NamedTuple, TypeAlias

from hal.events import Slot
from hal.view import Message, Tenant, Text


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


class Refused(NamedTuple):
    """A card that the bank turns away blocks the box until it is taken out (S12)."""

    visit: int
    uid: bytes | None
    message: Message


class Forgotten(NamedTuple):
    """A card is in the slot, but for the bank the slot is empty (S10)."""

    uid: bytes


Seat: TypeAlias = Vacant | Seated | Refused | Forgotten


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
        """The cards of players that are in, be they out of the game; the left one first."""
        found = []
        for slot in Slot:
            match self._seats[slot]:
                case Seated(uid=uid):
                    found.append((slot, uid))
                case Refused(uid=bytes() as uid, message=Message(text=Text.OUT)):
                    found.append((slot, uid))
        return found

    def not_admitted(self) -> list[tuple[Slot, bytes]]:
        """The cards that were turned away because the disk refused to know them."""
        return [
            (slot, uid)
            for slot, seat in self._seats.items()
            if isinstance(seat, Refused) and seat.message.text is Text.ERROR and (uid := seat.uid)
        ]

    @property
    def visits(self) -> set[int]:
        return {seat.visit for _, seat in self.all_seated()}

    @property
    def payer_or_only(self) -> Seated | None:
        """Whose balance shows: the right card's, else the left card's (S3, S5)."""
        return self.seated(Slot.RIGHT) or self.seated(Slot.LEFT)

    @property
    def blocking(self) -> Message | None:
        """The message of the refused card that blocks the box, the newest one's."""
        refused = [seat for seat in self._seats.values() if isinstance(seat, Refused)]
        return max(refused, key=lambda seat: seat.visit).message if refused else None

    @property
    def anybody(self) -> bool:
        """True when the bank sees a card, be it refused."""
        return any(isinstance(seat, Seated | Refused) for seat in self._seats.values())

    @property
    def newest_new(self) -> tuple[Slot, Seated] | None:
        """The card that C would forget."""
        new = [(slot, seat) for slot, seat in self.all_seated() if seat.is_new]
        return max(new, key=lambda pair: pair[1].visit) if new else None

    def holds(self, slot: Slot, uid: bytes) -> bool:
        """True when this very card is in a slot, whatever the bank makes of it."""
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

    def tenant(self, slot: Slot) -> int | Tenant:
        """What the status row says of a slot."""
        match self._seats[slot]:
            case Seated(card=card):
                return card
            case Refused():
                return Tenant.REFUSED
            case _:
                return Tenant.NOBODY
