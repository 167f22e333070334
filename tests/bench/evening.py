"""A simulated evening: six players, three hours, 600 moves, and pauses in which the box sleeps."""

import random

from firmware.bank import edition as editions
from hal.display.sounds import Sound
from hal.events import SECOND, Key, Slot
from sim.board.harness import Harness
from sim.board.software_harness import SoftwareHarness
from sim.board.stock import STOCK

HOURS = 3
MOVES = 600
PLAYERS = 6
SLEEPS = 30
PAUSE = 90 * SECOND


def keys(text: str) -> tuple[Key, ...]:
    return tuple(Key(letter) for letter in text)


def play_evening(seed: int = 1) -> Harness:
    """Play rents, purchases and salaries in turn, at equal intervals."""
    dice = random.Random(seed)
    harness = SoftwareHarness().begin_new(editions.load("banking"), stock_known=True)
    turn = (HOURS * 3600 * SECOND - SLEEPS * PAUSE) // MOVES
    for move in range(MOVES):
        payee, payer = dice.sample(range(PLAYERS), 2)
        if move % 3 == 0:
            harness.insert(Slot.LEFT, STOCK[payee])
            harness.press(keys("G"))
        else:
            harness.insert(Slot.RIGHT, STOCK[payer])
            if move % 3 == 1:
                harness.insert(Slot.LEFT, STOCK[payee])
            harness.press(keys(f"{dice.randrange(10, 999)}K"))
        assert harness.sound is Sound.OK, "a move of the evening was refused"
        harness.wait(turn)
        for slot in Slot:
            if harness.occupied(slot):
                harness.remove(slot)
        if move % (MOVES // SLEEPS) == 0:
            harness.wait(PAUSE)
            assert harness.asleep
    return harness
