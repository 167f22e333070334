"""A fixture for the model of the reader chip: SPI access, and optionally a card."""

from sim.chips.air import Air
from sim.chips.mfrc522 import (
    BIT_FRAMING,
    COM_IRQ,
    COMMAND,
    FIFO_DATA,
    T_MODE,
    T_PRESCALER,
    T_RELOAD_LOW,
    TRANSCEIVE,
    TX_ASK,
    TX_CONTROL,
    Mfrc522,
)
from sim.chips.picc import Picc

BYTE_TIME = 8_000
WUPA = 0x52
SETTINGS = ((T_MODE, 0x80), (T_PRESCALER, 169), (T_RELOAD_LOW, 40), (TX_ASK, 0x40))


class ReaderFixture:
    """A chip that is set up, with its field on."""

    def __init__(self, card: Picc | None = None) -> None:
        air = Air()
        self.now = 0
        self.chip = Mfrc522(air.antenna())
        for register, value in SETTINGS:
            self.write(register, value)
        self.write(TX_CONTROL, 0x83)
        if card:
            air.put(card, air.antennas[0], self.now)

    def write(self, register: int, *values: int) -> None:
        self.transfer(bytes((register << 1, *values)))

    def send_wupa(self) -> None:
        self.prepare_wupa()
        self.write(BIT_FRAMING, 0x87)

    def prepare_wupa(self) -> None:
        """Prepare everything but the start of the transmission."""
        self.write(COM_IRQ, 0x7F)
        self.write(FIFO_DATA, WUPA)
        self.write(COMMAND, TRANSCEIVE)

    def transfer(self, sent: bytes) -> bytes:
        received = self.chip.transfer(sent, self.now, BYTE_TIME)
        self.now += len(sent) * BYTE_TIME
        return received

    def read(self, register: int) -> int:
        (value,) = self.read_burst(register, 1)
        return value

    def read_burst(self, register: int, times: int) -> bytes:
        return self.transfer(bytes((register << 1 | 0x80,)) * times + b"\0")[1:]

    def read_singly(self, register: int, times: int) -> bytes:
        """Read in single transfers, at the times at which a burst would read."""
        received = b""
        for _ in range(times):
            received += self.transfer(bytes((register << 1 | 0x80, 0)))[1:]
            self.now -= BYTE_TIME
        return received
