"""The MFRC522 reader chip: registers, FIFO, timer, CRC coprocessor, and its radio.

Written from NXP's data sheet (MFRC522, rev. 3.9); section numbers in brackets are
its own. What the box does not need is left out and asserted against: MIFARE
authentication, the UART and I²C interfaces, higher speeds.

Time is in nanoseconds. The chip does nothing by itself: whenever somebody talks to
it, it first lives through what has happened since.
"""

from sim.chips.air import Answer, Antenna
from sim.chips.frame import BYTES, Bits, crc, crc_a, decode, encode

# Register addresses [9.2].
COMMAND, COM_IEN, DIV_IEN, COM_IRQ, DIV_IRQ, ERROR, STATUS1, STATUS2 = range(0x01, 0x09)
FIFO_DATA, FIFO_LEVEL, WATER_LEVEL, CONTROL, BIT_FRAMING, COLL = range(0x09, 0x0F)
MODE, TX_MODE, RX_MODE, TX_CONTROL, TX_ASK, TX_SEL, RX_SEL = range(0x11, 0x18)
RX_THRESHOLD, DEMOD = 0x18, 0x19
CRC_HIGH, CRC_LOW = 0x21, 0x22
MOD_WIDTH, RF_CFG, GS_N, CW_GS_P, MOD_GS_P = 0x24, 0x26, 0x27, 0x28, 0x29
T_MODE, T_PRESCALER, T_RELOAD_HIGH, T_RELOAD_LOW = 0x2A, 0x2B, 0x2C, 0x2D
VERSION = 0x37

# Values after a reset [9.3].
RESET_VALUES = {
    COMMAND: 0x20,
    COM_IEN: 0x80,
    COM_IRQ: 0x14,
    STATUS1: 0x21,
    WATER_LEVEL: 0x08,
    CONTROL: 0x10,
    COLL: 0xA0,
    MODE: 0x3F,
    TX_CONTROL: 0x80,
    TX_SEL: 0x10,
    RX_SEL: 0x84,
    RX_THRESHOLD: 0x84,
    DEMOD: 0x4D,
    0x1C: 0x62,
    0x1F: 0xEB,
    CRC_HIGH: 0xFF,
    CRC_LOW: 0xFF,
    MOD_WIDTH: 0x26,
    RF_CFG: 0x48,
    GS_N: 0x88,
    CW_GS_P: 0x20,
    MOD_GS_P: 0x20,
    VERSION: 0x92,
}
READ_ONLY = {ERROR, STATUS1, CRC_HIGH, CRC_LOW, VERSION, 0x2E, 0x2F}

IDLE, CALC_CRC, TRANSCEIVE, SOFT_RESET = 0x0, 0x3, 0xC, 0xF

TX_IRQ, RX_IRQ, HI_ALERT, LO_ALERT, ERR_IRQ, TIMER_IRQ = 64, 32, 8, 4, 2, 1
WR_ERR, TEMP_ERR, BUFFER_OVFL, COLL_ERR, CRC_ERR, PARITY_ERR, PROTOCOL_ERR = (
    0x80, 0x40, 0x10, 0x08, 0x04, 0x02, 0x01,
)  # fmt: skip

FIFO_SIZE = 64
CARRIER = 13_560_000
BIT = 128 * 1_000_000_000 // CARRIER
"""Nanoseconds of a bit at 106 kbit/s."""

FRAME_DELAY = 1236 * 1_000_000_000 // CARRIER
"""From the reader's last bit to a card's first (ISO 14443-3)."""

WAKE_UP = 1_000_000
"""Nanoseconds from the end of power-down to a running oscillator [8.8.1], a slow crystal's."""

NEVER = 1 << 63
"""A moment that does not come."""


