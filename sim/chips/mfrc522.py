"""The MFRC522 reader chip: registers, FIFO, timer, CRC coprocessor, and its radio.

Written from NXP's data sheet (MFRC522, rev. 3.9), whose section numbers are in brackets.
Not modelled, and rejected by assertions: MIFARE authentication, the UART and I²C
interfaces, higher speeds.

Time is in nanoseconds. Each access first brings the chip up to date.
"""

from collections.abc import Callable
from functools import partial

from sim.chips.air import Antenna, RadioAnswer
from sim.chips.frame import BYTE_BY_BITS, Bits, crc, crc_a, decode, encode

# Register addresses [9.2].
COMMAND, COM_IEN, DIV_IEN, COM_IRQ, DIV_IRQ, ERROR, STATUS1, STATUS2 = range(0x01, 0x09)
FIFO_DATA, FIFO_LEVEL, WATER_LEVEL, CONTROL, BIT_FRAMING, COLL = range(0x09, 0x0F)
MODE, TX_MODE, RX_MODE, TX_CONTROL, TX_ASK, TX_SEL, RX_SEL = range(0x11, 0x18)
DEMOD, CRC_HIGH, CRC_LOW, RF_CFG = 0x19, 0x21, 0x22, 0x26
T_MODE, T_PRESCALER, T_RELOAD_HIGH, T_RELOAD_LOW = 0x2A, 0x2B, 0x2C, 0x2D
VERSION = 0x37

RESET_VALUES = bytes.fromhex(
    "00 20 80 00 14 00 00 21 00 00 00 08 10 00 A0 00"
    "00 3F 00 00 80 00 10 84 84 4D 00 00 62 00 00 EB"
    "00 FF FF 00 26 00 48 88 20 20 00 00 00 00 00 00"
    "00 00 00 00 00 00 00 92 00 00 00 00 00 00 00 00"
)
"""Of all 64 registers, from 00 [9.3]."""
READ_ONLY = {ERROR, STATUS1, CRC_HIGH, CRC_LOW, VERSION, 0x2E, 0x2F}

IDLE, CALC_CRC, TRANSCEIVE, SOFT_RESET = 0x0, 0x3, 0xC, 0xF

TX_IRQ, RX_IRQ, HI_ALERT, LO_ALERT, ERR_IRQ, TIMER_IRQ = 64, 32, 8, 4, 2, 1
WR_ERR, TEMP_ERR, BUFFER_OVFL, COLL_ERR, CRC_ERR, PARITY_ERR = 128, 64, 16, 8, 4, 2

FIFO_SIZE = 64
CARRIER = 13_560_000
BIT = 128 * 1_000_000_000 // CARRIER
"""Nanoseconds of a bit at 106 kbit/s."""

FRAME_DELAY = 1236 * 1_000_000_000 // CARRIER
"""Nanoseconds from the reader's last bit to the card's first (ISO 14443-3)."""

WAKE_UP = 1_000_000
"""Nanoseconds until the oscillator runs after power-down [8.8.1], with a slow crystal."""

NEVER = 1 << 63


