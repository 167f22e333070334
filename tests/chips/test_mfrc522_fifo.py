"""The reader chip's FIFO: 64 bytes and no more, and what the chip says about it.

The figures are the data sheet's: BufferOvfl in ErrorReg, FlushBuffer in FIFOLevelReg, and the
alerts of WaterLevelReg in Status1Reg and ComIrqReg.
"""

import pytest

from sim.chips.frame import Bits, crc_a, encode
from sim.chips.mfrc522 import (
    COM_IRQ,
    COMMAND,
    CONTROL,
    ERROR,
    FIFO_DATA,
    FIFO_LEVEL,
    IDLE,
    RX_MODE,
    STATUS1,
    WATER_LEVEL,
)
from sim.chips.picc import Picc
from tests.chips.reader_desk import Desk

SIZE = 64
BUFFER_OVFL = 0x10
RX_IRQ, HI_ALERT_IRQ, LO_ALERT_IRQ, ERR_IRQ = 0x20, 0x08, 0x04, 0x02
HI_ALERT, LO_ALERT = 0x02, 0x01
FLUSH = 0x80
AN_ANSWER_AND_MORE = 3_000
"""Readings: 24 ms, in which 280 bytes fit on the air."""


class Talker(Picc):
    """A card that answers with a sermon."""

    def __init__(self, sermon: bytes, *more_bits: int) -> None:
        super().__init__(b"\xa1\xc0\xff\xee", power_up=0)
        self._sermon = encode(sermon) + bytes(more_bits)

    def hear(self, bits: Bits, now: int) -> Bits | None:
        return self._sermon if super().hear(bits, now) else None


def listened_to(card: Picc) -> Desk:
    desk = Desk(card)
    desk.ask_who_is_there()
    desk.read_in_a_burst(COM_IRQ, AN_ANSWER_AND_MORE)
    return desk


def said(length: int) -> bytes:
    return bytes(number % 251 for number in range(1, length + 1))


@pytest.mark.parametrize("length", [1, 63, 64])
def test_an_answer_that_fits_is_all_there(length: int) -> None:
    desk = listened_to(Talker(said(length)))
    assert desk.read(COM_IRQ) & (RX_IRQ | ERR_IRQ) == RX_IRQ
    assert desk.read(ERROR) == 0
    assert desk.read(FIFO_LEVEL) == length
    assert desk.read_in_a_burst(FIFO_DATA, length) == said(length)
    assert desk.read(FIFO_LEVEL) == 0


@pytest.mark.parametrize("length", [65, 128, 255, 256])
def test_of_a_longer_answer_the_first_64_bytes_are_kept(length: int) -> None:
    desk = listened_to(Talker(said(length)))
    assert desk.read(COM_IRQ) & (RX_IRQ | ERR_IRQ) == RX_IRQ | ERR_IRQ
    assert desk.read(ERROR) == BUFFER_OVFL
    assert desk.read(FIFO_LEVEL) == SIZE
    assert desk.read_in_a_burst(FIFO_DATA, SIZE + 1) == said(SIZE) + b"\0"


def test_the_checksum_of_an_answer_needs_no_room() -> None:
    """The receiver keeps it to itself, and checks it against all that came."""
    for length, error in ((SIZE, 0), (SIZE + 1, BUFFER_OVFL)):
        desk = Desk(Talker(said(length) + crc_a(said(length))))
        desk.write(RX_MODE, 0x80)
        desk.ask_who_is_there()
        desk.read_in_a_burst(COM_IRQ, AN_ANSWER_AND_MORE)
        assert desk.read(ERROR) == error
        assert desk.read(FIFO_LEVEL) == SIZE


def test_the_last_bits_are_those_of_the_last_byte_that_came() -> None:
    desk = listened_to(Talker(said(SIZE), 1, 0, 1))
    assert desk.read(CONTROL) & 0x07 == 3
    assert desk.read(ERROR) == BUFFER_OVFL
    assert desk.read(FIFO_LEVEL) == SIZE


def test_a_byte_that_the_host_writes_into_a_full_one_is_lost() -> None:
    desk = Desk()
    desk.write(COM_IRQ, 0x7F)
    desk.write(FIFO_DATA, *said(SIZE))
    assert (desk.read(ERROR), desk.read(COM_IRQ) & ERR_IRQ) == (0, 0)
    desk.write(FIFO_DATA, 0xEE)
    assert (desk.read(ERROR), desk.read(COM_IRQ) & ERR_IRQ) == (BUFFER_OVFL, ERR_IRQ)
    assert desk.read(FIFO_LEVEL) == SIZE
    assert desk.read_in_a_burst(FIFO_DATA, 1) == said(1)
    desk.write(FIFO_DATA, 0xEF)
    assert desk.read_in_a_burst(FIFO_DATA, SIZE) == said(SIZE)[1:] + b"\xef"
    assert desk.read(ERROR) == BUFFER_OVFL, "until it is emptied, or a command is given"


@pytest.mark.parametrize(
    ("register", "value", "left"), [(FIFO_LEVEL, FLUSH, 0), (COMMAND, IDLE, SIZE)]
)
def test_what_ends_an_overflow(register: int, value: int, left: int) -> None:
    desk = Desk()
    desk.write(FIFO_DATA, *said(SIZE + 1))
    desk.write(FIFO_LEVEL, 0x00)
    assert (desk.read(ERROR), desk.read(FIFO_LEVEL)) == (BUFFER_OVFL, SIZE)
    desk.write(register, value)
    assert (desk.read(ERROR), desk.read(FIFO_LEVEL)) == (0, left)


@pytest.mark.parametrize(
    ("water", "count", "alerts"),
    [
        (8, 0, LO_ALERT),
        (8, 8, LO_ALERT),
        (8, 9, 0),
        (8, 55, 0),
        (8, 56, HI_ALERT),
        (8, 64, HI_ALERT),
        (0, 63, 0),
        (0, 64, HI_ALERT),
        (40, 30, HI_ALERT | LO_ALERT),
    ],
)
def test_almost_empty_and_almost_full(water: int, count: int, alerts: int) -> None:
    desk = Desk()
    desk.write(WATER_LEVEL, water)
    if count:
        desk.write(FIFO_DATA, *said(count))
    assert desk.read(STATUS1) & (HI_ALERT | LO_ALERT) == alerts


def test_an_alert_is_remembered_until_it_is_cleared() -> None:
    desk = Desk()
    alerts = HI_ALERT_IRQ | LO_ALERT_IRQ
    desk.write(FIFO_DATA, *said(30))
    desk.write(COM_IRQ, 0x7F)
    assert desk.read(COM_IRQ) & alerts == 0
    desk.write(FIFO_DATA, *said(30))
    desk.read_in_a_burst(FIFO_DATA, 30)
    assert desk.read(STATUS1) & (HI_ALERT | LO_ALERT) == 0
    assert desk.read(COM_IRQ) & alerts == HI_ALERT_IRQ
    desk.write(COM_IRQ, HI_ALERT_IRQ)
    assert desk.read(COM_IRQ) & alerts == 0
    desk.write(FIFO_LEVEL, FLUSH)
    assert desk.read(COM_IRQ) & alerts == LO_ALERT_IRQ
