"""Plays for hours on a box whose parts fail at random.

``python -m tests.campaign.bus_faults.bus_bursts SEED ROUNDS``.

In each round parts fail while random input is played; then all parts work again, and the box must
recover. The drivers keep their state from one round to the next.
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
from tests.campaign.bus_faults.bus_calls import MODES
from tests.campaign.bus_faults.bus_table import SLEEP_AFTER, CheckFailed, M, Table, check_recovery
from tests.campaign.bus_faults.failing_hardware import Call, FailingHardware, Failure, FailureMode
from tests.campaign.progress import Progress

RANDOM_KEYS = "0123456789MKCG,"
"""Without F, which can put a player out of the game."""
MIN_BALANCE = 10 * M
"""What card 1 needs for the moves of the check."""
LONGEST_HANG = 31 * SECOND
"""The driver leaves a bus that hung alone for half a minute."""


class Evening:
    """One box, failing at random."""

    def __init__(self, seed: int) -> None:
        self._rng = random.Random(seed)
        self.table = Table(FailingHardware())
        self._hardware = self.table.hardware
        self.happened: Counter[str] = Counter()
        self._repairs: list[Callable[[], None]] = []
        self._recovery_time = 3 * SECOND
        self._screen_polled = True

    def round(self) -> None:
        self._recovery_time, self._repairs = 3 * SECOND, []
        self._hardware.healthy = False
        what = self._rng.choice(
            (
                self._fail_calls,
                self._fail_calls,
                self._fail_calls,
                self._fail_reader,
                self._fail_screen,
                self._hang_bus,
                self._stick_keys,
            )
        )
        what()
        for _ in range(self._rng.randint(1, 12)):
            self._random_input()
        for repair in self._repairs:
            repair()
        self._hardware.failure = None
        self._ensure_balance()
        check_recovery(self.table, self._recovery_time, screen_polled=self._screen_polled)

    # Faults

    def _fail_calls(self) -> None:
        """Some calls fail, from a random one on."""
        call = self._rng.choice([call for call in Call if call is not Call.OPEN])
        mode = self._rng.choice(MODES.get(call, (FailureMode.REFUSED, FailureMode.LATE)))
        first = self._hardware.made[call] + self._rng.randint(1, 400 if call is Call.SPI else 60)
        length = self._rng.choice((1, 3, 21, 100, 400)) if mode is not FailureMode.HANGS else 1
        self._hardware.failure = Failure(call, first, mode, length)
        if mode is FailureMode.HANGS:
            self._recovery_time = LONGEST_HANG
        # The driver stops polling a screen that could not be read or hung.
        self._screen_polled &= call is not Call.I2C_READ and mode is not FailureMode.HANGS
        self.happened[f"{call.value} {mode.value}"] += 1

    def _fail_reader(self) -> None:
        """The chip resets, or is silent for a while."""
        slot = self._rng.choice(list(Slot))
        chip, now = self._hardware.readers[slot], self._hardware.time.now
        if self._rng.random() < 0.5:
            chip.reset_line(False, now)
            chip.reset_line(True, now)
            self.happened["a reader has no power for a moment"] += 1
            return
        chip.alive, chip.dead_line = False, self._rng.choice((0x00, 0xFF))
        self._repairs.append(lambda: setattr(chip, "alive", True))
        self.happened["a reader is silent"] += 1

    def _fail_screen(self) -> None:
        """The screen loses power, for a moment or longer."""
        self._hardware.plug_screen(False)
        if self._rng.random() < 0.5:
            self._hardware.plug_screen(True)
            self.happened["the screen has no power for a moment"] += 1
            return
        self._repairs.append(lambda: self._hardware.plug_screen(True))
        self.happened["the screen has no power"] += 1

    def _hang_bus(self) -> None:
        """The bus is held down: every transfer hangs for a second."""
        self._hardware.i2c_stuck = True
        self._repairs.append(lambda: setattr(self._hardware, "i2c_stuck", False))
        self._recovery_time, self._screen_polled = LONGEST_HANG, False
        self.happened["the bus hangs"] += 1

    def _stick_keys(self) -> None:
        """One to three keys are stuck; three may appear to press a fourth."""
        keys = self._rng.sample([key for key in Key if key is not Key.FUNCTION], 3)
        keys = keys[: self._rng.randint(1, 3)]
        for key in keys:
            self._hardware.press(key)
            self._repairs.append(lambda key=key: self._hardware.let_go(key))  # type: ignore[misc]  # bound now
        self.happened[f"{len(keys)} stuck keys"] += 1

    # Input

    def _random_input(self) -> None:
        table, rng = self.table, self._rng
        match rng.randrange(6):
            case 0:
                slot = rng.choice(list(Slot))
                if not table.holds(slot):
                    card = 1 if slot is Slot.LEFT else 2
                    table.put(slot, card, 400 * MILLISECOND)
            case 1:
                table.take(rng.choice(list(Slot)))
            case 2:
                table.run(rng.choice((200, 700, 2_000, 20_000)) * MILLISECOND)
            case _:
                table.press(rng.choice(RANDOM_KEYS))

    def _ensure_balance(self) -> None:
        """Start a new game if too little money is left."""
        one, two = self.table.balances()
        if one < MIN_BALANCE or two < 0:
            self._hardware.healthy = True
            self.table.run(self._recovery_time)
            self.table.press("G")
            self.table.hold(Key.CANCEL, 3_200 * MILLISECOND)
            self.happened["a new game"] += 1


def play(seed: int, rounds: int, report: Callable[[int], None] = lambda _round: None) -> Evening:
    with patch("firmware.table.box.SLEEP_AFTER", SLEEP_AFTER):
        evening = Evening(seed)
        try:
            for number in range(rounds):
                report(number)
                try:
                    evening.round()
                except CheckFailed as failed:
                    raise CheckFailed(f"seed {seed}, round {number + 1}: {failed}") from None
        finally:
            evening.table.hardware.healthy = True
            evening.table.board.cut_power()
    return evening


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m tests.campaign.bus_faults.bus_bursts",
        description="Fails the parts of one box at random, for simulated hours.",
    )
    parser.add_argument("seed", type=int, metavar="SEED", help="random seed")
    parser.add_argument("rounds", type=int, metavar="ROUNDS", help="1000 rounds take two minutes")
    args = parser.parse_args()
    begun, progress = time.monotonic(), Progress()
    logging.disable(logging.CRITICAL)  # failing parts are expected here
    try:
        evening = play(
            args.seed, args.rounds, lambda done: progress(f"{done} of {args.rounds} rounds")
        )
    except CheckFailed as failed:
        sys.exit(str(failed))
    hours = evening.table.alarm.now() / SECOND / 3600
    for what, count in sorted(evening.happened.items()):
        print(f"{count:5} {what}")
    took = time.monotonic() - begun
    print(f"{args.rounds} rounds, {hours:.1f} simulated hours, {took:.0f} s: nothing was lost")


if __name__ == "__main__":
    main()
