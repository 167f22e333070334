"""A virtual box with a simulated person, who follows the instructions of a script played by hand.

``python -m tests.console.box_by_hand run --board virtual …`` runs ``tellerbox run``. It reads
instructions from standard input, and carries them out on the models of the parts.
"""

import re
import sys
import threading
import time

from firmware.cli import main
from hal.events import Key, Slot
from sim.chips.picc import Picc
from sim.console.wire_play import KEY_NAMES
from sim.virtual import plug
from sim.virtual.hardware import Hardware

A_TAP = 0.06
LATE = 0.15
"""Seconds that the person holds a key for longer than asked."""
KEYS = {KEY_NAMES.get(key, key.value): key for key in Key}


class Hands:
    """The person's cards and fingers; the cards are not the simulator's."""

    def __init__(self) -> None:
        self._cards = {number: Picc(bytes([4, number, 1, 2, 3, 4, 5])) for number in range(1, 11)}
        self._inside: dict[Slot, Picc] = {}

    @property
    def _box(self) -> Hardware:
        board = plug.board()
        assert isinstance(board, Hardware)
        return board

    def obey(self, told: str) -> None:
        """Follow an instruction; ignore any other text."""
        if match := re.search(r"Put your card (\d+) into a slot", told):
            self._put(Slot.LEFT, int(match[1]))
        elif match := re.search(r"Put card (\d+) into the (\w+) slot", told):
            self._put(Slot(match[2]), int(match[1]))
        elif match := re.search(r"Take the card out of the (\w+) slot", told):
            self._take(Slot(match[1]))
        elif "Take it out again" in told or "Both slots must be empty" in told:
            for slot in list(self._inside):
                self._take(slot)
        elif match := re.search(r"Press (.+) and hold it for at least (\S+) seconds", told):
            self._press(KEYS[match[1]], float(match[2]) + LATE)
        elif match := re.search(r"Press (.+)\.$", told):
            for name in match[1].split("  "):
                self._press(KEYS[name], A_TAP)

    def _put(self, slot: Slot, number: int) -> None:
        self._inside[slot] = self._cards[number]
        self._box.put(slot, self._cards[number])

    def _take(self, slot: Slot) -> None:
        self._box.take(slot, self._inside.pop(slot))

    def _press(self, key: Key, seconds: float) -> None:
        self._box.press(key)
        time.sleep(seconds)
        self._box.let_go(key)
        time.sleep(A_TAP)


def listen() -> None:
    hands = Hands()
    for line in sys.stdin:
        hands.obey(line.rstrip("\n"))


if __name__ == "__main__":
    threading.Thread(target=listen, daemon=True).start()
    sys.exit(main())
