"""The FIFO of the reader chip, with 64 bytes: overflow, flush, alerts.

The values are from the data sheet: BufferOvfl in ErrorReg, FlushBuffer in FIFOLevelReg, and
the alerts of WaterLevelReg in Status1Reg and ComIrqReg.
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
from tests.chips.reader_fixture import ReaderFixture

SIZE = 64
BUFFER_OVFL = 0x10
RX_IRQ, HI_ALERT_IRQ, LO_ALERT_IRQ, ERR_IRQ = 0x20, 0x08, 0x04, 0x02
HI_ALERT, LO_ALERT = 0x02, 0x01
FLUSH = 0x80
ANSWER_READS = 3_000
"""They take 24 ms, the time of 280 bytes on the air."""


class LongAnswerCard(Picc):
    """A card that answers everything with the same long frame."""

    def __init__(self, answer: bytes, *more_bits: int) -> None:
        super().__init__(b"\xa1\xc0\xff\xee", power_up=0)
        self._answer = encode(answer) + bytes(more_bits)

    def hear(self, bits: Bits, now: int) -> Bits | None:
        return self._answer if super().hear(bits, now) else None


def reader_after_answer(card: Picc) -> ReaderFixture:
    reader = ReaderFixture(card)
    reader.send_wupa()
    reader.read_burst(COM_IRQ, ANSWER_READS)
    return reader


def content(length: int) -> bytes:
    return bytes(number % 251 for number in range(1, length + 1))


@pytest.mark.parametrize("length", [1, 63, 64])
def test_answer_that_fits_is_complete(length: int) -> None:
    reader = reader_after_answer(LongAnswerCard(content(length)))
    assert reader.read(COM_IRQ) & (RX_IRQ | ERR_IRQ) == RX_IRQ
    assert reader.read(ERROR) == 0
    assert reader.read(FIFO_LEVEL) == length
    assert reader.read_burst(FIFO_DATA, length) == content(length)
    assert reader.read(FIFO_LEVEL) == 0


@pytest.mark.parametrize("length", [65, 128, 255, 256])
def test_longer_answer_is_truncated_to_64_bytes(length: int) -> None:
    reader = reader_after_answer(LongAnswerCard(content(length)))
    assert reader.read(COM_IRQ) & (RX_IRQ | ERR_IRQ) == RX_IRQ | ERR_IRQ
    assert reader.read(ERROR) == BUFFER_OVFL
    assert reader.read(FIFO_LEVEL) == SIZE
    assert reader.read_burst(FIFO_DATA, SIZE + 1) == content(SIZE) + b"\0"


def test_crc_of_an_answer_is_not_stored() -> None:
    """The receiver checks and removes it."""
    for length, error in ((SIZE, 0), (SIZE + 1, BUFFER_OVFL)):
        reader = ReaderFixture(LongAnswerCard(content(length) + crc_a(content(length))))
        reader.write(RX_MODE, 0x80)
        reader.send_wupa()
        reader.read_burst(COM_IRQ, ANSWER_READS)
        assert reader.read(ERROR) == error
        assert reader.read(FIFO_LEVEL) == SIZE


def test_last_bits_of_a_truncated_answer() -> None:
    reader = reader_after_answer(LongAnswerCard(content(SIZE), 1, 0, 1))
    assert reader.read(CONTROL) & 0x07 == 3
    assert reader.read(ERROR) == BUFFER_OVFL
    assert reader.read(FIFO_LEVEL) == SIZE


def test_byte_written_to_a_full_fifo_is_lost() -> None:
    reader = ReaderFixture()
    reader.write(COM_IRQ, 0x7F)
    reader.write(FIFO_DATA, *content(SIZE))
    assert (reader.read(ERROR), reader.read(COM_IRQ) & ERR_IRQ) == (0, 0)
    reader.write(FIFO_DATA, 0xEE)
    assert (reader.read(ERROR), reader.read(COM_IRQ) & ERR_IRQ) == (BUFFER_OVFL, ERR_IRQ)
    assert reader.read(FIFO_LEVEL) == SIZE
    assert reader.read_burst(FIFO_DATA, 1) == content(1)
    reader.write(FIFO_DATA, 0xEF)
    assert reader.read_burst(FIFO_DATA, SIZE) == content(SIZE)[1:] + b"\xef"
    assert reader.read(ERROR) == BUFFER_OVFL, "until it is flushed, or a command starts"


@pytest.mark.parametrize(
    ("register", "value", "left"), [(FIFO_LEVEL, FLUSH, 0), (COMMAND, IDLE, SIZE)]
)
def test_overflow_is_cleared_by_flush_or_command(register: int, value: int, left: int) -> None:
    reader = ReaderFixture()
    reader.write(FIFO_DATA, *content(SIZE + 1))
    reader.write(FIFO_LEVEL, 0x00)
    assert (reader.read(ERROR), reader.read(FIFO_LEVEL)) == (BUFFER_OVFL, SIZE)
    reader.write(register, value)
    assert (reader.read(ERROR), reader.read(FIFO_LEVEL)) == (0, left)


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
def test_alerts_almost_empty_and_almost_full(water: int, count: int, alerts: int) -> None:
    reader = ReaderFixture()
    reader.write(WATER_LEVEL, water)
    if count:
        reader.write(FIFO_DATA, *content(count))
    assert reader.read(STATUS1) & (HI_ALERT | LO_ALERT) == alerts


def test_alert_interrupt_stays_until_it_is_cleared() -> None:
    reader = ReaderFixture()
    alerts = HI_ALERT_IRQ | LO_ALERT_IRQ
    reader.write(FIFO_DATA, *content(30))
    reader.write(COM_IRQ, 0x7F)
    assert reader.read(COM_IRQ) & alerts == 0
    reader.write(FIFO_DATA, *content(30))
    reader.read_burst(FIFO_DATA, 30)
    assert reader.read(STATUS1) & (HI_ALERT | LO_ALERT) == 0
    assert reader.read(COM_IRQ) & alerts == HI_ALERT_IRQ
    reader.write(COM_IRQ, HI_ALERT_IRQ)
    assert reader.read(COM_IRQ) & alerts == 0
    reader.write(FIFO_LEVEL, FLUSH)
    assert reader.read(COM_IRQ) & alerts == LO_ALERT_IRQ
