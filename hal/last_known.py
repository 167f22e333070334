"""What the parts have told that still holds: cards in their slots, what is wrong with the box.

A part tells each thing once. A bank that begins later than its board, because its ledger was
refused for a while or because a script has restarted it, is told from here.
"""

from hal.events import (
    CardIn,
    CardOut,
    CardsClash,
    Event,
    Instant,
    PowerGood,
    PowerLow,
    ReaderBack,
    ReaderLost,
    Slot,
)


class Standing:
    """The newest of everything that lasts."""

    def __init__(self) -> None:
        self._slots: dict[Slot, CardIn | CardsClash | ReaderLost] = {}
        self._power: PowerLow | None = None

    def take_in(self, event: Event) -> None:
        match event:
            case CardIn() | CardsClash() | ReaderLost():
                self._slots[event.slot] = event
            case CardOut() | ReaderBack():
                self._slots.pop(event.slot, None)
            case PowerLow():
                self._power = event
            case PowerGood():
                self._power = None

    @property
    def occupied(self) -> list[Slot]:
        """The slots that hold a card, or more than one; the left one first."""
        return [slot for slot in Slot if isinstance(self._slots.get(slot), CardIn | CardsClash)]

    def again(self, now: Instant) -> list[Event]:
        """All of it as if it had happened just now, the left slot first (P3)."""
        slots: list[Event] = [self._slots[slot] for slot in Slot if slot in self._slots]
        power: list[Event] = [self._power] if self._power else []
        return [event._replace(at=now) for event in (*power, *slots)]
