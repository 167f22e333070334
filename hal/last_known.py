"""The lasting state that the parts have reported: cards in their slots, lost readers, low power.

A part reports each event once. A bank that starts later than its board, because its ledger was
refused or because it was restarted, gets the state from here.
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


class LastKnown:
    """The last event of each slot and of the supply, while it holds."""

    def __init__(self) -> None:
        self._slots: dict[Slot, CardIn | CardsClash | ReaderLost] = {}
        self._power: PowerLow | None = None

    def update(self, event: Event) -> None:
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
        """The slots that hold a card or more, the left one first."""
        return [slot for slot in Slot if isinstance(self._slots.get(slot), CardIn | CardsClash)]

    def again(self, now: Instant) -> list[Event]:
        """Return these events as of now, the left slot first (P3)."""
        slots: list[Event] = [self._slots[slot] for slot in Slot if slot in self._slots]
        power: list[Event] = [self._power] if self._power else []
        return [event._replace(at=now) for event in (*power, *slots)]
