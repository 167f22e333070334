"""Frames of ISO 14443-A as they are on the air: bits, least significant first, with parity.

A full byte is followed by an odd parity bit. A byte that is cut short (the seven
bits of REQA, a split byte of the anticollision) has none.

Cards and readers say the same few things again and again; what was worked out is kept.
"""

from functools import lru_cache

Bits = bytes
"""One bit in each byte, 0 or 1."""

KEPT = 256
"""Frames, at most: noise makes new ones without end."""

PARITIES = bytes(1 - byte.bit_count() % 2 for byte in range(0x100))
"""Odd: together with its byte, an odd number of ones."""


def plain(byte: int) -> Bits:
    """Its eight bits, without parity."""
    return bytes(byte >> place & 1 for place in range(8))


BYTES = {plain(byte)[:count]: byte for count in range(9) for byte in range(1 << count)}
"""The byte that begins with some bits, up to eight; the others are 0."""


@lru_cache(KEPT)
def encode(content: bytes, last_bits: int = 0) -> Bits:
    """The bits of some bytes; of the last one only so many, if not all eight."""
    bits = b"".join(plain(byte) + bytes((PARITIES[byte],)) for byte in content)
    return bits[: last_bits - 9] if last_bits else bits


@lru_cache(KEPT)
def decode(bits: Bits) -> tuple[bytes, int, bool]:
    """The bytes, how many bits the last one has (0: all), and whether every parity is right."""
    content = bytes([BYTES[bits[start : start + 8]] for start in range(0, len(bits), 9)])
    last_bits = len(bits) % 9
    if last_bits == 8:
        # All eight bits, but the parity is missing: a frame that broke off.
        return content, 0, False
    parities = bits[8::9]
    return content, last_bits, content[: len(parities)].translate(PARITIES) == parities


@lru_cache(KEPT)
def crc_a(content: bytes) -> bytes:
    """The checksum of ISO 14443-3, type A, low byte first."""
    return crc(content, preset=0x6363).to_bytes(2, "little")


def crc(content: bytes, preset: int) -> int:
    for byte in content:
        preset ^= byte
        for _ in range(8):
            preset = preset >> 1 ^ (0x8408 if preset & 1 else 0)
    return preset
