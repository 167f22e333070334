"""An MFRC522 reader, asked who is in its field right now.

Built on the package ``mfrc522``: its register names, its SPI access. Its waiting loop
reads a register up to two thousand times and cannot tell silence from noise, and its
select knows four-byte UIDs only; both are replaced here.

Waiting. The chip's own timer ends the wait for an answer. It is not asked again and
again: one long transfer reads the interrupt register many times over, so that waiting
costs bus time and no calls.

Wiring of both readers: 3.3V pin 17, MOSI pin 19, MISO pin 21, SCK pin 23, GND pin 25. The
left one has SDA (chip select CE0) on pin 24 and RST on pin 22, the right one SDA (CE1) on
pin 26 and RST on pin 18. Never 5 V.
"""

import logging
from collections.abc import Callable
from typing import TypeVar

import RPi.GPIO as GPIO
from mfrc522 import MFRC522

from hal.pi.look import Card, Seen

T = TypeVar("T")

WUPA = 0x52
SELECT = (0x93, 0x95, 0x97)
ALL_BITS = 0x70
NO_BITS = 0x20
CASCADE_TAG = 0x88
MORE_TO_COME = 0x04
"""The bit of a SAK that says that the UID goes on at the next level."""

RX_IRQ = 0x20
TIMER_IRQ = 0x01
BROKEN = 0x97
"""Bits of ErrorReg that spoil an answer: ill-timed write, overflow, CRC, parity, protocol."""
COLLISION = 0x08

FIELD_ON, FIELD_OFF = 0x83, 0x80
POWER_DOWN = 0x10
FORCE_100_ASK = 0x40
START_SEND = 0x80
SEVEN_BITS = 0x07
FLUSH = 0x80

TIMER_STARTS_BY_ITSELF = 0x80
TICK_OF_25_US = 169
PATIENCE_TICKS = 40
"""A millisecond of silence after the question; an answer comes within 0.1 ms."""
CRC_PRESET_6363 = 0x3D
HIGHEST_GAIN = 0x70

SPEED = 1_000_000
BCM = 11
"""RPi.GPIO's number for counting pins as the Broadcom chip does."""

READ = 0x80
ALL_IRQS = 0x7F
LAST_BITS = 0x07
TRIES = 3
CARDS_LISTEN_AFTER = 640
"""Readings in one transfer that take 5.1 ms at 1 MHz."""

# At 1 MHz a register is read every 8 µs; a byte and its parity take 85 µs on the air.
BURST_A_BYTE = 11
BURST_FOR_DELAYS = 20
BURST_FOR_SILENCE = 140
BURSTS = 3
"""The second ends after the chip's timer; the third is for a chip that is late."""
OSCILLATOR_STARTS = 150
"""Readings that take 1.2 ms: longer than most crystals."""
SLOWEST_START = 8
"""Bursts of these, ten milliseconds, before the chip is given up."""


class Silence(Exception):
    """Nobody answered."""


class Garbled(Exception):
    """Somebody answered, and was not understood."""


class Several(Exception):
    """More than one card answered."""


class NoReader(Exception):
    """The chip itself does not answer."""


