"""Frames of ISO 14443-A on the air: bits, least significant first, with parity.

A full byte is followed by an odd parity bit. A partial byte (the seven bits of REQA, a
split byte of the anticollision) has none.

The functions are cached: cards and readers repeat a few frames again and again.
"""

from functools import lru_cache

Bits = bytes
"""One bit in each byte, 0 or 1."""

CACHE_SIZE = 256
"""Limited because noise makes new frames all the time."""

PARITIES = bytes(1 - byte.bit_count() % 2 for byte in range(0x100))
"""The odd parity of each byte."""


def plain(byte: int) -> Bits:
    """Return the eight bits of a byte, without parity."""
    return bytes(byte >> place & 1 for place in range(8))


BYTE_BY_BITS = {plain(byte)[:count]: byte for count in range(9) for byte in range(1 << count)}
"""The byte for up to eight bits; missing bits are 0."""


@lru_cache(CACHE_SIZE)
def encode(content: bytes, last_bits: int = 0) -> Bits:
    """Return the bits of a frame; ``last_bits`` limits the last byte, 0 is all eight."""
    bits = b"".join(plain(byte) + bytes((PARITIES[byte],)) for byte in content)
    return bits[: last_bits - 9] if last_bits else bits


@lru_cache(CACHE_SIZE)
def decode(bits: Bits) -> tuple[bytes, int, bool]:
    """Return the bytes, the number of bits in the last (0: all), and if all parities are right."""
    content = bytes([BYTE_BY_BITS[bits[start : start + 8]] for start in range(0, len(bits), 9)])
    last_bits = len(bits) % 9
    if last_bits == 8:
        # Eight bits without parity: a truncated frame.
        return content, 0, False
    parities = bits[8::9]
    return content, last_bits, content[: len(parities)].translate(PARITIES) == parities


@lru_cache(CACHE_SIZE)
def crc_a(content: bytes) -> bytes:
    """Return the CRC_A of ISO 14443-3, low byte first."""
    return crc(content, preset=0x6363).to_bytes(2, "little")


def crc(content: bytes, preset: int) -> int:
    for byte in content:
        preset ^= byte
        for _ in range(8):
            preset = preset >> 1 ^ (0x8408 if preset & 1 else 0)
    return preset
