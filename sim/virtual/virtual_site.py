"""The virtual board under the self-test, with a pair of hands that obeys at once."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from hal.events import MILLISECOND, Key, Slot
from hal.findings import Access, Finding, Person
from hal.pattern import pattern
from hal.wiring import Part, Wiring
from sim.chips.picc import Picc
from sim.virtual import MICRO, Hardware, VirtualAlarm, drivers

A_MOMENT = 300 * MILLISECOND * MICRO
PRESS = 100 * MILLISECOND * MICRO
TEST_CARD = b"\x04\x54\x45\x53\x54\x01\x80"


class VirtualSite:
    """A machine on which everything is as it should be, but for what hangs on its pins."""

    model = "virtual Raspberry Pi"

    def __init__(self, hardware: Hardware) -> None:
        self._hardware = hardware
        self._alarm = VirtualAlarm(hardware)

    def i2c_speed(self, _bus: int) -> int | None:
        return 400_000

    def access(self, _device: str) -> Access:
        return Access.READY

    @contextmanager
    def opened(self, wiring: Wiring) -> Iterator[Any]:
        board = drivers(self._hardware).board_on(self._hardware, self._alarm, wiring)
        try:
            yield board
        finally:
            board.close()


class VirtualPerson:
    """Does to the models what it is asked for, and tells truly what they show.

    Somebody else is told what is asked, to see how a self-test goes.
    """

    def __init__(self, hardware: Hardware, told: Person | None = None) -> None:
        self._hardware = hardware
        self._told = told
        self._cards = {slot: Picc(TEST_CARD) for slot in Slot}

    def press(self, key: Key) -> None:
        if self._told:
            self._told.press(key)
        world = self._hardware.world
        world.plan(world.now + A_MOMENT, lambda: self._hardware.press(key))
        world.plan(world.now + A_MOMENT + PRESS, lambda: self._hardware.let_go(key))

    def put_card(self, slot: Slot) -> None:
        if self._told:
            self._told.put_card(slot)
        self._hardware.put(slot, self._cards[slot])

    def take_card(self, slot: Slot) -> None:
        if self._told:
            self._told.take_card(slot)
        self._hardware.take(slot, self._cards[slot])

    def sees_light(self, part: Part) -> bool:
        return self._hardware.whole(part, "3.3V", "GND")

    def sees_pattern(self) -> bool:
        return self._hardware.oled.picture().tobytes() == pattern().tobytes()

    def hears_tone(self) -> bool:
        return bool(self._hardware.piezo.heard(self._hardware.world.now))


def selftest(wiring: Wiring, person: Person | None) -> Iterator[Finding]:
    hardware = Hardware(wiring)
    drivers(hardware)
    # Only once the stand-ins are there.
    from hal.pi.site import findings

    hands = VirtualPerson(hardware, person) if person else None
    return findings(wiring, VirtualSite(hardware), hands)
