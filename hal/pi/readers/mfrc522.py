"""The driver of the MFRC522 card reader.

It uses register names and SPI access of the package ``mfrc522``. It replaces two parts of the
package: the waiting loop, which reads a register up to two thousand times and cannot
distinguish silence from noise, and the select, which supports only UIDs of four bytes.

The chip's timer limits the wait for an answer. To wait, one long transfer reads the interrupt
register many times, so that waiting costs bus time but no system calls.

Wiring of both readers: 3.3V pin 17, MOSI pin 19, MISO pin 21, SCK pin 23, GND pin 25. The
left one has SDA (chip select CE0) on pin 24 and RST on pin 22, the right one SDA (CE1) on
pin 26 and RST on pin 18. Never 5 V.

Tests: tests/drivers/test_reader.py.
"""

import logging
from collections.abc import Mapping
from typing import ClassVar

import RPi.GPIO as GPIO
from mfrc522 import MFRC522

from hal.pi.readers.card_reader import Card, ScanResult

WUPA = 0x52
SELECT = (0x93, 0x95, 0x97)
ALL_BITS = 0x70
NO_BITS = 0x20
CASCADE_TAG = 0x88
UID_CONTINUES = 0x04
"""A bit of the SAK: the UID continues at the next level."""

RX_IRQ = 0x20
TIMER_IRQ = 0x01
ERRORS = 0x97
"""Bits of ErrorReg: write at a wrong time, buffer overflow, CRC, parity, protocol."""
COLLISION = 0x08

FIELD_ON, FIELD_OFF = 0x83, 0x80
POWER_DOWN = 0x10
FORCE_100_ASK = 0x40
START_SEND = 0x80
SEVEN_BITS = 0x07
FLUSH = 0x80

TIMER_AUTO_START = 0x80
TICK_OF_25_US = 169
TIMEOUT_TICKS = 40
"""One millisecond after the request; an answer comes within 0.1 ms."""
CRC_PRESET_6363 = 0x3D
HIGHEST_GAIN = 0x70

SPEED = 1_000_000
BCM = 11
"""RPi.GPIO's constant for the pin numbers of the Broadcom chip."""

READ = 0x80
ALL_IRQS = 0x7F
LAST_BITS = 0x07
WAKE_UP_ATTEMPTS = 3

# Time is counted in readings of a register: at 1 MHz one takes 8 µs. A byte and its parity
# take 85 µs on the air.
READINGS_PER_BYTE = 11
READINGS_FOR_DELAYS = 20
READINGS_FOR_TIMEOUT = 140
BURSTS = 3
"""The second burst ends after the chip's timer; the third is for a chip that is late."""
READINGS_FOR_CARDS = 640
"""5.1 ms: cards need 5 ms of field."""
READINGS_FOR_OSCILLATOR = 150
"""1.2 ms: more than most crystals need."""
OSCILLATOR_BURSTS = 8
"""Ten milliseconds."""


class NoAnswer(Exception):
    """No card answered."""


class GarbledAnswer(Exception):
    """A card answered, but with errors."""


class SeveralCards(Exception):
    """More than one card answered."""


class NoReader(Exception):
    """The chip does not answer."""


