"""The reader chip, read many times in one transfer: the same as read once at each moment."""

import pytest

from sim.chips.mfrc522 import (
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
from tests.chips.reader_desk import Desk

ATQA = b"\x04\x00"


def desk_with(card: bool) -> Desk:
    return Desk(Picc(b"\xa1\xc0\xff\xee", power_up=0) if card else None)


@pytest.mark.parametrize(
    "register", [COM_IRQ, STATUS1, FIFO_LEVEL, FIFO_DATA, ERROR, CONTROL, COMMAND, VERSION]
)
@pytest.mark.parametrize("card", [True, False])
def test_a_burst_finds_what_single_readings_find(register: int, card: bool) -> None:
    one, other = desk_with(card), desk_with(card)
    one.ask_who_is_there()
    other.ask_who_is_there()
    assert one.read_in_a_burst(register, 200) == other.read_one_by_one(register, 200)


def test_the_interrupts_come_one_after_the_other() -> None:
    for card, last in ((True, RX_IRQ), (False, TIMER_IRQ)):
        desk = desk_with(card)
        desk.ask_who_is_there()
        seen = desk.read_in_a_burst(COM_IRQ, 200)
        marks = [irqs & (TX_IRQ | RX_IRQ | TIMER_IRQ) for irqs in seen]
        assert sorted(set(marks), key=marks.index) == [0, TX_IRQ, TX_IRQ | last]


def test_an_answer_in_the_middle_of_a_burst() -> None:
    desk = desk_with(card=True)
    desk.ask_who_is_there()
    received = desk.read_in_a_burst(FIFO_DATA, 200)
    assert received.strip(b"\0") == ATQA.strip(b"\0")
    assert received.index(ATQA) > 0


@pytest.mark.parametrize("register", [COMMAND, VERSION])
def test_waking_up(register: int) -> None:
    one, other = desk_with(card=False), desk_with(card=False)
    for desk in (one, other):
        desk.write(COMMAND, 0x10)
        desk.write(COMMAND, 0x00)
    received = one.read_in_a_burst(register, 150)
    assert received == other.read_one_by_one(register, 150)
    if register == COMMAND:
        assert received.rstrip(b"\x00") == b"\x10" * 124  # a millisecond


def test_several_registers_in_one_transfer() -> None:
    desk = desk_with(card=True)
    desk.ask_who_is_there()
    desk.read_in_a_burst(COM_IRQ, 100)
    headers = bytes(register << 1 | 0x80 for register in (VERSION, FIFO_LEVEL, FIFO_DATA, ERROR))
    assert desk.transfer(headers + b"\0") == b"\0\x92\x02" + ATQA[:1] + b"\0"
    assert desk.read_in_a_burst(FIFO_DATA, 3) == ATQA[1:] + b"\0\0"