class Mfrc522:
    """One chip behind one chip select, with its own reset line and antenna."""

    def __init__(self, antenna: Antenna) -> None:
        self._antenna = antenna
        self._now = 0
        self._reset_line = True
        self.alive = True
        """False: the chip does not drive its output any more."""
        self.dead_line = 0x00
        """How the line reads then: low, or FF where something pulls it high."""
        self.transfers = 0
        self._special_reads = {
            COMMAND: self._read_command,
            COM_IRQ: self._read_com_irq,
            STATUS1: self._read_status1,
            FIFO_DATA: self._read_fifo,
            FIFO_LEVEL: self._read_fifo_level,
        }
        self._special_writes = {
            COM_IRQ: self._write_com_irq,
            DIV_IRQ: self._write_div_irq,
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
            self._write_all(register, sent[1:], now + 2 * byte_time, byte_time)
            return bytes(len(sent))
        # Each byte names the register whose content comes back in the next one.
        assert sent[-1] == 0, "a reading ends with 00 [table 6]"
        headers = sent[:-1]
        if headers.count(sent[0]) == len(headers):
            return b"\0" + self._read_again(register, len(headers), now + byte_time, byte_time)
        return b"\0" + self._read_each(headers, now + byte_time, byte_time)

    def _write_all(self, register: int, values: bytes, now: int, byte_time: int) -> None:
        for value in values:
            self._live(now)
            self._write(register, value)
            now += byte_time

    def _read_each(self, headers: bytes, now: int, byte_time: int) -> bytes:
        received = bytearray()
        for header in headers:
            self._live(now)
            received.append(self._read(header >> 1 & 0x3F))
            now += byte_time
        return bytes(received)

    def _read_again(self, register: int, times: int, now: int, byte_time: int) -> bytes:
        """Read one register up to hundreds of times, as a driver does that lets time pass.

        The chip lives from change to change, not from byte to byte: in between, one reading
        is as good as all.
        """
        received = b""
        while len(received) < times:
            self._live(now)
            before_change = -((now - self._next_change) // byte_time)
            alike = min(times - len(received), before_change)
            if register == FIFO_DATA:
                received += self._take_from_fifo(alike)
            else:
                received += bytes((self._read(register),)) * alike
            now += alike * byte_time
        return received

    # Time

    def _reset(self, now: int) -> None:
        self._registers = bytearray(0x40)
        for register, value in RESET_VALUES.items():
            self._registers[register] = value
        self._fifo = bytearray()
        self._listening = False
        """Whether an answer is awaited: until one comes, or another command."""
        self._sending_until = NEVER
        self._timer_ends = NEVER
        self._answer = Answer(b"", frozenset())
        self._answer_begins = NEVER
        self._answer_ends = NEVER
        self._wakes_at = NEVER
        self._next_change = NEVER
        self._antenna.switch(False, now)

    def _wake_up(self, now: int) -> None:
        self._wakes_at = now + WAKE_UP
        self._look_ahead()

    def _look_ahead(self) -> None:
        """Note when a register will next change by itself."""
        self._next_change = min(
            self._wakes_at, self._sending_until, self._timer_ends, self._answer_ends
        )

    def _live(self, now: int) -> None:
        """Live through what happened since: an answer that arrived, a timer that ran out."""
        if now > self._now:
            self._now = now
        if self._now < self._next_change:
            return
        if self._now >= self._wakes_at:
            self._wakes_at = NEVER
        if self._now >= self._sending_until:
            self._sending_until = NEVER
            self._registers[COM_IRQ] |= TX_IRQ
        if self._now >= self._timer_ends:
            # The fifth bit of an answer stops the timer, if it comes first [8.5].
            if self._answer_begins + 5 * BIT > self._timer_ends:
                self._registers[COM_IRQ] |= TIMER_IRQ
            self._timer_ends = NEVER
        if self._now >= self._answer_ends:
            self._answer_ends = self._timer_ends = NEVER
            self._receive(*self._answer)
        self._look_ahead()

    @property
    def _powered_down(self) -> bool:
        return self._wakes_at != NEVER or self._registers[COMMAND] & 0x10 != 0

    # Registers

    def _read(self, register: int) -> int:
        if register in self._special_reads:
            return self._special_reads[register]()
        return self._registers[register]

    def _read_command(self) -> int:
        return self._registers[COMMAND] | (0x10 if self._wakes_at != NEVER else 0)

    def _read_com_irq(self) -> int:
        """An alert stays here until it is cleared, and comes again while there is cause for it."""
        self._note_alerts()
        return self._registers[COM_IRQ]

    def _read_status1(self) -> int:
        running = 0x08 if self._timer_ends != NEVER else 0
        return (self._registers[STATUS1] & 0x60) | running | self._alerts >> 2

    def _read_fifo(self) -> int:
        return self._take_from_fifo(1)[0]

    def _read_fifo_level(self) -> int:
        return len(self._fifo)

    def _write(self, register: int, value: int) -> None:
        if register == COMMAND:
            self._write_command(value)
            return
        if self._powered_down:
            # Without its oscillator only the command register listens.
            return
        if register in self._special_writes:
            self._special_writes[register](value)
        elif register not in READ_ONLY:
            self._registers[register] = value

    def _write_com_irq(self, value: int) -> None:
        self._write_irq(COM_IRQ, value, 0x7F)

    def _write_div_irq(self, value: int) -> None:
        self._write_irq(DIV_IRQ, value, 0x14)

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

    def _write_irq(self, register: int, value: int, mask: int) -> None:
        """Bit 7 says whether the marked bits are set or cleared."""
        if value & 0x80:
            self._registers[register] |= value & mask
        else:
            self._registers[register] &= ~(value & mask) & 0xFF

    def _write_fifo(self, value: int) -> None:
        if self._listening:
            # Between the last bit sent and the last received [9.3.1.7]; here such a byte is lost.
            self._registers[ERROR] |= WR_ERR
            self._registers[COM_IRQ] |= ERR_IRQ
            return
        self._put_into_fifo(bytes((value,)))

    def _write_control(self, value: int) -> None:
        if value & 0x80:
            self._timer_ends = NEVER
        if value & 0x40:
            self._start_timer(self._now)
            self._look_ahead()

    def _write_command(self, value: int) -> None:
        if value & 0x10:
            assert value & 0x0F == IDLE, "power-down starts no command"
            self._registers[COMMAND] = value & 0x30
            self._antenna.switch(False, self._now)
            self._answer_ends = self._timer_ends = NEVER
            return
        if self._registers[COMMAND] & 0x10:
            self._wake_up(self._now)
            self._antenna.switch(self._registers[TX_CONTROL] & 3 == 3, self._wakes_at)
        command = value & 0x0F
        if command == SOFT_RESET:
            self._reset(self._now)
            return
        self._registers[COMMAND] = value & 0x3F
        self._registers[ERROR] &= TEMP_ERR
        self._answer_ends = NEVER
        if command != TRANSCEIVE:
            self._listening = False
        # A host that writes Idle sets no IdleIRq; only a command that ends by itself does.
        if command == CALC_CRC:
            self._calculate_crc()
        else:
            known = command in (IDLE, TRANSCEIVE)
            assert known, f"the model does not know command {command:#x}"

    # The FIFO [8.3]

    def _put_into_fifo(self, content: bytes) -> None:
        """Whether from the host or from the air: what finds it full is lost [9.3.1.7]."""
        room = FIFO_SIZE - len(self._fifo)
        if len(content) > room:
            self._registers[ERROR] |= BUFFER_OVFL
            self._registers[COM_IRQ] |= ERR_IRQ
        self._fifo += content[:room]
        self._note_alerts()

    def _take_from_fifo(self, count: int) -> bytes:
        taken = bytes(self._fifo[:count])
        del self._fifo[:count]
        self._note_alerts()
        return taken.ljust(count, b"\0")

    def _empty_fifo(self) -> None:
        self._fifo.clear()
        self._note_alerts()

    @property
    def _alerts(self) -> int:
        """It is almost full, or almost empty [9.3.1.12], as the interrupts have it."""
        water = self._registers[WATER_LEVEL] & 0x3F
        high = HI_ALERT if FIFO_SIZE - len(self._fifo) <= water else 0
        low = LO_ALERT if len(self._fifo) <= water else 0
        return high | low

    def _note_alerts(self) -> None:
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
        """Transmit what is in the FIFO, then listen [10.3.1.8]."""
        content = bytes(self._fifo)
        self._empty_fifo()
        last_bits = self._registers[BIT_FRAMING] & 0x07
        if self._registers[TX_MODE] & 0x80:
            content += crc_a(content)
        bits = encode(content, last_bits)
        end = self._now + (len(bits) + 2) * BIT
        self._sending_until = end
        self._listening = True
        if self._registers[T_MODE] & 0x80:
            self._start_timer(end)
        answer = None
        # A card of type A understands nothing but full modulation [9.3.2.6].
        if self._registers[TX_ASK] & 0x40:
            answer = self._antenna.say(bits, end)
        self._answer_begins = self._answer_ends = NEVER
        if answer:
            self._answer = answer
            self._answer_begins = end + FRAME_DELAY
            self._answer_ends = self._answer_begins + (len(answer.bits) + 2) * BIT
        self._look_ahead()

    def _start_timer(self, start: int) -> None:
        prescaler = (self._registers[T_MODE] & 0x0F) << 8 | self._registers[T_PRESCALER]
        reload = self._registers[T_RELOAD_HIGH] << 8 | self._registers[T_RELOAD_LOW]
        even = 2 if self._registers[DEMOD] & 0x10 else 1
        ticks = (prescaler * 2 + even) * (reload + 1)
        self._timer_ends = start + ticks * 1_000_000_000 // CARRIER

    def _receive(self, bits: Bits, collisions: frozenset[int]) -> None:
        self._listening = False
        align = self._registers[BIT_FRAMING] >> 4 & 0x07
        errors = 0
        if collisions:
            errors |= COLL_ERR
            self._note_collision(min(collisions), align)
        content, last_bits, sound = self._decoded(bits, align, collisions)
        if not sound:
            errors |= PARITY_ERR
        if self._registers[RX_MODE] & 0x80 and not last_bits:
            if len(content) < 3 or crc_a(content[:-2]) != content[-2:]:
                errors |= CRC_ERR
            content = content[:-2]
        self._put_into_fifo(content)
        self._registers[CONTROL] = (self._registers[CONTROL] & 0xF8) | last_bits
        self._registers[ERROR] |= errors
        self._registers[COM_IRQ] |= RX_IRQ | (ERR_IRQ if errors else 0)

    def _note_collision(self, place: int, align: int) -> None:
        """The position of the first collision, parity bits not counted, 1 to 32 [9.3.1.15]."""
        bit = place - place // 9 + 1 + align
        self._registers[COLL] = (self._registers[COLL] & 0x80) | (bit & 0x1F if bit <= 32 else 0x20)

    def _decoded(
        self, bits: Bits, align: int, collisions: frozenset[int]
    ) -> tuple[bytes, int, bool]:
        if collisions and not self._registers[COLL] & 0x80:
            first = min(collisions)
            bits = bits[:first] + bytes(len(bits) - first)
        if not align:
            return decode(bits)
        # A split byte: its parity belongs to bits that the reader sent, and is not checked.
        head = bits[: 8 - align]
        rest, last_bits, sound = decode(bits[9 - align :])
        return bytes((BYTES[bytes(align) + head],)) + rest, last_bits, sound
