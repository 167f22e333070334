"""A virtual board without a bank: hands at the models, and what the drivers report."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from hal.events import MILLISECOND, Event, Instant, Slot
from sim.chips.picc import Picc
from sim.chips.stand_ins import GpioLibrary
from sim.virtual import Hardware, VirtualAlarm, drivers

LEFT, RIGHT = Slot.LEFT, Slot.RIGHT
MS = MILLISECOND
NANOS = 1_000
LIBRARY = GpioLibrary(os.environ.get("TELLERBOX_GPIO", GpioLibrary.LGPIO.value))
"""A process has one GPIO library; test_gpio_libraries starts others with the other two."""

needs_edges = pytest.mark.skipif(
    LIBRARY is GpioLibrary.RPI_GPIO_WITHOUT_EDGES,
    reason="without edges the keypad is scanned all the time, and keys are seen a little later",
)


class Bench:
    """The drivers on their models, running for as long as a test wants."""

    def __init__(self, hardware: Hardware) -> None:
        self.hardware = hardware
        self.alarm = VirtualAlarm(hardware)
        self.events: list[Event] = []
        self.board = drivers(hardware, LIBRARY).WatchedBoard(hardware, self.alarm, self)

    def saw(self, event: Event) -> None:
        self.events.append(event)

    def showed(self, view: object) -> None:
        """Nothing to keep: tests look at the glass."""

    def heard(self, sound: object) -> None:
        """Nothing to keep: tests listen to the buzzer."""

    @property
    def now(self) -> Instant:
        return self.alarm.now()

    def run(self, duration: int) -> list[Event]:
        """Let time pass; what was reported in it."""
        before = len(self.events)
        end = Instant(self.now + duration)
        while self.now < end:
            self.board.horizon = end
            self.board.wait(end)
        return self.events[before:]

    def run_until_event(self, most: int) -> int:
        """Microseconds until the drivers report something; fails when they do not."""
        start, before = self.now, len(self.events)
        while len(self.events) == before:
            assert self.now - start <= most, "nothing was reported in time"
            self.board.horizon = Instant(self.now + MS)
            self.board.wait(self.board.horizon)
        return self.now - start

    def put(self, slot: Slot, uid: bytes) -> Picc:
        card = Picc(uid)
        self.hardware.put(slot, card)
        return card

    def take(self, slot: Slot, card: Picc) -> None:
        self.hardware.take(slot, card)


def intercept(part: object, call: str, act: Callable[..., Any]) -> Callable[[], None]:
    """From here on `act` is called in a part's stead; gives what ends that."""
    through = getattr(part, call)
    setattr(part, call, act)
    return lambda: setattr(part, call, through)


@contextmanager
def bench(seed: int = 0) -> Iterator[Bench]:
    made = Bench(Hardware(seed=seed))
    try:
        yield made
    finally:
        made.board.cut_power()
