"""Turns the results of single scans of a slot into events: card in, card out, clash.

A scan can miss a card: noise garbles a request, or the card is at the edge of the field. So
a card is gone only after several scans in a row without an answer; a garbled answer counts
as present. Another UID that was read and checked is another card at once. This module has
no I/O and no clock.

::

    EMPTY ──one card──► ONE CARD ──another card──► (out, in) ONE CARD
      ▲                    │  ▲
      │           several, │  │ one card,
      │           2 scans  ▼  │ 2 scans
      └──nothing, 4 scans─ CLASH

Tests: tests/drivers/test_presence.py.
"""

from collections.abc import Sequence

from hal.events import CardIn, CardOut, CardsClash, Event, Instant, Slot, is_random_uid
from hal.pi.readers.card_reader import Card, ScanResult

SCANS_WITHOUT_CARD = 4
"""In a row, before a card is gone: 200 ms at one scan every 50 ms."""

SCANS_WITH_CLASH = 2
"""In a row, before a clash begins or ends: noise can look like a second card."""


def same_card(one: bytes, other: bytes) -> bool:
    """Whether two UIDs may be of one card: a phone makes up a new one each time."""
    return one == other or (is_random_uid(one) and is_random_uid(other))


class Presence:
    """The state of one slot."""

    def __init__(self, slot: Slot) -> None:
        self._slot = slot
        self.uid: bytes | None = None
        """The one card that is in."""
        self._clash = False
        self._kind: type[Card] | ScanResult | None = None
        self._repeated = 0
        """How many scans in a row had a result of this kind."""

    @property
    def occupied(self) -> bool:
        return self.uid is not None or self._clash

    def take_in(self, found: Card | ScanResult, at: Instant) -> Sequence[Event]:
        """Process the result of a scan."""
        kind = Card if isinstance(found, Card) else found
        self._repeated = self._repeated + 1 if kind is self._kind else 1
        self._kind = kind
        match found:
            case Card(uid=uid):
                return self._one_card(uid, at)
            case ScanResult.SEVERAL if self._repeated >= SCANS_WITH_CLASH and not self._clash:
                self.uid = None
                self._clash = True
                return (CardsClash(at, self._slot),)
            case ScanResult.NOTHING if self.occupied and self._repeated >= SCANS_WITHOUT_CARD:
                return self._gone(at)
        return ()

    def _one_card(self, uid: bytes, at: Instant) -> Sequence[Event]:
        if self.uid is not None and same_card(uid, self.uid):
            return ()
        if self._clash and self._repeated < SCANS_WITH_CLASH:
            return ()
        before = self._gone(at) if self.occupied else ()
        self.uid = uid
        return (*before, CardIn(at, self._slot, uid))

    def _gone(self, at: Instant) -> Sequence[Event]:
        self.uid = None
        self._clash = False
        return (CardOut(at, self._slot),)
