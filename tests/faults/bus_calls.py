"""The calls that the drivers make fail in turn: ``python -m tests.faults.bus_calls [--all]``.

A short evening is played once. Before each call that is to fail the process forks: in the
child the call fails, and the evening goes on to its end and the closing after it; in the
parent all is well, and it comes to the next call. So every failure meets the very same box.
"""

import argparse
import gc
import logging
import os
import re
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple
from unittest.mock import patch

from gpiozero import Device

from hal.faults import BoardFault
from sim.chips.stand_ins import GpioLibrary
from tests.drivers.harness import LIBRARY
from tests.faults.bus_table import (
    AFTER_THE_EVENING,
    KEYS,
    SLEEP_AFTER,
    Broken,
    Table,
    closing,
    evening,
)
from tests.faults.failing_hardware import Call, FailingHardware, Failure, How
from tests.faults.progress import Progress

BURST = 21
"""A call and the next twenty."""
FACTORY = 1
"""lgpio's chip is opened by whoever opens the board, before there is one: tests/drivers has it."""

SENTENCE = re.compile(
    r"the pins cannot be used: the (keypad|buzzer)'s \S+ to pin \d+ \(GPIO \d+, .+\): .+"
)
"""How a box ends that cannot start: it names the part, the wire and the pin."""

Choice = Callable[[Call, int], Sequence[Failure]]
"""What is to fail at a call of a kind, by its number; each in an evening of its own."""


class Outcome(NamedTuple):
    """What came of one failure."""

    failure: Failure
    ended: str
    """The one sentence with which the box refused to start; empty when it played."""
    wrong: str
    """What it did that it must not; empty when all was well."""


class Campaign:
    """One evening, with many ends."""

    def __init__(self, choice: Choice, tell: Callable[[Outcome], None]) -> None:
        self._choice = choice
        self._tell = tell
        self._hardware = FailingHardware(self._before)
        self._write_end: int | None = None
        """In a child: where its outcome is told."""

    def play(self) -> Counter[Call]:
        """Tells every outcome; how many calls of each kind the evening has."""
        gc.collect()
        gc.freeze()  # what children do not touch they share
        with unheard() as said:
            ended, wrong = self._whole()
            gc.collect()
        wrong = wrong or "; ".join(said)
        if self._write_end is not None:
            os.write(self._write_end, f"{ended}\0{wrong}".encode()[:60_000])
            os._exit(0)
        if ended or wrong:
            raise Broken(f"without any failure: {ended}{wrong}")
        return self._made

    def _whole(self) -> tuple[str, str]:
        """How it ended, and what was wrong; nothing, if all is well."""
        try:
            with patch("firmware.box.SLEEP_AFTER", SLEEP_AFTER):
                self._evening()
        except BoardFault as fault:
            named = SENTENCE.fullmatch(str(fault))
            return str(fault), "" if named else f"which wire? {fault}"
        except Broken as broken:
            return "", str(broken)
        except Exception:  # whatever stops the firmware is what is looked for
            return "", traceback.format_exc()
        return "", ""

    def _evening(self) -> None:
        table = Table(self._hardware)
        try:
            self._play(table)
        finally:
            if self._write_end is None:
                table.board.cut_power()

    def _play(self, table: Table) -> None:
        evening(table)
        if self._is_harmless:
            table.must(table.keys() == KEYS, f"the keys were {table.keys()}")
            table.must(table.balances() == AFTER_THE_EVENING, f"balances {table.balances()}")
        if self._write_end is None:
            self._made = Counter(self._hardware.made)
            self._choice = lambda _call, _number: ()
        closing(table)

    @property
    def _is_harmless(self) -> bool:
        """A call that fails once costs nobody a key or a move, unless it takes a second."""
        failure = self._hardware.failure
        return failure is None or (failure.length == 1 and failure.how is not How.HANGS)

    def _before(self, call: Call, number: int) -> None:
        for failure in self._choice(call, number):
            read_end, write_end = os.pipe()
            child = os.fork()
            if child == 0:
                os.close(read_end)
                self._write_end = write_end
                self._choice = lambda _call, _number: ()
                self._hardware.failure = failure
                return
            os.close(write_end)
            self._tell(Outcome(failure, *_told(read_end, child)))


@contextmanager
def unheard() -> Iterator[list[str]]:
    """What goes wrong where Python has nobody to tell, and would print it; it is told here.

    But for one thing. When the wave cannot be set at the start, gpiozero closes the device that
    it has half made; when that fails, too, nobody has got hold of the device to close it, and
    gpiozero tries once more as it is thrown away. By then the box has ended with its sentence,
    and the pins are the kernel's to free.
    """
    said: list[str] = []

    def note(what: "sys.UnraisableHookArgs") -> None:
        if what.object != Device.__del__:
            said.append(f"{what.exc_value!r} was raised in {what.object!r}, and nobody heard it")

    before = sys.unraisablehook
    sys.unraisablehook = note
    try:
        yield said
    finally:
        sys.unraisablehook = before


