"""Frames of ISO 14443-A as they are on the air: bits, least significant first, with parity.

A full byte is followed by an odd parity bit. A byte that is cut short (the seven
bits of REQA, a split byte of the anticollision) has none.
"""

from collections.abc import Iterable

Bits = list[int]


def encode(content: bytes, last_bits: int = 0) -> Bits:
    """The bits of some bytes; of the last one only so many, if not all eight."""
    bits: Bits = []
    for index, byte in enumerate(content):
        count = last_bits if last_bits and index == len(content) - 1 else 8
        bits += [byte >> place & 1 for place in range(count)]
        if count == 8:
            bits.append(parity(byte))
    return bits


def parity(byte: int) -> int:
    """Odd: together with the byte, an odd number of ones."""
    return 1 - byte.bit_count() % 2


def decode(bits: Bits) -> tuple[bytes, int, bool]:
    """The bytes, how many bits the last one has (0: all), and whether every parity is right."""
    content = bytearray()
    sound = True
    for start in range(0, len(bits), 9):
        group = bits[start : start + 9]
        byte = to_byte(group[:8])
        content.append(byte)
        if len(group) == 9:
            sound = sound and group[8] == parity(byte)
        elif len(group) == 8:
            # All eight bits, but the parity is missing: a frame that broke off.
            return bytes(content), 0, False
        else:
            return bytes(content), len(group), sound
    return bytes(content), 0, sound


def to_byte(bits: Iterable[int]) -> int:
    return sum(bit << place for place, bit in enumerate(bits))


def crc_a(content: bytes) -> bytes:
    """The checksum of ISO 14443-3, type A, low byte first."""
    crc = 0x6363
    for byte in content:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x8408 if crc & 1 else 0)
    return crc.to_bytes(2, "little")
