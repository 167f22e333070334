"""Presence: turns what single looks into a slot found into cards put in and taken out.

A look can miss. Noise garbles a question, and the card does not answer; a card lies at
the edge of the field. So absence needs several looks in a row that met with silence, and
an answer that was garbled counts as presence. Another UID, read and checked, is another
card at once. This file decides; it touches no hardware and asks for no time.

::

    EMPTY ──one card──► ONE CARD ──another card──► (out, in) ONE CARD
      ▲                    │  ▲
      │               several  one card, twice
      │                    ▼  │
      └──silence, often── CLASH
"""

from collections.abc import Sequence

from hal.events import CardIn, CardOut, CardsClash, Event, Instant, Slot, is_made_up
from hal.pi.look import Card, Seen

SILENT_LOOKS = 4
"""In a row, before a card counts as gone: 200 ms at one look every 50 ms."""

CLASHING_LOOKS = 2
"""In a row, before two cards are believed: noise can look like a second card, once."""


def same_card(one: bytes, other: bytes) -> bool:
    """Whether two UIDs, read one after the other, may be one card's."""
    return one == other or (is_made_up(one) and is_made_up(other))


class Presence:
    """What is in one slot, as far as the looks tell."""

    def __init__(self, slot: Slot) -> None:
        self._slot = slot
        self.uid: bytes | None = None
        """The card that is in, to be asked for by name."""
        self._clash = False
        self._silent = 0
        self._several = 0
        self._single = 0

    @property
    def occupied(self) -> bool:
        return self.uid is not None or self._clash

    def take_in(self, found: Card | Seen, at: Instant) -> Sequence[Event]:
        """What a look found, and what that means."""
        self._count(found)
        match found:
            case Card(uid=uid):
                return self._one_card(uid, at)
            case Seen.SEVERAL if self._several >= CLASHING_LOOKS and not self._clash:
                self.uid = None
                self._clash = True
                return (CardsClash(at, self._slot),)
            case Seen.NOTHING if self.occupied and self._silent >= SILENT_LOOKS:
                return self._gone(at)
        return ()

    def _count(self, found: Card | Seen) -> None:
        self._silent = self._silent + 1 if found is Seen.NOTHING else 0
        self._several = self._several + 1 if found is Seen.SEVERAL else 0
        self._single = self._single + 1 if isinstance(found, Card) else 0

    def _one_card(self, uid: bytes, at: Instant) -> Sequence[Event]:
        if self.uid is not None and same_card(uid, self.uid):
            return ()
        if self._clash and self._single < CLASHING_LOOKS:
            return ()
        before = self._gone(at) if self.occupied else ()
        self.uid = uid
        return (*before, CardIn(at, self._slot, uid))

    def _gone(self, at: Instant) -> Sequence[Event]:
        self.uid = None
        self._clash = False
        return (CardOut(at, self._slot),)
