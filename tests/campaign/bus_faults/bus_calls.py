"""Fails each call of the drivers in turn.

``python -m tests.campaign.bus_faults.bus_calls [--all]``.

A short evening is played once. The process forks before each call that is to fail: in the child the
call fails, and the evening and the final check are played; in the parent the call succeeds. So
every failure hits the same box.
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
from tests.campaign.bus_faults.bus_table import (
    AFTER_THE_EVENING,
    KEYS,
    SLEEP_AFTER,
    CheckFailed,
    Table,
    evening,
    finish,
)
from tests.campaign.bus_faults.failing_hardware import Call, FailingHardware, Failure, FailureMode
from tests.campaign.progress import Progress
from tests.drivers.harness import LIBRARY
from tests.drivers.rpi_gpio import GpioLibrary

BURST = 21
"""A call and the next twenty."""
GPIO_CHIP_OPEN = 1
"""lgpio's chip is opened before there is a board; tests/drivers covers that."""

START_ERROR = re.compile(
    r"the pins cannot be used: "
    r"(/dev/gpiochip0|the (keypad|buzzer)'s \S+ to pin \d+ \(GPIO \d+, .+\)): .+"
)
"""The message of a box that cannot start: it names the device, or the part, wire and pin."""

Choose = Callable[[Call, int], Sequence[Failure]]
"""Returns the failures to try at the n-th call of a kind, each in its own evening."""


class Outcome(NamedTuple):
    """The result of one failure."""

    failure: Failure
    start_error: str
    """The message with which the box refused to start; empty if it started."""
    problem: str
    """What went wrong; empty if nothing did."""


class Campaign:
    """Plays one evening, and forks for each failure."""

    def __init__(self, choose: Choose, report: Callable[[Outcome], None]) -> None:
        self._choose = choose
        self._report = report
        self._hardware = FailingHardware(self._fork_failures)
        self._write_end: int | None = None
        """In a child: the pipe for its outcome."""

    def play(self) -> Counter[Call]:
        """Report all outcomes; return how many calls of each kind the evening makes."""
        gc.collect()
        gc.freeze()  # lets children share the memory they do not touch
        with unraisable_errors() as errors:
            start_error, problem = self._play_all()
            gc.collect()
        problem = problem or "; ".join(errors)
        if self._write_end is not None:
            os.write(self._write_end, f"{start_error}\0{problem}".encode()[:60_000])
            os._exit(0)
        if start_error or problem:
            raise CheckFailed(f"without any failure: {start_error}{problem}")
        return self._made

    def _play_all(self) -> tuple[str, str]:
        """The start error and the problem; both empty if all is well."""
        try:
            with patch("firmware.table.box.SLEEP_AFTER", SLEEP_AFTER):
                self._play_evening()
        except BoardFault as fault:
            matches = START_ERROR.fullmatch(str(fault))
            return str(fault), "" if matches else f"does not name the wire: {fault}"
        except CheckFailed as failed:
            return "", str(failed)
        except Exception:  # anything that stops the firmware is a problem
            return "", traceback.format_exc()
        return "", ""

    def _play_evening(self) -> None:
        table = Table(self._hardware)
        try:
            self._play(table)
        finally:
            if self._write_end is None:
                table.board.cut_power()

    def _play(self, table: Table) -> None:
        evening(table)
        if self._must_play_fully:
            table.check(table.keys() == KEYS, f"wrong keys: {table.keys()}")
            table.check(
                table.balances() == AFTER_THE_EVENING, f"wrong balances: {table.balances()}"
            )
        if self._write_end is None:
            self._made = Counter(self._hardware.made)
            self._choose = lambda _call, _number: ()
        finish(table)

    @property
    def _must_play_fully(self) -> bool:
        """A single failure must not cost a key or a move, unless the call hangs."""
        failure = self._hardware.failure
        return failure is None or (failure.length == 1 and failure.mode is not FailureMode.HANGS)

    def _fork_failures(self, call: Call, number: int) -> None:
        for failure in self._choose(call, number):
            read_end, write_end = os.pipe()
            child = os.fork()
            if child == 0:
                os.close(read_end)
                self._write_end = write_end
                self._choose = lambda _call, _number: ()
                self._hardware.failure = failure
                return
            os.close(write_end)
            self._report(Outcome(failure, *_read_outcome(read_end, child)))


@contextmanager
def unraisable_errors() -> Iterator[list[str]]:
    """Collect exceptions that Python would only print.

    One is expected: if PWM cannot be set at the start, gpiozero closes the half-made device; if
    that fails too, gpiozero tries again when the device is garbage collected. The box has already
    exited with its message by then, and the kernel frees the pins.
    """
    errors: list[str] = []

    def note(what: "sys.UnraisableHookArgs") -> None:
        if what.object != Device.__del__:
            errors.append(f"{what.exc_value!r} was raised and ignored in {what.object!r}")

    before = sys.unraisablehook
    sys.unraisablehook = note
    try:
        yield errors
    finally:
        sys.unraisablehook = before


def _read_outcome(read_end: int, child: int) -> tuple[str, str]:
    with os.fdopen(read_end, "rb") as pipe:
        text = pipe.read().decode()
    os.waitpid(child, 0)
    start_error, found, problem = text.partition("\0")
    return (start_error, problem) if found else ("", "the process ended without a result")


