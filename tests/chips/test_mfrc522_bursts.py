"""The reader chip, read many times in one transfer: the same as read once at each moment."""

import pytest

from sim.chips.air import Air
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
    T_MODE,
    T_PRESCALER,
    T_RELOAD_LOW,
    TIMER_IRQ,
    TRANSCEIVE,
    TX_ASK,
    TX_CONTROL,
    TX_IRQ,
    VERSION,
    Mfrc522,
)
from sim.chips.picc import Picc

BYTE_TIME = 8_000
WUPA = 0x52
ATQA = b"\x04\x00"
SETTINGS = ((T_MODE, 0x80), (T_PRESCALER, 169), (T_RELOAD_LOW, 40), (TX_ASK, 0x40))


class Desk:
    """A chip that is talked to, and a card or none."""

    def __init__(self, card: bool) -> None:
        air = Air()
        self.now = 0
        self.chip = Mfrc522(air.antenna())
        for register, value in SETTINGS:
            self.write(register, value)
        self.write(TX_CONTROL, 0x83)
        if card:
            air.put(Picc(b"\xa1\xc0\xff\xee", power_up=0), air.antennas[0], self.now)

    def write(self, register: int, *values: int) -> None:
        self.transfer(bytes((register << 1, *values)))

    def ask_who_is_there(self) -> None:
        self.write(COM_IRQ, 0x7F)
        self.write(FIFO_DATA, WUPA)
        self.write(COMMAND, TRANSCEIVE)
        self.write(BIT_FRAMING, 0x87)

    def transfer(self, sent: bytes) -> bytes:
        received = self.chip.transfer(sent, self.now, BYTE_TIME)
        self.now += len(sent) * BYTE_TIME
        return received

    def read_in_a_burst(self, register: int, times: int) -> bytes:
        return self.transfer(bytes((register << 1 | 0x80,)) * times + b"\0")[1:]

    def read_one_by_one(self, register: int, times: int) -> bytes:
        """A reading comes a byte after its header, and takes the place of the next header."""
        received = b""
        for _ in range(times):
            received += self.transfer(bytes((register << 1 | 0x80, 0)))[1:]
            self.now -= BYTE_TIME
        return received


@pytest.mark.parametrize(
    "register", [COM_IRQ, STATUS1, FIFO_LEVEL, FIFO_DATA, ERROR, CONTROL, COMMAND, VERSION]
)
@pytest.mark.parametrize("card", [True, False])
def test_a_burst_finds_what_single_readings_find(register: int, card: bool) -> None:
    one, other = Desk(card), Desk(card)
    one.ask_who_is_there()
    other.ask_who_is_there()
    assert one.read_in_a_burst(register, 200) == other.read_one_by_one(register, 200)


def test_the_interrupts_come_one_after_the_other() -> None:
    for card, last in ((True, RX_IRQ), (False, TIMER_IRQ)):
        desk = Desk(card)
        desk.ask_who_is_there()
        seen = desk.read_in_a_burst(COM_IRQ, 200)
        marks = [irqs & (TX_IRQ | RX_IRQ | TIMER_IRQ) for irqs in seen]
        assert sorted(set(marks), key=marks.index) == [0, TX_IRQ, TX_IRQ | last]


def test_an_answer_in_the_middle_of_a_burst() -> None:
    desk = Desk(card=True)
    desk.ask_who_is_there()
    received = desk.read_in_a_burst(FIFO_DATA, 200)
    assert received.strip(b"\0") == ATQA.strip(b"\0")
    assert received.index(ATQA) > 0


@pytest.mark.parametrize("register", [COMMAND, VERSION])
def test_waking_up(register: int) -> None:
    one, other = Desk(card=False), Desk(card=False)
    for desk in (one, other):
        desk.write(COMMAND, 0x10)
        desk.write(COMMAND, 0x00)
    received = one.read_in_a_burst(register, 150)
    assert received == other.read_one_by_one(register, 150)
    if register == COMMAND:
        assert received.rstrip(b"\x00") == b"\x10" * 124  # a millisecond


def test_several_registers_in_one_transfer() -> None:
    desk = Desk(card=True)
    desk.ask_who_is_there()
    desk.read_in_a_burst(COM_IRQ, 100)
    headers = bytes(register << 1 | 0x80 for register in (VERSION, FIFO_LEVEL, FIFO_DATA, ERROR))
    assert desk.transfer(headers + b"\0") == b"\0\x92\x02" + ATQA[:1] + b"\0"
    assert desk.read_in_a_burst(FIFO_DATA, 3) == ATQA[1:] + b"\0\0"
