"""A contactless card: the states of ISO 14443-3, type A, up to the selected card.

::

    no field ──field──► IDLE ──REQA or WUPA──► READY ──SELECT, all levels──► ACTIVE
                          ▲                      │                             │
                          └──────anything else───┘                           HLTA
                                                                               ▼
                        READY* ◄──────────────WUPA only────────────────────  HALT

From READY* and ACTIVE* (reached from HALT) an error leads back to HALT instead of
IDLE. A card needs the field for some time before it listens.
"""

from enum import Enum
from functools import lru_cache

from sim.chips.frame import BYTES, KEPT, Bits, crc_a, decode, encode, plain

REQA = 0x26
WUPA = 0x52
HLTA = b"\x50\x00"
SELECT = (0x93, 0x95, 0x97)
CASCADE_TAG = 0x88
SAK_CASCADE = 0x04

POWER_UP = 5_000_000
"""Nanoseconds of field that a card may take before it listens (ISO 14443-3, 5 ms)."""


class State(Enum):
    OFF = "no field"
    IDLE = "idle"
    READY = "ready"
    ACTIVE = "active"


class Picc:
    """One card."""

    def __init__(self, uid: bytes, sak: int = 0x08, power_up: int = POWER_UP) -> None:
        assert len(uid) in (4, 7, 10)
        self.uid = uid
        self.levels = cascade_levels(uid)
        self._sak = sak
        self._power_up = power_up
        self._state = State.OFF
        self._from_halt = False
        self._level = 0
        self._powered_since = 0

    @property
    def atqa(self) -> bytes:
        """Bits 7 and 8 tell the length of the UID, a bit of the first five the anticollision."""
        return bytes((0x04 | {4: 0x00, 7: 0x40, 10: 0x80}[len(self.uid)], 0x00))

    def field(self, on: bool, now: int) -> None:
        """The reader's field came or went; without it a card forgets everything."""
        if on and self._state is State.OFF:
            self._state = State.IDLE
            self._from_halt = False
            self._powered_since = now
        elif not on:
            self._state = State.OFF

    def hear(self, bits: Bits, now: int) -> Bits | None:
        """A frame arrived; the answer, or None when the card stays silent."""
        if self._state is State.OFF or now - self._powered_since < self._power_up:
            return None
        if len(bits) == 7:
            return self._short_frame(BYTES[bits])
        content, last_bits, sound = decode(bits)
        if not sound:
            return self._fall_back()
        match self._state:
            case State.READY:
                return self._anticollision(content, last_bits)
            case State.ACTIVE if content == HLTA + crc_a(HLTA):
                self._state = State.IDLE
                self._from_halt = True
                return None
            case State.ACTIVE:
                return self._fall_back()
        return None

    def _short_frame(self, command: int) -> Bits | None:
        """REQA wakes an idle card, WUPA a halted one too; in any other state it is an error."""
        halted = self._state is State.IDLE and self._from_halt
        if self._state is State.IDLE and (command == WUPA or (command == REQA and not halted)):
            self._state = State.READY
            self._level = 0
            return encode(self.atqa)
        return self._fall_back()

    def _fall_back(self) -> Bits | None:
        """An error: back to IDLE, or to HALT where the card came from there; no answer."""
        self._state = State.IDLE
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
        # The reader names the first bits of the UID; who has the same sends the rest.
        named = _plain_bits(content[2:])[: valid - 16]
        if not _plain_bits(own).startswith(named):
            return self._fall_back()
        return _rest(own, len(named))

    def _select(self, content: bytes, own: bytes) -> Bits | None:
        message = content[:-2]
        if content[-2:] != crc_a(message) or message[2:] != own:
            return self._fall_back()
        last = self._level == len(self.levels) - 1
        sak = bytes((self._sak if last else SAK_CASCADE,))
        if last:
            self._state = State.ACTIVE
        else:
            self._level += 1
        return encode(sak + crc_a(sak))


def cascade_levels(uid: bytes) -> list[bytes]:
    """The four bytes of each cascade level, and their check byte."""
    parts = []
    while len(uid) > 4:
        parts.append(bytes((CASCADE_TAG,)) + uid[:3])
        uid = uid[3:]
    parts.append(uid)
    return [part + bytes((part[0] ^ part[1] ^ part[2] ^ part[3],)) for part in parts]


@lru_cache(KEPT)
def _plain_bits(content: bytes) -> Bits:
    return b"".join(plain(byte) for byte in content)


def _rest(own: bytes, named: int) -> Bits:
    """What follows the named bits, with the parity of each byte that ends in it."""
    return encode(own[named // 8 :])[named % 8 :]
