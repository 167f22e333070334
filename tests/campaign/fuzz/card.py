"""Fuzzes the card protocol: a hostile card in the left slot, on the model of the reader's chip.

The first byte of an input sets the circumstances. The rest is a program for the card's replies,
repeated as needed: no reply, the genuine reply, that with a wrong bit, or bytes of the input with a
right or wrong checksum. The driver must report nothing, a card, a clash or a lost reader, and read
the next card afterwards.
"""

from collections.abc import Iterator
from contextlib import contextmanager

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
from hal.pi.readers.registry import reader_factory
from sim.chips.frame import Bits, crc_a, encode, plain
from sim.chips.picc import Picc
from sim.virtual.hardware import Hardware, VirtualAlarm, drivers
from tests.campaign.fuzz.contract import logged

LONGEST = 600
GENUINE = bytes.fromhex("04A1B2C3D4E5F6")
NEXT_UID = bytes.fromhex("5E0C17AA")
NEIGHBOUR = bytes.fromhex("5E0C17AB")
UID_LENGTHS = (4, 7, 10)

WITH_A_NEIGHBOUR, ASLEEP, FOUR_BYTES, TEN_BYTES = 1, 2, 4, 8
POLL_TIME = 600 * MILLISECOND
"""Twelve polls; asleep, one and a wake-up."""
REMOVAL_TIME = 300 * MILLISECOND
RECOVERY_TIME = 1 * SECOND + REMOVAL_TIME
"""A lost reader is retried every second."""
MAX_TRANSFERS = 20 * 100
"""A poll costs forty, and a reset some more."""


def fuzz_one(data: bytes) -> None:
    how, answers = (data[0], data[1:]) if data else (0, b"")
    hostile = HostileCard(_uid(how), answers)
    neighbours = [Picc(NEIGHBOUR)] if how & WITH_A_NEIGHBOUR else []
    with logged("tellerbox.slots") as log, slots() as table:
        table.put(hostile, *neighbours)
        table.run(POLL_TIME, asleep=bool(how & ASLEEP))
        assert table.hardware.readers[Slot.LEFT].transfers < MAX_TRANSFERS
        table.take(hostile, *neighbours)
        table.run(REMOVAL_TIME)
        if table.events and isinstance(table.events[-1], ReaderLost):
            table.run(RECOVERY_TIME)
        table.put(Picc(NEXT_UID))
        table.run(REMOVAL_TIME)
    assert not [record.getMessage() for record in log if record.args and len(record.args) == 2]
    _check_sequence(table.events)


class LeftSlot:
    """The slots' drivers on models of their chips, and methods for the left slot."""

    def __init__(self, hardware: Hardware) -> None:
        self.hardware = hardware
        self._alarm = VirtualAlarm(hardware)
        self.events: list[Event] = []
        drivers(hardware)
        # Imported late, after the stand-in modules are installed.
        from hal.pi.slots import Slots

        readers = {slot: reader_factory(hardware.wiring, slot) for slot in Slot}
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
        return GENUINE[:4]
    return GENUINE + b"\x01\x02\x03" if how & TEN_BYTES else GENUINE


def _check_sequence(events: list[Event]) -> None:
    """Check that the events form a valid sequence."""
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
    assert inside.uid == NEXT_UID, events


class HostileCard(Picc):
    """A card with a program for its replies."""

    def __init__(self, uid: bytes, program: bytes) -> None:
        super().__init__(uid)
        self._program = program
        self._at = 0

    def hear(self, bits: Bits, now: int) -> Bits | None:
        genuine = super().hear(bits, now)
        if self._at >= len(self._program):
            self._at = 0
        match self._next() & 7:
            case 0:
                return None
            case 1:
                return genuine
            case 2:
                return self._with_a_wrong_bit(genuine)
            case 3:
                return encode(self._take(self._next() & 0x7F))
            case 4:
                return b"".join(plain(byte) for byte in self._take(self._next() & 0x1F)) or None
            case 5:
                sak = self._take(1)
                return encode(sak + crc_a(sak))
            case 6:
                part = self._take(4).ljust(4, b"\0")
                return encode(part + bytes((part[0] ^ part[1] ^ part[2] ^ part[3],)))
        return b"\1" * (self._next() * 8 + 1)

    def _next(self) -> int:
        content = self._program[self._at] if self._at < len(self._program) else 1
        self._at += 1
        return content

    def _take(self, count: int) -> bytes:
        content = self._program[self._at : self._at + count]
        self._at += count
        return content

    def _with_a_wrong_bit(self, genuine: Bits | None) -> Bits | None:
        place = self._next()
        if not genuine:
            return None
        wrong = bytearray(genuine)
        wrong[place % len(wrong)] ^= 1
        return bytes(wrong)
