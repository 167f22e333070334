"""A contactless card: the states of ISO 14443-3, type A, up to the selected card.

::

    no field ──field──► IDLE ──REQA or WUPA──► READY ──SELECT, all levels──► ACTIVE
                          ▲                      │                             │
                          └──────anything else───┘                           HLTA
                                                                               ▼
                        READY* ◄──────────────WUPA only────────────────────  HALT

From READY* and ACTIVE* (reached from HALT) an error leads back to HALT instead of
IDLE. A card needs the field for some time before it receives.
"""

from enum import Enum
from functools import lru_cache, reduce
from operator import xor

from sim.chips.frame import BYTE_BY_BITS, CACHE_SIZE, Bits, crc_a, decode, encode, plain

REQA = 0x26
WUPA = 0x52
HLTA = b"\x50\x00"
SELECT = (0x93, 0x95, 0x97)
SAK_CASCADE = 0x04

CASCADE_TAG = b"\x88"
UID_PARTS = {
    4: (slice(0, 4),),
    7: (slice(0, 3), slice(3, 7)),
    10: (slice(0, 3), slice(3, 6), slice(6, 10)),
}
"""By UID size (single, double, triple): the bytes that each cascade level carries."""

POWER_UP = 5_000_000
"""Nanoseconds of field that a card may need before it receives (ISO 14443-3, 5 ms)."""


class PiccState(Enum):
    OFF = "no field"
    IDLE = "idle"
    READY = "ready"
    ACTIVE = "active"


class Picc:
    """One card (PICC: proximity integrated circuit card)."""

    def __init__(self, uid: bytes, sak: int = 0x08, power_up: int = POWER_UP) -> None:
        assert len(uid) in UID_PARTS
        self.uid = uid
        self.levels = cascade_levels(uid)
        self._sak = sak
        self._power_up = power_up
        self._state = PiccState.OFF
        self._from_halt = False
        self._level = 0
        self._powered_since = 0

    @property
    def atqa(self) -> bytes:
        """Bits 7 and 8 are the size of the UID; one of the first five is for anticollision."""
        return bytes((0x04 | {4: 0x00, 7: 0x40, 10: 0x80}[len(self.uid)], 0x00))

    def field(self, on: bool, now: int) -> None:
        """Switch the reader's field on or off; without it the card loses its state."""
        if on and self._state is PiccState.OFF:
            self._state = PiccState.IDLE
            self._from_halt = False
            self._powered_since = now
        elif not on:
            self._state = PiccState.OFF

    def hear(self, bits: Bits, now: int) -> Bits | None:
        """Receive a frame and return the answer, if there is one."""
        if self._state is PiccState.OFF or now - self._powered_since < self._power_up:
            return None
        if len(bits) == 7:
            return self._short_frame(BYTE_BY_BITS[bits])
        content, last_bits, sound = decode(bits)
        if not sound:
            return self._fall_back()
        match self._state:
            case PiccState.READY:
                return self._anticollision(content, last_bits)
            case PiccState.ACTIVE if content == HLTA + crc_a(HLTA):
                self._state = PiccState.IDLE
                self._from_halt = True
                return None
            case PiccState.ACTIVE:
                return self._fall_back()
        return None

    def _short_frame(self, command: int) -> Bits | None:
        """Answer REQA and WUPA. REQA does not wake a halted card; other states are errors."""
        halted = self._state is PiccState.IDLE and self._from_halt
        if self._state is PiccState.IDLE and (command == WUPA or (command == REQA and not halted)):
            self._state = PiccState.READY
            self._level = 0
            return encode(self.atqa)
        return self._fall_back()

    def _fall_back(self) -> Bits | None:
        """Handle an error: back to IDLE, or to HALT if the card came from there."""
        self._state = PiccState.IDLE
        return None

    def _anticollision(self, content: bytes, last_bits: int) -> Bits | None:
        if len(content) < 2 or content[0] != SELECT[self._level]:
            return self._fall_back()
        own = self.levels[self._level]
        if content[1] == 0x70:
            return self._select(content, own)
        valid = 16 + 8 * len(content[2:]) - ((8 - last_bits) if last_bits else 0)
        if (content[1] >> 4) * 8 + (content[1] & 0x0F) != valid:
            return self._fall_back()
        # The reader sends the first bits of a UID; a card that has them answers with the rest.
        known = _plain_bits(content[2:])[: valid - 16]
        if not _plain_bits(own).startswith(known):
            return self._fall_back()
        return encode(own[len(known) // 8 :])[len(known) % 8 :]

    def _select(self, content: bytes, own: bytes) -> Bits | None:
        message = content[:-2]
        if content[-2:] != crc_a(message) or message[2:] != own:
            return self._fall_back()
        last = self._level == len(self.levels) - 1
        sak = bytes((self._sak if last else SAK_CASCADE,))
        if last:
            self._state = PiccState.ACTIVE
        else:
            self._level += 1
        return encode(sak + crc_a(sak))


def cascade_levels(uid: bytes) -> list[bytes]:
    """Return UID CLn and BCC of each cascade level; BCC is the exclusive-or of the four bytes."""
    uid_clns = [uid[part].rjust(4, CASCADE_TAG) for part in UID_PARTS[len(uid)]]
    return [uid_cln + bytes((reduce(xor, uid_cln),)) for uid_cln in uid_clns]


@lru_cache(CACHE_SIZE)
def _plain_bits(content: bytes) -> Bits:
    return b"".join(plain(byte) for byte in content)
