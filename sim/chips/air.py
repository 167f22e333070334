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
        self._switched_at = 0
        self._on_before = 0

    def switch(self, on: bool, now: int) -> None:
        if on != self.on:
            self._on_before = self.on_for(now)
            self._switched_at = now
            self.on = on
            self._air.fields_changed(now)

    def on_for(self, now: int) -> int:
        """How long the field has been on, all in all."""
        return self._on_before + (now - self._switched_at if self.on else 0)

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
        answers = [
            answer
            for other in self.antennas
            if other is antenna or (self.coupling and other.on)
            for card in other.cards
            if (answer := card.hear(self._disturbed(bits), now)) is not None
        ]
        return self._overlaid(answers) if answers else None

    def _overlaid(self, answers: list[Bits]) -> Answer:
        """Cards answer in the same instant: where they differ, the reader sees a collision."""
        if len(answers) == 1:
            return Answer(self._disturbed(answers[0]), frozenset())
        length = max(len(answer) for answer in answers)
        bits, collisions = bytearray(), set()
        for place in range(length):
            said = {answer[place] for answer in answers if place < len(answer)}
            if len(said) > 1:
                collisions.add(place)
            bits.append(max(said))
        return Answer(self._disturbed(bytes(bits)), frozenset(collisions))

    def _disturbed(self, bits: Bits) -> Bits:
        if not self.bit_errors:
            return bits
        chance, rate = self._noise.random, self.bit_errors
        wrong = [place for place in range(len(bits)) if chance() < rate]
        if not wrong:
            return bits
        disturbed = bytearray(bits)
        for place in wrong:
            disturbed[place] ^= 1
        return bytes(disturbed)