def _told(read_end: int, child: int) -> tuple[str, str]:
    with os.fdopen(read_end, "rb") as pipe:
        told = pipe.read().decode()
    os.waitpid(child, 0)
    ended, found, wrong = told.partition("\0")
    return (ended, wrong) if found else ("", "the process ended without a word")


WAYS = {
    Call.SPI: (How.REFUSED, How.LATE, How.ZEROS, How.ONES),
    Call.I2C_WRITE: (How.REFUSED, How.LATE, How.TORN, How.HANGS),
    Call.I2C_READ: (How.REFUSED, How.LATE, How.HANGS),
}
MANY = (Call.SPI, Call.READ, Call.CLAIM_INPUT, Call.CLAIM_OUTPUT)
STRIDE = 61
"""Of a kind that has many, every so-many-th call is enough for every day."""


def ways(call: Call, number: int) -> list[Failure]:
    """All failures that begin with a call: it alone, in each way that it can, and a burst."""
    if (call, number, LIBRARY) == (Call.OPEN, FACTORY, GpioLibrary.LGPIO):
        return []
    if (call, LIBRARY) == (Call.READ, GpioLibrary.RPI_GPIO):
        # It reads the processor's own registers, also in the thread that tells of edges.
        return []
    alone = [Failure(call, number, how) for how in WAYS.get(call, (How.REFUSED, How.LATE))]
    return [*alone, Failure(call, number, How.REFUSED, BURST)]


def every_call(call: Call, number: int) -> Sequence[Failure]:
    """Each call alone, in its ways by turns; and bursts, one after the other.

    Of the kinds that have few every call begins a burst.
    """
    of_call = ways(call, number)
    if not of_call:
        return ()
    *alone, burst = of_call
    begins = call not in MANY or number % BURST == 0
    return (alone[number % len(alone)], *([burst] if begins else []))


def some_calls(call: Call, number: int) -> Sequence[Failure]:
    """Every call of the kinds that have few, and of the others every 61st; in its ways by turns."""
    turn, rest = divmod(number, STRIDE if call in MANY else 1)
    of_call = ways(call, number)
    return (of_call[turn % len(of_call)],) if of_call and rest == 0 else ()


class Tally:
    """What came of all of them."""

    def __init__(self, tell: Callable[[str], None]) -> None:
        self._tell = tell
        self._begun = time.monotonic()
        self.tried: Counter[Call] = Counter()
        self.ways: Counter[How] = Counter()
        self.alone = self.bursts = 0
        self.ended: Counter[str] = Counter()
        self.wrong: list[Outcome] = []

    def take(self, outcome: Outcome) -> None:
        self.tried[outcome.failure.call] += 1
        self.ways[outcome.failure.how] += 1
        self.bursts += outcome.failure.length > 1
        self.alone += outcome.failure.length == 1
        self.ended.update([outcome.ended] if outcome.ended else [])
        self.wrong += [outcome] if outcome.wrong else []
        if outcome.wrong:
            print(f"{outcome.failure}: {outcome.wrong}", flush=True)
        self._tell(f"{self.tried.total()} failures, at {outcome.failure}")

    def lines(self, made: Counter[Call]) -> list[str]:
        counts = [f"{call.value:16} {made[call]:5} {self.tried[call]:6}" for call in Call]
        return [
            f"{'call':16} {'made':>5} {'failed':>6}",
            *counts,
            "how they failed: " + ", ".join(f"{self.ways[how]} {how.value}" for how in How),
            f"{self.alone} alone, {self.bursts} as the first of {BURST};"
            f" {self.ended.total()} ended the start with one sentence"
            f" ({len(self.ended)} different); {len(self.wrong)} wrong;"
            f" {time.monotonic() - self._begun:.0f} s",
        ]


def campaign(choice: Choice, tell: Callable[[str], None] = lambda _: None) -> Tally:
    """Plays, prints what was tried and what came of it, and hands it back."""
    logging.disable(logging.CRITICAL)
    try:
        tally = Tally(tell)
        made = Campaign(choice, tally.take).play()
    finally:
        gc.unfreeze()
        logging.disable(logging.NOTSET)
    print(*tally.lines(made), sep="\n")
    return tally


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m tests.faults.bus_calls",
        description="Plays a short evening on the virtual board, in which SPI and I2C transfers "
        "and GPIO calls fail in turn, each in an evening of its own; then all is in order again, "
        "and the box must come back. Without --all it fails every call of the kinds that are few "
        f"and every {STRIDE}st of those that are many ({', '.join(c.value for c in MANY)}), each "
        "in one of the ways in which it can fail, the next one in the next way; one of the ways "
        f"is a burst, the call and the next {BURST - 1} of its kind.",
    )
    parser.add_argument(
        "--all",
        action="store_true",
        help="every call alone, in its ways by turns; and bursts besides, from every call of the "
        f"kinds that are few, and from every {BURST}st of the others",
    )
    args = parser.parse_args()
    tally = campaign(every_call if args.all else some_calls, Progress())
    sys.exit(bool(tally.wrong))


if __name__ == "__main__":
    main()
