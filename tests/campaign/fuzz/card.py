"""Card answers: a hostile card in the left slot, through the model of the reader's chip.

An input is a byte of circumstances, then what the card answers to one question after the
other, over and over: nothing, the truth, the truth with a wrong bit, or whatever is in the
input, rightly or wrongly sealed. Whatever it says, the driver reports nothing, a card, a
clash or a lost reader; and when it is gone the next card is read.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

from hal.events import (
    MILLISECOND,
    SECOND,
    CardIn,
    CardOut,
    CardsClash,
    Event,
    Instant,
    ReaderBack,
    ReaderLost,
    Slot,
)
from sim.chips.frame import Bits, crc_a, encode, plain
from sim.chips.picc import Picc
from sim.virtual import Hardware, VirtualAlarm, drivers
from tests.fuzz.contract import logged

LONGEST = 600
HONEST = bytes.fromhex("04A1B2C3D4E5F6")
NEXT = bytes.fromhex("5E0C17AA")
ITS_NEIGHBOUR = bytes.fromhex("5E0C17AB")
UID_LENGTHS = (4, 7, 10)

WITH_A_NEIGHBOUR, ASLEEP, FOUR_BYTES, TEN_BYTES = 1, 2, 4, 8
LOOKS = 600 * MILLISECOND
"""Twelve of them, or one and a waking when asleep."""
UNTIL_GONE = 300 * MILLISECOND
UNTIL_BACK = 1 * SECOND + UNTIL_GONE
"""A reader that was lost is tried again every second."""
MOST_TRANSFERS = 20 * 100
"""A look costs forty, and a reset some more."""


def fuzz_one(data: bytes) -> None:
    how, answers = (data[0], data[1:]) if data else (0, b"")
    hostile = HostileCard(_uid(how), answers)
    neighbours = [Picc(ITS_NEIGHBOUR)] if how & WITH_A_NEIGHBOUR else []
    with logged("tellerbox.slots") as log, slots() as table:
        table.put(hostile, *neighbours)
        table.run(LOOKS, asleep=bool(how & ASLEEP))
        assert table.hardware.readers[Slot.LEFT].transfers < MOST_TRANSFERS
        table.take(hostile, *neighbours)
        table.run(UNTIL_GONE)
        if table.events and isinstance(table.events[-1], ReaderLost):
            table.run(UNTIL_BACK)
        table.put(Picc(NEXT))
        table.run(UNTIL_GONE)
    assert not [record.getMessage() for record in log if record.args and len(record.args) == 2]
    _make_sense(table.events)


class LeftSlot:
    """The slots' drivers alone on the models of their chips, and hands at the left one."""

    def __init__(self, hardware: Hardware) -> None:
        self.hardware = hardware
        self._alarm = VirtualAlarm(hardware)
        self.events: list[Event] = []
        drivers(hardware)
        # Only now, when the modules are plugged in on which they stand.
        from hal.pi.reader import Reader
        from hal.pi.slots import Slots

        wiring = hardware.wiring
        resets = {Slot.LEFT: wiring.left_reset, Slot.RIGHT: wiring.right_reset}
        readers: dict[Slot, Callable[[], Reader]] = {
            slot: partial(Reader, wiring.spi_bus, device, resets[slot])
            for device, slot in enumerate(Slot)
        }
        self._slots = Slots(readers, self._alarm)

    def put(self, *cards: Picc) -> None:
        for card in cards:
            self.hardware.put(Slot.LEFT, card)

    def take(self, *cards: Picc) -> None:
        for card in cards:
            self.hardware.take(Slot.LEFT, card)

    def run(self, duration: int, *, asleep: bool = False) -> None:
        self.events += self._slots.rest(asleep)
        end = Instant(self._alarm.now() + duration)
        while self._alarm.now() < end:
            self.events += self._slots.poll()
            self._alarm.wait(min(self._slots.due, end))


@contextmanager
def slots() -> Iterator[LeftSlot]:
    try:
        yield LeftSlot(Hardware())
    finally:
        import RPi.GPIO as GPIO

        GPIO.setwarnings(False)
        GPIO.cleanup()


def _uid(how: int) -> bytes:
    if how & FOUR_BYTES:
        return HONEST[:4]
    return HONEST + b"\x01\x02\x03" if how & TEN_BYTES else HONEST


def _make_sense(events: list[Event]) -> None:
    """One thing after the other, as the bank relies on it."""
    inside: Event | None = None
    lost = False
    for event in events:
        match event:
            case CardIn(uid=uid):
                assert inside is None, events
                assert not lost, events
                assert len(uid) in UID_LENGTHS, uid
                inside = event
            case CardsClash():
                assert not isinstance(inside, CardsClash), events
                inside = event
            case CardOut():
                assert inside is not None, events
                inside = None
            case ReaderLost():
                assert not lost, events
                inside, lost = None, True
            case ReaderBack():
                assert lost, events
                lost = False
            case _:
                raise AssertionError(event)
        assert event.slot is Slot.LEFT, event
    assert isinstance(inside, CardIn), events
    assert inside.uid == NEXT, events


class HostileCard(Picc):
    """A card with a program: what it says to each question."""

    def __init__(self, uid: bytes, program: bytes) -> None:
        super().__init__(uid)
        self._program = program
        self._at = 0

    def hear(self, bits: Bits, now: int) -> Bits | None:
        honest = super().hear(bits, now)
        if self._at >= len(self._program):
            self._at = 0
        match self._next() & 7:
            case 0:
                return None
            case 1:
                return honest
            case 2:
                return self._with_a_wrong_bit(honest)
            case 3:
                return encode(self._some(self._next() & 0x7F))
            case 4:
                return b"".join(plain(byte) for byte in self._some(self._next() & 0x1F)) or None
            case 5:
                sak = self._some(1)
                return encode(sak + crc_a(sak))
            case 6:
                part = self._some(4).ljust(4, b"\0")
                return encode(part + bytes((part[0] ^ part[1] ^ part[2] ^ part[3],)))
        return b"\1" * (self._next() * 8 + 1)

    def _next(self) -> int:
        said = self._program[self._at] if self._at < len(self._program) else 1
        self._at += 1
        return said

    def _some(self, count: int) -> bytes:
        said = self._program[self._at : self._at + count]
        self._at += count
        return said

    def _with_a_wrong_bit(self, honest: Bits | None) -> Bits | None:
        place = self._next()
        if not honest:
            return None
        wrong = bytearray(honest)
        wrong[place % len(wrong)] ^= 1
        return bytes(wrong)