MODES = {
    Call.SPI: (FailureMode.REFUSED, FailureMode.LATE, FailureMode.ZEROS, FailureMode.ONES),
    Call.I2C_WRITE: (FailureMode.REFUSED, FailureMode.LATE, FailureMode.TORN, FailureMode.HANGS),
    Call.I2C_READ: (FailureMode.REFUSED, FailureMode.LATE, FailureMode.HANGS),
}
MANY = (Call.SPI, Call.READ, Call.CLAIM_INPUT, Call.CLAIM_OUTPUT)
STRIDE = 61
"""For kinds with many calls the short run fails one call in this many."""
FIRST_FEW = 5
"""The first calls of each kind, those of a start, are never skipped."""


def failures_at(call: Call, number: int) -> list[Failure]:
    """All failures that begin with a call: the call alone in each mode, and a burst."""
    if (call, number, LIBRARY) == (Call.OPEN, GPIO_CHIP_OPEN, GpioLibrary.LGPIO):
        return []
    if (call, LIBRARY) == (Call.READ, GpioLibrary.RPI_GPIO):
        # RPi.GPIO reads the processor's registers, also in its edge detection thread.
        return []
    single = [
        Failure(call, number, mode)
        for mode in MODES.get(call, (FailureMode.REFUSED, FailureMode.LATE))
    ]
    return [*single, Failure(call, number, FailureMode.REFUSED, BURST)]


def every_call(call: Call, number: int) -> Sequence[Failure]:
    """Each call alone, with rotating modes, and bursts one after the other.

    For kinds with few calls every call also starts a burst.
    """
    of_call = failures_at(call, number)
    if not of_call:
        return ()
    *single, burst = of_call
    starts_burst = call not in MANY or number % BURST == 0
    return (single[number % len(single)], *([burst] if starts_burst else []))


def some_calls(call: Call, number: int, *, one_in: int = 1) -> Sequence[Failure]:
    """Every call of the kinds with few calls, every 61st of the others, with rotating modes.

    ``one_in`` reduces this further, except for the first few calls of each kind.
    """
    stride = (STRIDE if call in MANY else 1) * (one_in if number >= FIRST_FEW else 1)
    turn, rest = divmod(number, stride)
    of_call = failures_at(call, number)
    return (of_call[turn % len(of_call)],) if of_call and rest == 0 else ()


class Summary:
    """Adds up all outcomes."""

    def __init__(self, report: Callable[[str], None]) -> None:
        self._report = report
        self._begun = time.monotonic()
        self.tried: Counter[Call] = Counter()
        self.modes: Counter[FailureMode] = Counter()
        self.single = self.bursts = 0
        self.start_errors: Counter[str] = Counter()
        self.problems: list[Outcome] = []

    def add(self, outcome: Outcome) -> None:
        self.tried[outcome.failure.call] += 1
        self.modes[outcome.failure.mode] += 1
        self.bursts += outcome.failure.length > 1
        self.single += outcome.failure.length == 1
        self.start_errors.update([outcome.start_error] if outcome.start_error else [])
        self.problems += [outcome] if outcome.problem else []
        if outcome.problem:
            print(f"{outcome.failure}: {outcome.problem}", flush=True)
        self._report(f"{self.tried.total()} failures, at {outcome.failure}")

    def lines(self, made: Counter[Call]) -> list[str]:
        counts = [f"{call.value:16} {made[call]:5} {self.tried[call]:6}" for call in Call]
        return [
            f"{'call':16} {'made':>5} {'failed':>6}",
            *counts,
            "modes: " + ", ".join(f"{self.modes[mode]} {mode.value}" for mode in FailureMode),
            f"{self.single} alone, {self.bursts} as the first of {BURST};"
            f" {self.start_errors.total()} refused to start"
            f" ({len(self.start_errors)} different messages); {len(self.problems)} problems;"
            f" {time.monotonic() - self._begun:.0f} s",
        ]


def run_campaign(choose: Choose, report: Callable[[str], None] = lambda _: None) -> Summary:
    """Play all failures, print the summary and return it."""
    logging.disable(logging.CRITICAL)
    try:
        summary = Summary(report)
        made = Campaign(choose, summary.add).play()
    finally:
        gc.unfreeze()
        logging.disable(logging.NOTSET)
    print(*summary.lines(made), sep="\n")
    return summary


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m tests.campaign.bus_faults.bus_calls",
        description="Plays a short evening on the virtual board and fails SPI and I2C transfers "
        "and GPIO calls in turn, each in its own evening. Afterwards all calls succeed, and the "
        "box must recover. Without --all it fails every call of the kinds with few calls and every "
        f"{STRIDE}st of the others ({', '.join(c.value for c in MANY)}), with rotating failure "
        f"modes; one mode is a burst, the call and the next {BURST - 1} of its kind.",
    )
    parser.add_argument(
        "--all",
        action="store_true",
        help="every call alone, with rotating modes, and bursts from every call of the kinds with "
        f"few calls and from every {BURST}st of the others",
    )
    args = parser.parse_args()
    summary = run_campaign(every_call if args.all else some_calls, Progress())
    sys.exit(bool(summary.problems))


if __name__ == "__main__":
    main()
