"""The radio link between the antennas and the cards: fields and noise.

A card gets its power from the antenna it lies on; the neighbouring one is too far away. But
a powered card also receives and answers the neighbour: two antennas side by side read each
other's cards while both fields are on.
"""

import random
from itertools import zip_longest
from typing import NamedTuple

from sim.chips.frame import Bits
from sim.chips.picc import Picc


class RadioAnswer(NamedTuple):
    """What an antenna received: the bits, and where the answers of two cards differed."""

    bits: Bits
    collisions: frozenset[int]
    """Bit positions, from 0."""


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

    def transmit(self, bits: Bits, now: int) -> RadioAnswer | None:
        """Send a frame and return the answer; None if no card answers."""
        return self._air.exchange(self, bits, now)


class Air:
    """The link between all antennas and cards."""

    def __init__(self, seed: int = 0) -> None:
        self._noise = random.Random(seed)
        self.antennas: list[Antenna] = []
        self.bit_errors = 0.0
        """The probability of each bit, in both directions, to arrive wrong."""

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

    def exchange(self, antenna: Antenna, bits: Bits, now: int) -> RadioAnswer | None:
        if not antenna.on:
            return None
        answers = [
            answer
            for other in self.antennas
            if other.on
            for card in other.cards
            if (answer := card.hear(self._add_noise(bits), now)) is not None
        ]
        return self._superpose(answers) if answers else None

    def _superpose(self, answers: list[Bits]) -> RadioAnswer:
        """Combine simultaneous answers; bits that differ are collisions."""
        if len(answers) == 1:
            return RadioAnswer(self._add_noise(answers[0]), frozenset())
        values = [{*bits} - {None} for bits in zip_longest(*answers)]
        collisions = frozenset(place for place, seen in enumerate(values) if len(seen) > 1)
        return RadioAnswer(self._add_noise(bytes(max(seen) for seen in values)), collisions)

    def _add_noise(self, bits: Bits) -> Bits:
        if not self.bit_errors:
            return bits
        draw, rate = self._noise.random, self.bit_errors
        return bytes([bit ^ (draw() < rate) for bit in bits])
