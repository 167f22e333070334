"""The table around the box: where each card is, whose finger is on which key, what is broken.

It outlives the firmware's process, as a table outlives a power cut. Whatever a person does
is done here first, and what that means for the box is given back.
"""

from collections.abc import Hashable
from typing import Any

from hal.events import Key, Slot
from sim.panel.actions import Done, Fault, Press, Put, Refusal, Refused, Release, Take


class Table:
    """The same for all who look at it."""

    def __init__(self) -> None:
        self.cards: tuple[int, ...] = ()
        self.slots: dict[Slot, int | None] = dict.fromkeys(Slot)
        self.faults: set[Fault] = set()
        self.power = False
        self.recording = False
        self._fingers: dict[Key, set[Hashable]] = {}

    def put(self, card: int, slot: Slot) -> list[Done]:
        """A card goes into a slot, out of the other one if it was there."""
        if card not in self.cards:
            raise Refused(Refusal.UNKNOWN)
        if self.slots[slot] == card:
            return []
        if self.slots[slot] is not None:
            raise Refused(Refusal.SLOT_FULL)
        before = self.take(card)
        self.slots[slot] = card
        assert list(self.slots.values()).count(card) == 1, "one card is in one place"
        return [*before, Put(card, slot)]

    def take(self, card: int) -> list[Done]:
        """A card comes out, if it is in."""
        for slot, held in self.slots.items():
            if held == card:
                self.slots[slot] = None
                return [Take(card)]
        return []

    def lay_out(self, cards: tuple[int, ...]) -> None:
        """These cards lie on the table, and those that are in the box stay there."""
        held = {card for card in self.slots.values() if card is not None}
        self.cards = tuple(sorted({*cards, *held}))

    def clear(self) -> None:
        """All cards come out."""
        self.slots = dict.fromkeys(Slot)

    @property
    def down(self) -> list[Key]:
        """The keys that somebody holds."""
        return list(self._fingers)

    def press(self, who: Hashable, key: Key) -> list[Done]:
        fingers = self._fingers.setdefault(key, set())
        first = not fingers
        fingers.add(who)
        return [Press(key)] if first else []

    def release(self, who: Hashable, key: Key) -> list[Done]:
        """The key is up when the last finger has left it."""
        fingers = self._fingers.get(key, set())
        if who not in fingers:
            return []
        fingers.remove(who)
        if fingers:
            return []
        del self._fingers[key]
        return [Release(key)]

    def held_by(self, who: Hashable) -> list[Key]:
        return [key for key, fingers in self._fingers.items() if who in fingers]

    def in_words(self) -> dict[str, Any]:
        """For the page."""
        return {
            **{slot.value: card for slot, card in self.slots.items()},
            "down": [key.value for key in self.down],
            "power": self.power,
            "faults": sorted(fault.value for fault in self.faults),
            "recording": self.recording,
        }


def moves(before: dict[Slot, int | None], after: dict[Slot, int | None]) -> list[str]:
    """What happened to the cards, as a script says it."""
    changed = [slot for slot in Slot if before[slot] != after[slot]]
    out = [f"remove {slot.value}" for slot in changed if before[slot] is not None]
    return [*out, *(f"insert {s.value} {after[s]}" for s in changed if after[s] is not None)]
