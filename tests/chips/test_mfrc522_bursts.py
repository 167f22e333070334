"""Burst reads of the reader chip return the same as single reads at the same times."""

import pytest

from sim.chips.mfrc522 import (
    BIT_FRAMING,
    COM_IRQ,
    COMMAND,
    CONTROL,
    ERROR,
    FIFO_DATA,
    FIFO_LEVEL,
    RX_IRQ,
    STATUS1,
    TIMER_IRQ,
    TX_IRQ,
    VERSION,
)
from sim.chips.picc import Picc
from tests.chips.reader_fixture import BYTE_TIME, ReaderFixture

ATQA = b"\x04\x00"


def reader_with(card: bool) -> ReaderFixture:
    return ReaderFixture(Picc(b"\xa1\xc0\xff\xee", power_up=0) if card else None)


@pytest.mark.parametrize(
    "register", [COM_IRQ, STATUS1, FIFO_LEVEL, FIFO_DATA, ERROR, CONTROL, COMMAND, VERSION]
)
@pytest.mark.parametrize("card", [True, False])
def test_burst_equals_single_reads(register: int, card: bool) -> None:
    one, other = reader_with(card), reader_with(card)
    one.send_wupa()
    other.send_wupa()
    assert one.read_burst(register, 200) == other.read_singly(register, 200)


def test_order_of_the_interrupts() -> None:
    for card, last in ((True, RX_IRQ), (False, TIMER_IRQ)):
        reader = reader_with(card)
        reader.send_wupa()
        seen = reader.read_burst(COM_IRQ, 200)
        marks = [irqs & (TX_IRQ | RX_IRQ | TIMER_IRQ) for irqs in seen]
        assert sorted(set(marks), key=marks.index) == [0, TX_IRQ, TX_IRQ | last]


def test_answer_arrives_during_a_burst() -> None:
    reader = reader_with(card=True)
    reader.send_wupa()
    received = reader.read_burst(FIFO_DATA, 200)
    assert received.strip(b"\0") == ATQA.strip(b"\0")
    assert received.index(ATQA) > 0


@pytest.mark.parametrize("register", [COMMAND, VERSION])
def test_wake_up_during_a_burst(register: int) -> None:
    one, other = reader_with(card=False), reader_with(card=False)
    for reader in (one, other):
        reader.write(COMMAND, 0x10)
        reader.write(COMMAND, 0x00)
    received = one.read_burst(register, 150)
    assert received == other.read_singly(register, 150)
    if register == COMMAND:
        assert received.rstrip(b"\x00") == b"\x10" * 124  # a millisecond


def test_several_registers_in_one_transfer() -> None:
    reader = reader_with(card=True)
    reader.send_wupa()
    reader.read_burst(COM_IRQ, 100)
    headers = bytes(register << 1 | 0x80 for register in (VERSION, FIFO_LEVEL, FIFO_DATA, ERROR))
    assert reader.transfer(headers + b"\0") == b"\0\x92\x02" + ATQA[:1] + b"\0"
    assert reader.read_burst(FIFO_DATA, 3) == ATQA[1:] + b"\0\0"


def test_values_of_one_transfer_are_written_one_by_one() -> None:
    """The transmission starts with the value that has StartSend, not with the first one."""
    one, other = reader_with(card=True), reader_with(card=True)
    for reader in (one, other):
        reader.prepare_wupa()
    one.write(BIT_FRAMING, *[0x07] * 20, 0x87)
    other.now += 20 * BYTE_TIME
    other.write(BIT_FRAMING, 0x87)
    assert one.now == other.now
    assert one.read_burst(COM_IRQ, 200) == other.read_burst(COM_IRQ, 200)
