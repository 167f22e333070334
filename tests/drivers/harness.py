"""The drivers on the models of the chips, without a bank, for tests."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from hal.events import MILLISECOND, Event, Instant, Slot
from hal.wiring import Wiring
from sim.chips.mfrc522 import Mfrc522
from sim.chips.picc import Picc
from sim.virtual.hardware import Hardware, VirtualAlarm, drivers
from tests.drivers import rpi_gpio
from tests.drivers.rpi_gpio import GpioLibrary

LEFT, RIGHT = Slot.LEFT, Slot.RIGHT
MS = MILLISECOND
NANOS = 1_000
LIBRARY = GpioLibrary(os.environ.get("TELLERBOX_GPIO", GpioLibrary.LGPIO.value))
"""A process has one GPIO library; test_gpio_libraries starts processes with the other two."""
if LIBRARY is not GpioLibrary.LGPIO:
    rpi_gpio.install(edges=LIBRARY is GpioLibrary.RPI_GPIO)

needs_edges = pytest.mark.skipif(
    LIBRARY is GpioLibrary.RPI_GPIO_WITHOUT_EDGES,
    reason="without edges the keypad is scanned all the time, and keys are seen later",
)


class Bench:
    """The drivers on their models, in virtual time."""

    def __init__(self, hardware: Hardware, *, connect: bool = True) -> None:
        self.hardware = hardware
        self.alarm = VirtualAlarm(hardware)
        self.events: list[Event] = []
        self.board = drivers(hardware).WatchedBoard(hardware, self.alarm, self)
        if connect:
            self.board.connect()

    def saw(self, event: Event) -> None:
        self.events.append(event)

    def showed(self, view: object) -> None:
        """Do nothing: tests read the picture from the model."""

    def heard(self, sound: object) -> None:
        """Do nothing: tests read the notes from the model."""

    @property
    def now(self) -> Instant:
        return self.alarm.now()

    def run(self, duration: int) -> list[Event]:
        """Run for some time and return the events."""
        before = len(self.events)
        end = Instant(self.now + duration)
        while self.now < end:
            self.board.horizon = end
            self.board.wait(end)
        return self.events[before:]

    def run_until_event(self, most: int) -> int:
        """Run until the first event and return the microseconds; fail if it takes too long."""
        start, before = self.now, len(self.events)
        while len(self.events) == before:
            assert self.now - start <= most, "no event in time"
            self.board.horizon = Instant(self.now + MS)
            self.board.wait(self.board.horizon)
        return self.now - start

    def put(self, slot: Slot, uid: bytes) -> Picc:
        card = Picc(uid)
        self.hardware.put(slot, card)
        return card

    def take(self, slot: Slot, card: Picc) -> None:
        self.hardware.take(slot, card)


def mfrc522_of(b: Bench, slot: Slot) -> Mfrc522:
    chip = b.hardware.readers[slot]
    assert isinstance(chip, Mfrc522)
    return chip


def intercept(part: object, call: str, act: Callable[..., Any]) -> Callable[[], None]:
    """Replace a method of an object; return a function that restores it."""
    original = getattr(part, call)
    setattr(part, call, act)
    return lambda: setattr(part, call, original)


def load_packages() -> None:
    """Import the packages of the Pi on the stand-ins, and free the pins again."""
    with bench():
        pass


@contextmanager
def bench(seed: int = 0, wiring: Wiring | None = None, *, connect: bool = True) -> Iterator[Bench]:
    created = Bench(Hardware(wiring, seed), connect=connect)
    try:
        yield created
    finally:
        created.board.cut_power()