class Mfrc522:
    """One chip behind one chip select, with its own reset line and antenna."""

    def __init__(self, antenna: Antenna) -> None:
        self._antenna = antenna
        self._now = 0
        self._reset_line = True
        self.alive = True
        """False: the chip does not drive its output."""
        self.dead_line = 0x00
        """What a dead chip's line reads as: 00, or FF with a pull-up."""
        self.transfers = 0
        self._special_reads: dict[int, Callable[[], int]] = {
            COMMAND: self._read_command,
            COM_IRQ: self._read_com_irq,
            STATUS1: self._read_status1,
            FIFO_LEVEL: lambda: len(self._fifo),
        }
        self._special_writes: dict[int, Callable[[int], None]] = {
            COMMAND: self._write_command,
            COM_IRQ: partial(self._write_irq, COM_IRQ, 0x7F),
            DIV_IRQ: partial(self._write_irq, DIV_IRQ, 0x14),
            FIFO_DATA: self._write_fifo,
            FIFO_LEVEL: self._flush_fifo,
            CONTROL: self._write_control,
            BIT_FRAMING: self._write_bit_framing,
            COLL: self._write_coll,
            TX_CONTROL: self._write_tx_control,
        }
        self._reset(0)

    # The pins

    def reset_line(self, high: bool, now: int) -> None:
        """Low holds the chip in hard power-down; the rising edge resets it [8.8]."""
        if high and not self._reset_line:
            self._reset(now)
            self._wake_up(now)
        if not high:
            self._antenna.switch(False, now)
        self._reset_line = high

    def transfer(self, sent: bytes, now: int, byte_time: int) -> bytes:
        """One SPI transfer, chip select low to high [8.1.2]."""
        self.transfers += 1
        if not self.alive or not self._reset_line:
            return bytes((self.dead_line,)) * len(sent)
        if not sent:
            return b""
        assert not sent[0] & 0x01, "the last bit of an address is always 0 [8.1.2.3]"
        register = sent[0] >> 1 & 0x3F
        if not sent[0] & 0x80:
            for place, value in enumerate(sent[1:], start=2):
                self._update(now + place * byte_time)
                self._write(register, value)
            return bytes(len(sent))
        # Each byte is the address of the register whose content follows in the next one.
        assert sent[-1] == 0, "a read ends with 00 [table 6]"
        received, left = b"\0", sent[:-1]
        while left:
            register, rest = left[0] >> 1 & 0x3F, left.lstrip(left[:1])
            start = now + len(received) * byte_time
            received += self._read_repeatedly(register, len(left) - len(rest), start, byte_time)
            left = rest
        return received

    def _read_repeatedly(self, register: int, times: int, now: int, byte_time: int) -> bytes:
        """Read one register many times, as a driver does to let time pass.

        For speed the model steps from change to change: in between all readings are equal.
        """
        received = b""
        while len(received) < times:
            self._update(now)
            before_change = -((now - self._next_change) // byte_time)
            equal = min(times - len(received), before_change)
            if register == FIFO_DATA:
                received += self._take_from_fifo(equal)
            else:
                received += bytes((self._read(register),)) * equal
            now += equal * byte_time
        return received

    # Time

    def _reset(self, now: int) -> None:
        self._registers = bytearray(RESET_VALUES)
        self._fifo = bytearray()
        self._receiving = False
        """Whether an answer is awaited, until it comes or another command starts."""
        self._sending_end = NEVER
        self._timer_end = NEVER
        self._answer = RadioAnswer(b"", frozenset())
        self._answer_start = NEVER
        self._answer_end = NEVER
        self._wake_up_end = NEVER
        self._next_change = NEVER
        self._antenna.switch(False, now)

    def _wake_up(self, now: int) -> None:
        self._wake_up_end = now + WAKE_UP
        self._find_next_change()

    def _find_next_change(self) -> None:
        """Find the time of the next change without an access."""
        self._next_change = min(
            self._wake_up_end, self._sending_end, self._timer_end, self._answer_end
        )

    def _update(self, now: int) -> None:
        """Process what happened since the last access: an answer, a timer that ran out."""
        if now > self._now:
            self._now = now
        if self._now < self._next_change:
            return
        if self._now >= self._wake_up_end:
            self._wake_up_end = NEVER
        if self._now >= self._sending_end:
            self._sending_end = NEVER
            self._registers[COM_IRQ] |= TX_IRQ
        if self._now >= self._timer_end:
            # The fifth bit of an answer stops the timer [8.5].
            if self._answer_start + 5 * BIT > self._timer_end:
                self._registers[COM_IRQ] |= TIMER_IRQ
            self._timer_end = NEVER
        if self._now >= self._answer_end:
            self._answer_end = self._timer_end = NEVER
            self._receive(*self._answer)
        self._find_next_change()

    @property
    def _powered_down(self) -> bool:
        return self._wake_up_end != NEVER or self._registers[COMMAND] & 0x10 != 0

    # Registers

    def _read(self, register: int) -> int:
        special = self._special_reads.get(register)
        return special() if special else self._registers[register]

    def _read_command(self) -> int:
        return self._registers[COMMAND] | (0x10 if self._wake_up_end != NEVER else 0)

    def _read_com_irq(self) -> int:
        """An alert stays until it is cleared, and is set again while its condition holds."""
        self._set_alerts()
        return self._registers[COM_IRQ]

    def _read_status1(self) -> int:
        running = 0x08 if self._timer_end != NEVER else 0
        return (self._registers[STATUS1] & 0x60) | running | self._alerts >> 2

    def _write(self, register: int, value: int) -> None:
        # Without the oscillator only the command register can be written.
        if self._powered_down and register != COMMAND:
            return
        if register in self._special_writes:
            self._special_writes[register](value)
        elif register not in READ_ONLY:
            self._registers[register] = value

    def _flush_fifo(self, value: int) -> None:
        if value & 0x80:
            self._empty_fifo()
            self._registers[ERROR] &= ~BUFFER_OVFL & 0xFF

    def _write_bit_framing(self, value: int) -> None:
        self._registers[BIT_FRAMING] = value & 0x77
        if value & 0x80 and self._registers[COMMAND] & 0x0F == TRANSCEIVE:
            self._send()

    def _write_coll(self, value: int) -> None:
        self._registers[COLL] = (self._registers[COLL] & 0x7F) | (value & 0x80)

    def _write_tx_control(self, value: int) -> None:
        self._registers[TX_CONTROL] = value
        self._antenna.switch(value & 0x03 == 0x03, self._now)

    def _write_irq(self, register: int, mask: int, value: int) -> None:
        """Set or clear the marked bits, by bit 7."""
        if value & 0x80:
            self._registers[register] |= value & mask
        else:
            self._registers[register] &= ~(value & mask) & 0xFF

    def _write_fifo(self, value: int) -> None:
        if self._receiving:
            # Until the answer is received [9.3.1.7]; in this model the byte is lost.
            self._set_errors(WR_ERR)
        else:
            self._put_into_fifo(bytes((value,)))

    def _set_errors(self, errors: int) -> None:
        self._registers[ERROR] |= errors
        self._registers[COM_IRQ] |= ERR_IRQ if errors else 0

    def _write_control(self, value: int) -> None:
        if value & 0x80:
            self._timer_end = NEVER
        if value & 0x40:
            self._start_timer(self._now)
            self._find_next_change()

    def _write_command(self, value: int) -> None:
        if value & 0x10:
            assert value & 0x0F == IDLE, "power-down starts no command"
            self._registers[COMMAND] = value & 0x30
            self._antenna.switch(False, self._now)
            self._answer_end = self._timer_end = NEVER
            return
        if self._registers[COMMAND] & 0x10:
            self._wake_up(self._now)
            self._antenna.switch(self._registers[TX_CONTROL] & 3 == 3, self._wake_up_end)
        command = value & 0x0F
        if command == SOFT_RESET:
            self._reset(self._now)
            return
        self._registers[COMMAND] = value & 0x3F
        self._registers[ERROR] &= TEMP_ERR
        self._answer_end = NEVER
        if command != TRANSCEIVE:
            self._receiving = False
        # Idle, written by the host, sets no IdleIRq; only a command that finishes does.
        if command == CALC_CRC:
            self._calculate_crc()
        else:
            modelled = command in (IDLE, TRANSCEIVE)
            assert modelled, f"command {command:#x} is not modelled"

    # The FIFO [8.3]

    def _put_into_fifo(self, content: bytes) -> None:
        """Append bytes from the host or the radio; those that do not fit are lost [9.3.1.7]."""
        room = FIFO_SIZE - len(self._fifo)
        if len(content) > room:
            self._set_errors(BUFFER_OVFL)
        self._fifo += content[:room]
        self._set_alerts()

    def _take_from_fifo(self, count: int) -> bytes:
        taken = bytes(self._fifo[:count])
        del self._fifo[:count]
        self._set_alerts()
        return taken.ljust(count, b"\0")

    def _empty_fifo(self) -> None:
        self._fifo.clear()
        self._set_alerts()

    @property
    def _alerts(self) -> int:
        """The interrupt bits for almost full and almost empty [9.3.1.12]."""
        water = self._registers[WATER_LEVEL] & 0x3F
        high = HI_ALERT if FIFO_SIZE - len(self._fifo) <= water else 0
        low = LO_ALERT if len(self._fifo) <= water else 0
        return high | low

    def _set_alerts(self) -> None:
        self._registers[COM_IRQ] |= self._alerts

    # The CRC coprocessor [8.6]

    def _calculate_crc(self) -> None:
        presets = (0x0000, 0x6363, 0xA671, 0xFFFF)
        result = crc(bytes(self._fifo), presets[self._registers[MODE] & 0x03])
        self._empty_fifo()
        self._registers[CRC_HIGH], self._registers[CRC_LOW] = result >> 8, result & 0xFF
        self._registers[DIV_IRQ] |= 0x04
        self._registers[STATUS1] |= 0x20

    # The radio

    def _send(self) -> None:
        """Transmit the content of the FIFO, then receive [10.3.1.8]."""
        content = bytes(self._fifo)
        self._empty_fifo()
        last_bits = self._registers[BIT_FRAMING] & 0x07
        if self._registers[TX_MODE] & 0x80:
            content += crc_a(content)
        bits = encode(content, last_bits)
        end = self._now + (len(bits) + 2) * BIT
        self._sending_end = end
        self._receiving = True
        if self._registers[T_MODE] & 0x80:
            self._start_timer(end)
        self._answer_start = self._answer_end = NEVER
        # A card of type A needs 100 % modulation [9.3.2.6].
        modulated = self._registers[TX_ASK] & 0x40
        if modulated and (answer := self._antenna.transmit(bits, end)):
            self._answer = answer
            self._answer_start = end + FRAME_DELAY
            self._answer_end = self._answer_start + (len(answer.bits) + 2) * BIT
        self._find_next_change()

    def _start_timer(self, start: int) -> None:
        prescaler = (self._registers[T_MODE] & 0x0F) << 8 | self._registers[T_PRESCALER]
        reload = self._registers[T_RELOAD_HIGH] << 8 | self._registers[T_RELOAD_LOW]
        even = 2 if self._registers[DEMOD] & 0x10 else 1
        ticks = (prescaler * 2 + even) * (reload + 1)
        self._timer_end = start + ticks * 1_000_000_000 // CARRIER

    def _receive(self, bits: Bits, collisions: frozenset[int]) -> None:
        self._receiving = False
        align = self._registers[BIT_FRAMING] >> 4 & 0x07
        errors = 0
        if collisions:
            errors |= COLL_ERR
            self._store_collision(min(collisions), align)
        content, last_bits, sound = self._decode(bits, align, collisions)
        if not sound:
            errors |= PARITY_ERR
        if self._registers[RX_MODE] & 0x80 and not last_bits:
            if len(content) < 3 or crc_a(content[:-2]) != content[-2:]:
                errors |= CRC_ERR
            content = content[:-2]
        self._put_into_fifo(content)
        self._registers[CONTROL] = (self._registers[CONTROL] & 0xF8) | last_bits
        self._set_errors(errors)
        self._registers[COM_IRQ] |= RX_IRQ

    def _store_collision(self, place: int, align: int) -> None:
        """Store the position of the first collision, without parity bits, 1 to 32 [9.3.1.15]."""
        bit = place - place // 9 + 1 + align
        self._registers[COLL] = (self._registers[COLL] & 0x80) | (bit & 0x1F if bit <= 32 else 0x20)

    def _decode(
        self, bits: Bits, align: int, collisions: frozenset[int]
    ) -> tuple[bytes, int, bool]:
        if collisions and not self._registers[COLL] & 0x80:
            first = min(collisions)
            bits = bits[:first] + bytes(len(bits) - first)
        if not align:
            return decode(bits)
        # A split byte: its parity includes bits that the reader sent, and is not checked.
        head = bits[: 8 - align]
        rest, last_bits, sound = decode(bits[9 - align :])
        return bytes((BYTE_BY_BITS[bytes(align) + head],)) + rest, last_bits, sound
