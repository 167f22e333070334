"""A simulated evening: six players, three hours, six hundred moves, and pauses to sleep in."""

import random

from firmware import edition as editions
from hal.events import SECOND, Key, Slot
from hal.sounds import Sound
from sim.rig import Rig
from sim.stock import STOCK

HOURS = 3
MOVES = 600
PLAYERS = 6
SLEEPS = 30
PAUSE = 90 * SECOND


def keys(text: str) -> tuple[Key, ...]:
    return tuple(Key(letter) for letter in text)


def play_evening(seed: int = 1) -> Rig:
    """Rents, purchases and salaries in turn; the time left over is spread between them."""
    dice = random.Random(seed)
    rig = Rig.new(editions.load("banking"), stock_known=True)
    turn = (HOURS * 3600 * SECOND - SLEEPS * PAUSE) // MOVES
    for move in range(MOVES):
        payee, payer = dice.sample(range(PLAYERS), 2)
        if move % 3 == 0:
            rig.insert(Slot.LEFT, STOCK[payee])
            rig.press(keys("G"))
        else:
            rig.insert(Slot.RIGHT, STOCK[payer])
            if move % 3 == 1:
                rig.insert(Slot.LEFT, STOCK[payee])
            rig.press(keys(f"{dice.randrange(10, 999)}K"))
        assert rig.sound is Sound.OK, "a move of the evening was refused"
        rig.wait(turn)
        for slot in Slot:
            if rig.occupied(slot):
                rig.remove(slot)
        if move % (MOVES // SLEEPS) == 0:
            rig.wait(PAUSE)
            assert rig.asleep
    return rig
