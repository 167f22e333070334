"""The state of the table around the box: cards, held keys, faults, power.

It is kept when a power cut kills the firmware's process. Each action of a user changes this
state first; the methods return the resulting actions on the box.
"""

from collections.abc import Hashable
from typing import Any

from hal.events import Key, Slot
from sim.panel import actions
from sim.panel.actions import ActionRefusal, ActionRefused, BoxAction, PanelFault


class TableState:
    """Shared by all viewers."""

    def __init__(self) -> None:
        self.cards: tuple[int, ...] = ()
        self.slots: dict[Slot, int | None] = dict.fromkeys(Slot)
        self.faults: set[PanelFault] = set()
        self.power = False
        self._holders: dict[Key, set[Hashable]] = {}

    def put(self, card: int, slot: Slot) -> list[BoxAction]:
        """Put a card into a slot; take it out of the other slot first if it is there."""
        if card not in self.cards:
            raise ActionRefused(ActionRefusal.UNKNOWN)
        if self.slots[slot] == card:
            return []
        if self.slots[slot] is not None:
            raise ActionRefused(ActionRefusal.SLOT_FULL)
        taken_out = self.take(card)
        self.slots[slot] = card
        assert list(self.slots.values()).count(card) == 1, f"card {card} is in both slots"
        return [*taken_out, actions.PutCard(card, slot)]

    def take(self, card: int) -> list[BoxAction]:
        """Take a card out, if it is in a slot."""
        for slot, held in self.slots.items():
            if held == card:
                self.slots[slot] = None
                return [actions.TakeCard(card)]
        return []

    def lay_out(self, cards: tuple[int, ...]) -> None:
        """Set the available cards; a card in a slot stays available."""
        held = {card for card in self.slots.values() if card is not None}
        self.cards = tuple(sorted({*cards, *held}))

    def clear(self) -> None:
        """Empty both slots."""
        self.slots = dict.fromkeys(Slot)

    @property
    def down(self) -> list[Key]:
        return list(self._holders)

    def press(self, holder: Hashable, key: Key) -> list[BoxAction]:
        holders = self._holders.setdefault(key, set())
        first = not holders
        holders.add(holder)
        return [actions.PressKey(key)] if first else []

    def release(self, holder: Hashable, key: Key) -> list[BoxAction]:
        """The key goes up when its last holder releases it."""
        holders = self._holders.get(key, set())
        if holder not in holders:
            return []
        holders.remove(holder)
        if holders:
            return []
        del self._holders[key]
        return [actions.ReleaseKey(key)]

    def held_by(self, holder: Hashable) -> list[Key]:
        return [key for key, holders in self._holders.items() if holder in holders]

    def as_message(self) -> dict[str, Any]:
        """The content of the page's ``table`` message."""
        return {
            **{slot.value: card for slot, card in self.slots.items()},
            "down": [key.value for key in self.down],
            "power": self.power,
            "faults": sorted(fault.value for fault in self.faults),
        }


def script_lines(before: dict[Slot, int | None], after: dict[Slot, int | None]) -> list[str]:
    """The moves of cards between two states, as lines of a script."""
    changed = [slot for slot in Slot if before[slot] != after[slot]]
    out = [f"remove {slot.value}" for slot in changed if before[slot] is not None]
    return [*out, *(f"insert {s.value} {after[s]}" for s in changed if after[s] is not None)]
