"""Hours at a table whose parts fail at random: ``python -m tests.faults.bus_bursts SEED ROUNDS``.

In each round something happens to the parts while hands play at random; then all is in order
again, and the box has to come back. What a driver keeps from one round it takes into the next.
"""

import argparse
import logging
import random
import sys
import time
from collections import Counter
from collections.abc import Callable
from unittest.mock import patch

from hal.events import MILLISECOND, SECOND, Key, Slot
from tests.faults.bus_calls import WAYS
from tests.faults.bus_table import SLEEP_AFTER, Broken, M, Table, come_back
from tests.faults.failing_hardware import Call, FailingHardware, Failure, How
from tests.faults.progress import Progress

TYPED = "0123456789MKCG,"
"""Without F, which can put a player out of the game."""
LEAST = 10 * M
"""What card 1 must have for the moves of a closing."""
LONGEST_HANG = 31 * SECOND
"""A bus that hung is left alone for half a minute."""


class Evening:
    """One box, and a die."""

    def __init__(self, seed: int) -> None:
        self._dice = random.Random(seed)
        self.table = Table(FailingHardware())
        self._hardware = self.table.hardware
        self.happened: Counter[str] = Counter()
        self._mend: list[Callable[[], None]] = []
        self._after = 3 * SECOND
        self._asked = True

    def round(self) -> None:
        self._after, self._mend = 3 * SECOND, []
        self._hardware.in_order = False
        what = self._dice.choice(
            (
                self._calls,
                self._calls,
                self._calls,
                self._reader,
                self._screen,
                self._bus,
                self._key,
            )
        )
        what()
        for _ in range(self._dice.randint(1, 12)):
            self._hand()
        for mend in self._mend:
            mend()
        self._hardware.failure = None
        self._enough_money()
        come_back(self.table, self._after, asked=self._asked)

    # What happens to the parts

    def _calls(self) -> None:
        """From some call on, some fail."""
        call = self._dice.choice([call for call in Call if call is not Call.OPEN])
        how = self._dice.choice(WAYS.get(call, (How.REFUSED, How.LATE)))
        first = self._hardware.made[call] + self._dice.randint(1, 400 if call is Call.SPI else 60)
        length = self._dice.choice((1, 3, 21, 100, 400)) if how is not How.HANGS else 1
        self._hardware.failure = Failure(call, first, how, length)
        if how is How.HANGS:
            self._after = LONGEST_HANG
        # A screen that did not tell how it is, or hung over it, is not asked any more.
        self._asked &= call is not Call.I2C_READ and how is not How.HANGS
        self.happened[f"{call.value} {how.value}"] += 1

    def _reader(self) -> None:
        """Its chip starts anew, or is silent for a while."""
        slot = self._dice.choice(list(Slot))
        chip, now = self._hardware.readers[slot], self._hardware.world.now
        if self._dice.random() < 0.5:
            chip.reset_line(False, now)
            chip.reset_line(True, now)
            self.happened["a reader has no power for a moment"] += 1
            return
        chip.alive, chip.dead_line = False, self._dice.choice((0x00, 0xFF))
        self._mend.append(lambda: setattr(chip, "alive", True))
        self.happened["a reader is silent"] += 1

    def _screen(self) -> None:
        """It has no power, for a moment or for longer."""
        self._hardware.plug_screen(False)
        if self._dice.random() < 0.5:
            self._hardware.plug_screen(True)
            self.happened["the screen has no power for a moment"] += 1
            return
        self._mend.append(lambda: self._hardware.plug_screen(True))
        self.happened["the screen is away"] += 1

    def _bus(self) -> None:
        """Something holds it down: every transfer hangs for a second."""
        self._hardware.i2c_stuck = True
        self._mend.append(lambda: setattr(self._hardware, "i2c_stuck", False))
        self._after, self._asked = LONGEST_HANG, False
        self.happened["the bus hangs"] += 1

    def _key(self) -> None:
        """Something lies on one, two or three keys; three may press a fourth."""
        keys = self._dice.sample([key for key in Key if key is not Key.FUNCTION], 3)
        keys = keys[: self._dice.randint(1, 3)]
        for key in keys:
            self._hardware.press(key)
            self._mend.append(lambda key=key: self._hardware.let_go(key))  # type: ignore[misc]  # bound now
        self.happened[f"{len(keys)} keys are stuck"] += 1

    # Hands

    def _hand(self) -> None:
        table, dice = self.table, self._dice
        match dice.randrange(6):
            case 0:
                slot = dice.choice(list(Slot))
                if not table.holds(slot):
                    card = 1 if slot is Slot.LEFT else 2
                    table.put(slot, card, 400 * MILLISECOND)
            case 1:
                table.take(dice.choice(list(Slot)))
            case 2:
                table.run(dice.choice((200, 700, 2_000, 20_000)) * MILLISECOND)
            case _:
                table.press(dice.choice(TYPED))

    def _enough_money(self) -> None:
        """A new game, where the hands have spent it."""
        one, two = self.table.balances()
        if one < LEAST or two < 0:
            self._hardware.in_order = True
            self.table.run(self._after)
            self.table.press("G")
            self.table.hold(Key.CANCEL, 3_200 * MILLISECOND)
            self.happened["a new game"] += 1


def play(seed: int, rounds: int, tell: Callable[[int], None] = lambda _round: None) -> Evening:
    with patch("firmware.box.SLEEP_AFTER", SLEEP_AFTER):
        evening = Evening(seed)
        try:
            for number in range(rounds):
                tell(number)
                try:
                    evening.round()
                except Broken as broken:
                    raise Broken(f"seed {seed}, round {number + 1}: {broken}") from None
        finally:
            evening.table.hardware.in_order = True
            evening.table.board.cut_power()
    return evening


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m tests.faults.bus_bursts",
        description="Lets the parts of one box fail at random, for hours.",
    )
    parser.add_argument("seed", type=int, metavar="SEED")
    parser.add_argument("rounds", type=int, metavar="ROUNDS", help="a thousand take two minutes")
    args = parser.parse_args()
    begun, progress = time.monotonic(), Progress()
    logging.disable(logging.CRITICAL)  # that parts fail is known here
    try:
        evening = play(
            args.seed, args.rounds, lambda done: progress(f"{done} of {args.rounds} rounds")
        )
    except Broken as broken:
        sys.exit(str(broken))
    hours = evening.table.alarm.now() / SECOND / 3600
    for what, count in sorted(evening.happened.items()):
        print(f"{count:5} {what}")
    took = time.monotonic() - begun
    print(f"{args.rounds} rounds, {hours:.1f} simulated hours, {took:.0f} s: nothing was lost")


if __name__ == "__main__":
    main()