class Mfrc522Reader(MFRC522):  # type: ignore[misc]  # the package has no types
    """One MFRC522; a ``CardReader``."""

    VERSIONS: ClassVar[Mapping[int, str]] = {
        0x90: "MFRC522 version 0",
        0x91: "MFRC522 version 1",
        0x92: "MFRC522 version 2",
        0x88: "FM17522, a clone of the MFRC522",
        0x89: "FM17522E, a clone of the MFRC522",
        0xB2: "FM17522, a clone of the MFRC522",
        0x12: "a counterfeit MFRC522",
    }

    def __init__(self, spi_bus: int, chip_select: int, reset_pin: int) -> None:
        self._scans = 0
        self._reset_pin = reset_pin
        # The package adds a handler for every reader, and a failing reader is opened every second.
        logging.getLogger("mfrc522Logger").handlers.clear()
        super().__init__(
            bus=spi_bus, device=chip_select, spd=SPEED, pin_mode=BCM, pin_rst=reset_pin
        )

    def MFRC522_Init(self) -> None:  # noqa: N802  # the package's name
        """Replace the package's set-up, which does not wait until the chip has started."""
        self.revive()

    def _set_up(self) -> None:
        """Write the settings, with the field off; the package would switch it on.

        A lost write is not reported, and could leave a chip that answers but reads no card.
        So the settings are read back, and written once more if they differ.
        """
        settings = {
            self.TModeReg: TIMER_AUTO_START,
            self.TPrescalerReg: TICK_OF_25_US,
            self.TReloadRegH: 0,
            self.TReloadRegL: TIMEOUT_TICKS,
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
        GPIO.output(self._reset_pin, 0)

    def revive(self) -> bool:
        self.hold_in_reset()
        GPIO.output(self._reset_pin, 1)
        self._await_oscillator()
        if not self.is_alive():
            return False
        self._set_up()
        return True

    def _await_oscillator(self) -> None:
        """Wait until the chip has started; with a good crystal that takes one burst."""
        for _ in range(OSCILLATOR_BURSTS):
            if not self._read_many(self.CommandReg, READINGS_FOR_OSCILLATOR)[-1] & POWER_DOWN:
                return

    def close(self) -> None:
        """Close the bus; the package's own method would also free the pins of other parts."""
        self.spi.close()

    # The field

    def field_on(self) -> None:
        self.Write_MFRC522(self.TxControlReg, FIELD_ON)

    def field_off(self) -> None:
        self.Write_MFRC522(self.TxControlReg, FIELD_OFF)

    def power_down(self) -> None:
        self.Write_MFRC522(self.CommandReg, POWER_DOWN)

    def power_up(self) -> None:
        self.Write_MFRC522(self.CommandReg, self.PCD_IDLE)
        self._await_oscillator()

    def await_cards(self) -> None:
        """Wait in one transfer: a scan asleep is then one wake-up of the process, not three."""
        self._read_many(self.VersionReg, READINGS_FOR_CARDS)

    def version(self) -> int:
        version: int = self.Read_MFRC522(self.VersionReg)
        return version

    def is_alive(self) -> bool:
        return self.version() not in (0x00, 0xFF)

    # A scan

    def scan(self, known: bytes | None) -> Card | ScanResult:
        try:
            found: Card | ScanResult = Card(self._find(known))
        except NoAnswer:
            found = ScanResult.NOTHING
        except GarbledAnswer:
            found = ScanResult.SOMETHING
        except SeveralCards:
            # Not counted, so that the next scan sends the same requests and finds both again.
            return ScanResult.SEVERAL
        except NoReader:
            found = ScanResult.NO_READER
        self._scans += 1
        return found

    def _find(self, known: bytes | None) -> bytes:
        self._wake(attempts=WAKE_UP_ATTEMPTS if known else 1)
        try:
            if known:
                try:
                    self._select_known(known)
                except (NoAnswer, GarbledAnswer):
                    # Another card, or noise: read the UID from the beginning.
                    self._wake(attempts=WAKE_UP_ATTEMPTS)
                else:
                    return known
            return self._read_uid()
        except NoAnswer:
            # A card has already answered in this scan.
            raise GarbledAnswer from None

    def _wake(self, attempts: int) -> None:
        """Wake all cards, also halted ones; a garbled answer counts as an answer."""
        for attempt in range(attempts):
            # Bytes received since the last scan would be sent before the request.
            self.Write_MFRC522(self.FIFOLevelReg, FLUSH)
            try:
                self._ask([WUPA], 2, last_bits=SEVEN_BITS)
            except NoAnswer:
                if attempt == attempts - 1:
                    raise
            except (GarbledAnswer, SeveralCards):
                # Two cards of different types; the anticollision distinguishes them.
                return
            else:
                return

    def _read_uid(self) -> bytes:
        """Read and select the card, through all cascade levels."""
        uid = b""
        for level in SELECT:
            part = self._ask([level, NO_BITS], 5)
            if part[0] ^ part[1] ^ part[2] ^ part[3] != part[4]:
                raise GarbledAnswer
            continues = self._select(level, part)
            if not continues:
                return uid + part[:4]
            if part[0] != CASCADE_TAG:
                raise GarbledAnswer
            uid += part[1:4]
        raise GarbledAnswer

    def _select_known(self, uid: bytes) -> None:
        """Select a card by its UID; all other cards stay silent.

        To find a second card, one level of each scan, in turn, starts with an anticollision, in
        which both cards answer.
        """
        parts = levels(uid)
        for index, (level, part) in enumerate(zip(SELECT, parts, strict=False)):
            if index == self._scans % len(parts) and self._ask([level, NO_BITS], 5) != part:
                raise GarbledAnswer
            self._select(level, part)

    def _select(self, level: int, part: bytes) -> bool:
        """Select at one level; True if the UID continues at the next."""
        message = bytes((level, ALL_BITS)) + part
        try:
            answer = self._ask(list(message + crc_a(message)), 3)
        except SeveralCards:
            # A UID is unique, so only one card has answered: the collision was noise.
            raise GarbledAnswer from None
        if crc_a(answer[:1]) != answer[1:]:
            raise GarbledAnswer
        return bool(answer[0] & UID_CONTINUES)

    # One request

    def _ask(self, content: list[int], expected: int, last_bits: int = 0) -> bytes:
        # Without an answer the chip still receives, and would lose the next request.
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
            raise SeveralCards
        if error & ERRORS or control & LAST_BITS or length != expected:
            raise GarbledAnswer
        return read[len(report) :]

    def _await_answer(self, air_bytes: int) -> None:
        """Read the interrupts for as long as request and answer take on the air."""
        burst = READINGS_FOR_DELAYS + READINGS_PER_BYTE * air_bytes
        for _ in range(BURSTS):
            irqs = self._read_many(self.CommIrqReg, burst)[-1]
            if irqs == 0xFF:
                break
            if irqs & RX_IRQ:
                return
            if irqs & TIMER_IRQ:
                raise NoAnswer
            burst = READINGS_FOR_TIMEOUT
        raise NoReader

    def _read_many(self, register: int, times: int) -> bytes:
        header = register << 1 | READ
        return bytes(self.spi.xfer2([header] * times + [0])[1:])

    def _read_each(self, *registers: int) -> bytes:
        return bytes(self.spi.xfer2([register << 1 | READ for register in registers] + [0])[1:])


def levels(uid: bytes) -> list[bytes]:
    """Split a UID by cascade levels, each with its check byte."""
    parts = []
    while len(uid) > 4:
        parts.append(bytes((CASCADE_TAG,)) + uid[:3])
        uid = uid[3:]
    parts.append(uid)
    return [part + bytes((part[0] ^ part[1] ^ part[2] ^ part[3],)) for part in parts]


def crc_a(content: bytes) -> bytes:
    """The CRC of ISO 14443-3 type A; the chip could compute it, but in nine transfers."""
    crc = 0x6363
    for byte in content:
        byte ^= crc & 0xFF
        byte = (byte ^ byte << 4) & 0xFF
        crc = crc >> 8 ^ byte << 8 ^ byte << 3 ^ byte >> 4
    return bytes((crc & 0xFF, crc >> 8 & 0xFF))
