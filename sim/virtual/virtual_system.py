"""The self-test on the virtual board, with a simulated person."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, closing
from typing import Any

from hal.display.pattern import pattern
from hal.events import MILLISECOND, Key, Slot
from hal.findings import Access, Finding, Person
from hal.wiring import Part, Wiring
from sim.chips.picc import Picc
from sim.virtual.hardware import MICRO, Hardware, VirtualAlarm, drivers

REACTION_TIME = 300 * MILLISECOND * MICRO
PRESS = 100 * MILLISECOND * MICRO
TEST_CARD = b"\x04\x54\x45\x53\x54\x01\x80"


class VirtualSystem:
    """A machine without faults, except for those of the hardware at its pins."""

    model = "virtual Raspberry Pi"

    def __init__(self, hardware: Hardware) -> None:
        self._hardware = hardware
        self._alarm = VirtualAlarm(hardware)

    def i2c_speed(self, _bus: int) -> int | None:
        return 400_000

    def access(self, _device: str) -> Access:
        return Access.READY

    def opened(self, wiring: Wiring) -> AbstractContextManager[Any]:
        return closing(drivers(self._hardware).board_on(self._hardware, self._alarm, wiring))


class VirtualPerson:
    """Operates the models, and answers by their state.

    A spectator gets the requests too: the user, who sees how a self-test goes.
    """

    def __init__(self, hardware: Hardware, spectator: Person | None = None) -> None:
        self._hardware = hardware
        self._spectator = spectator
        self._cards = {slot: Picc(TEST_CARD) for slot in Slot}

    def press(self, key: Key) -> None:
        if self._spectator:
            self._spectator.press(key)
        time = self._hardware.time
        time.plan(time.now + REACTION_TIME, lambda: self._hardware.press(key))
        time.plan(time.now + REACTION_TIME + PRESS, lambda: self._hardware.let_go(key))

    def put_card(self, slot: Slot) -> None:
        if self._spectator:
            self._spectator.put_card(slot)
        self._hardware.put(slot, self._cards[slot])

    def take_card(self, slot: Slot) -> None:
        if self._spectator:
            self._spectator.take_card(slot)
        self._hardware.take(slot, self._cards[slot])

    def sees_light(self, part: Part) -> bool:
        return self._hardware.whole(part, "3.3V", "GND")

    def sees_pattern(self) -> bool:
        return self._hardware.oled.picture().tobytes() == pattern().tobytes()

    def hears_tone(self) -> bool:
        return bool(self._hardware.piezo.heard(self._hardware.time.now))


def selftest(wiring: Wiring, person: Person | None) -> Iterator[Finding]:
    hardware = Hardware(wiring)
    drivers(hardware)
    # Imported only after the stand-ins are plugged in.
    from hal.pi.open_board import findings

    helper = VirtualPerson(hardware, person) if person else None
    return findings(wiring, VirtualSystem(hardware), helper)