class Reader(MFRC522):  # type: ignore[misc]  # the package has no types
    """One chip, behind one chip select and one reset line."""

    def __init__(self, bus: int, device: int, reset_pin: int) -> None:
        self._turn = 0
        """At which cascade level a known card's neighbours are looked for next."""
        self._reset_pin = reset_pin
        # The package adds one for every reader, and one that fails is made anew every second.
        logging.getLogger("mfrc522Logger").handlers.clear()
        super().__init__(bus=bus, device=device, spd=SPEED, pin_mode=BCM, pin_rst=reset_pin)

    def MFRC522_Init(self) -> None:  # noqa: N802  # the package calls it so
        """At the end of its own construction; it would go on while the chip still starts."""
        self.revive()

    def _set_up(self) -> None:
        """With the field off: the package would switch it on.

        A write that is lost on the way is noticed by nobody, and could leave a chip that
        answers and sees no card. So it is read back, and written once more if it differs.
        """
        settings = {
            self.TModeReg: TIMER_STARTS_BY_ITSELF,
            self.TPrescalerReg: TICK_OF_25_US,
            self.TReloadRegH: 0,
            self.TReloadRegL: PATIENCE_TICKS,
            self.TxAutoReg: FORCE_100_ASK,
            self.ModeReg: CRC_PRESET_6363,
            self.RFCfgReg: HIGHEST_GAIN,
        }
        for _ in range(2):
            for register, value in settings.items():
                self.Write_MFRC522(register, value)
            if self._read_each(*settings) == bytes(settings.values()):
                return

    def hold_in_reset(self) -> None:
        """Silence the chip by its own line, until it is revived."""
        GPIO.output(self._reset_pin, 0)

    def revive(self) -> bool:
        """Reset the chip by its own line and set it up; True when it answers."""
        self.hold_in_reset()
        GPIO.output(self._reset_pin, 1)
        self._await_oscillator()
        if not self.is_alive():
            return False
        self._set_up()
        return True

    def _await_oscillator(self) -> None:
        """Until the chip says that it is awake; a good crystal needs one burst of readings."""
        for _ in range(SLOWEST_START):
            if not self._read_many(self.CommandReg, OSCILLATOR_STARTS)[-1] & POWER_DOWN:
                return

    def close(self) -> None:
        """Let go of the bus; the package's own way also takes all pins from everybody."""
        self.spi.close()

    # The field

    def field_on(self) -> None:
        """Power the cards; they listen 5 ms later."""
        self.Write_MFRC522(self.TxControlReg, FIELD_ON)

    def field_off(self) -> None:
        """Cards in the field forget everything, so the next look meets them fresh."""
        self.Write_MFRC522(self.TxControlReg, FIELD_OFF)

    def power_down(self) -> None:
        self.Write_MFRC522(self.CommandReg, POWER_DOWN)

    def power_up(self) -> None:
        self.Write_MFRC522(self.CommandReg, self.PCD_IDLE)
        self._await_oscillator()

    def hold_for_cards(self) -> None:
        """Let 5 ms pass in one transfer: asleep, a look is then one wake-up instead of three."""
        self._read_many(self.VersionReg, CARDS_LISTEN_AFTER)

    def version(self) -> int:
        read: int = self.Read_MFRC522(self.VersionReg)
        return read

    def is_alive(self) -> bool:
        return self.version() not in (0x00, 0xFF)

    # A look

    def look(self, known: bytes | None) -> Card | Seen:
        """Who is there? Expects the field to have been on for 5 ms."""
        try:
            found: Card | Seen = Card(self._find(known))
        except Silence:
            found = Seen.NOTHING
        except Garbled:
            found = Seen.SOMETHING
        except Several:
            # The next look is to see the same again, so it asks the same.
            return Seen.SEVERAL
        except NoReader:
            found = Seen.NO_READER
        self._turn += 1
        return found

    def _find(self, known: bytes | None) -> bytes:
        self._wake(tries=TRIES if known else 1)
        if known:
            try:
                self._select_known(known)
            except (Silence, Garbled):
                # Another card, or noise: read whoever it is from the beginning.
                self._still_there(lambda: self._wake(tries=TRIES))
            else:
                return known
        return self._still_there(self._read_uid)

    def _still_there(self, act: Callable[[], T]) -> T:
        """After one answer silence means only that the next question was not understood."""
        try:
            return act()
        except Silence:
            raise Garbled from None

    def _wake(self, tries: int) -> None:
        """Call every card, halted or not; an answer that was garbled is still an answer."""
        for attempt in range(tries):
            # What the receiver took in since the last look would be sent before the question.
            self.Write_MFRC522(self.FIFOLevelReg, FLUSH)
            try:
                self._ask([WUPA], 2, last_bits=SEVEN_BITS)
            except Silence:
                if attempt == tries - 1:
                    raise
            except (Garbled, Several):
                # Two cards of different kinds: their UIDs will tell.
                return
            else:
                return

    def _read_uid(self) -> bytes:
        """Anticollision and select, through all cascade levels."""
        uid = b""
        for level in SELECT:
            part = self._ask([level, NO_BITS], 5)
            if part[0] ^ part[1] ^ part[2] ^ part[3] != part[4]:
                raise Garbled
            more = self._select(level, part)
            if not more:
                return uid + part[:4]
            if part[0] != CASCADE_TAG:
                raise Garbled
            uid += part[1:4]
        raise Garbled

    def _select_known(self, uid: bytes) -> None:
        """Ask for this very card: whoever has another UID stays silent.

        A second card would stay silent too. So at one level, in turn, all are asked for
        their UIDs first, and two of them collide.
        """
        parts = levels(uid)
        for index, (level, part) in enumerate(zip(SELECT, parts, strict=False)):
            if index == self._turn % len(parts) and self._ask([level, NO_BITS], 5) != part:
                raise Garbled
            self._select(level, part)

    def _select(self, level: int, part: bytes) -> bool:
        """Select at one level; True when the UID goes on at the next."""
        message = bytes((level, ALL_BITS)) + part
        try:
            answer = self._ask(list(message + crc_a(message)), 3)
        except Several:
            # Only one card has this UID, so only one has answered: that was noise.
            raise Garbled from None
        if crc_a(answer[:1]) != answer[1:]:
            raise Garbled
        return bool(answer[0] & MORE_TO_COME)

    # One question, one answer

    def _ask(self, content: list[int], expected: int, last_bits: int = 0) -> bytes:
        # After silence the chip still listens, and must not be given the next question then.
        self.Write_MFRC522(self.CommandReg, self.PCD_IDLE)
        self.Write_MFRC522(self.CommIrqReg, ALL_IRQS)
        self.spi.xfer2([self.FIFODataReg << 1, *content])
        self.Write_MFRC522(self.CommandReg, self.PCD_TRANSCEIVE)
        self.Write_MFRC522(self.BitFramingReg, START_SEND | last_bits)
        self._await_answer(len(content) + expected)
        report = (self.ErrorReg, self.FIFOLevelReg, self.ControlReg)
        read = self._read_each(*report, *[self.FIFODataReg] * expected)
        error, length, control = read[: len(report)]
        if error & COLLISION:
            raise Several
        if error & BROKEN or control & LAST_BITS or length != expected:
            raise Garbled
        return read[len(report) :]

    def _await_answer(self, air_bytes: int) -> None:
        """Read the interrupts for as long as question and answer take on the air."""
        burst = BURST_FOR_DELAYS + BURST_A_BYTE * air_bytes
        for _ in range(BURSTS):
            irqs = self._read_many(self.CommIrqReg, burst)[-1]
            if irqs == 0xFF:
                break
            if irqs & RX_IRQ:
                return
            if irqs & TIMER_IRQ:
                raise Silence
            burst = BURST_FOR_SILENCE
        raise NoReader

    def _read_many(self, register: int, times: int) -> bytes:
        header = register << 1 | READ
        return bytes(self.spi.xfer2([header] * times + [0])[1:])

    def _read_each(self, *registers: int) -> bytes:
        return bytes(self.spi.xfer2([register << 1 | READ for register in registers] + [0])[1:])


def levels(uid: bytes) -> list[bytes]:
    """A UID as the cascade levels carry it, each with its check byte."""
    parts = []
    while len(uid) > 4:
        parts.append(bytes((CASCADE_TAG,)) + uid[:3])
        uid = uid[3:]
    parts.append(uid)
    return [part + bytes((part[0] ^ part[1] ^ part[2] ^ part[3],)) for part in parts]


def crc_a(content: bytes) -> bytes:
    """The checksum of ISO 14443-3 type A, here because the chip's own costs nine transfers."""
    crc = 0x6363
    for byte in content:
        byte ^= crc & 0xFF
        byte = (byte ^ byte << 4) & 0xFF
        crc = crc >> 8 ^ byte << 8 ^ byte << 3 ^ byte >> 4
    return bytes((crc & 0xFF, crc >> 8 & 0xFF))
