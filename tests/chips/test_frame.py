"""Frames on the air, by the examples of ISO 14443-3 and by what can go wrong with one."""

import pytest

from sim.chips.frame import crc_a, decode, encode


def bits(text: str) -> bytes:
    return bytes(int(bit) for bit in text if bit != " ")


@pytest.mark.parametrize(
    ("content", "crc"), [(b"\x00\x00", b"\xa0\x1e"), (b"\x12\x34", b"\x26\xcf")]
)
def test_the_checksums_of_the_standard(content: bytes, crc: bytes) -> None:
    assert crc_a(content) == crc


def test_a_byte_goes_lowest_bit_first_with_odd_parity() -> None:
    assert encode(b"\x93\x20") == bits("11001001 1 00000100 0")
    assert encode(b"\x26", 7) == bits("0110010")
    assert encode(b"\x93\x26", 7) == bits("11001001 1 0110010")


@pytest.mark.parametrize("last_bits", range(8))
@pytest.mark.parametrize("content", [b"\x93", b"\x93\x20", bytes(range(9))])
def test_what_is_encoded_is_decoded(content: bytes, last_bits: int) -> None:
    kept = content[-1] & (1 << (last_bits or 8)) - 1
    expected = content[:-1] + bytes((kept,))
    assert decode(encode(content, last_bits)) == (expected, last_bits, True)


@pytest.mark.parametrize("place", range(18))
def test_a_wrong_bit_is_no_longer_sound(place: int) -> None:
    frame = bytearray(encode(b"\x93\x20"))
    frame[place] ^= 1
    content, last_bits, sound = decode(bytes(frame))
    assert not sound
    assert last_bits == 0
    assert (content == b"\x93\x20") == (place % 9 == 8)


def test_a_frame_that_broke_off_before_its_parity() -> None:
    assert decode(encode(b"\x93\x20")[:-1]) == (b"\x93\x20", 0, False)


def test_nothing() -> None:
    assert encode(b"") == encode(b"", 3) == b""
    assert decode(b"") == (b"", 0, True)
