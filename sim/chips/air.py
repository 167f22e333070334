"""The air in front of the antennas: fields, the cards in them, and the noise.

A card is powered by the antenna it lies on; the neighbouring one is too far for that.
But once it is powered it hears what the neighbour says, and answers it: two antennas
side by side read each other's cards while both fields are on.
"""

import random
from typing import NamedTuple

from sim.chips.frame import Bits
from sim.chips.picc import Picc


class Answer(NamedTuple):
    """What an antenna received: the bits, and where two cards said different things."""

    bits: Bits
    collisions: frozenset[int]
    """Positions in the bits, from 0."""


class Antenna:
    """One reader's antenna: its field, and the cards that lie on it."""

    def __init__(self, air: "Air") -> None:
        self._air = air
        self.cards: list[Picc] = []
        self.on = False

    def switch(self, on: bool, now: int) -> None:
        if on != self.on:
            self.on = on
            self._air.fields_changed(now)

    def say(self, bits: Bits, now: int) -> Answer | None:
        """Send a frame; what comes back, or None when nobody answers."""
        return self._air.exchange(self, bits, now)


class Air:
    """All antennas and cards, and how well they hear each other."""

    def __init__(self, seed: int = 0) -> None:
        self._noise = random.Random(seed)
        self.antennas: list[Antenna] = []
        self.bit_errors = 0.0
        """The chance of each bit, both ways, to arrive wrong."""
        self.coupling = True
        """Whether the antennas stand so near that a powered card hears both."""

    def antenna(self) -> Antenna:
        antenna = Antenna(self)
        self.antennas.append(antenna)
        return antenna

    def put(self, card: Picc, antenna: Antenna, now: int) -> None:
        antenna.cards.append(card)
        self.fields_changed(now)

    def take(self, card: Picc, antenna: Antenna, now: int) -> None:
        antenna.cards.remove(card)
        card.field(False, now)

    def fields_changed(self, now: int) -> None:
        for antenna in self.antennas:
            for card in antenna.cards:
                card.field(antenna.on, now)

    def exchange(self, antenna: Antenna, bits: Bits, now: int) -> Answer | None:
        if not antenna.on:
            return None
        hearing = [
            card
            for other in self.antennas
            if other is antenna or (self.coupling and other.on)
            for card in other.cards
        ]
        answers = [card.hear(self._disturbed(bits), now) for card in hearing]
        given = [answer for answer in answers if answer is not None]
        if not given:
            return None
        return self._overlaid(given)

    def _overlaid(self, answers: list[Bits]) -> Answer:
        """Cards answer in the same instant: where they differ, the reader sees a collision."""
        length = max(len(answer) for answer in answers)
        bits, collisions = [], set()
        for place in range(length):
            said = {answer[place] for answer in answers if place < len(answer)}
            if len(said) > 1:
                collisions.add(place)
            bits.append(max(said))
        return Answer(self._disturbed(bits), frozenset(collisions))

    def _disturbed(self, bits: Bits) -> Bits:
        if not self.bit_errors:
            return bits
        return [bit ^ (self._noise.random() < self.bit_errors) for bit in bits]
