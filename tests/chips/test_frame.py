"""Frames on the air: the examples of ISO 14443-3, and faulty frames."""

import pytest

from sim.chips.frame import crc_a, decode, encode


def bits(text: str) -> bytes:
    return bytes(int(bit) for bit in text if bit != " ")


@pytest.mark.parametrize(
    ("content", "crc"), [(b"\x00\x00", b"\xa0\x1e"), (b"\x12\x34", b"\x26\xcf")]
)
def test_crc_examples_of_the_standard(content: bytes, crc: bytes) -> None:
    assert crc_a(content) == crc


def test_bytes_are_sent_lowest_bit_first_with_odd_parity() -> None:
    assert encode(b"\x93\x20") == bits("11001001 1 00000100 0")
    assert encode(b"\x26", 7) == bits("0110010")
    assert encode(b"\x93\x26", 7) == bits("11001001 1 0110010")


@pytest.mark.parametrize("last_bits", range(8))
@pytest.mark.parametrize("content", [b"\x93", b"\x93\x20", bytes(range(9))])
def test_decode_reverses_encode(content: bytes, last_bits: int) -> None:
    kept = content[-1] & (1 << (last_bits or 8)) - 1
    expected = content[:-1] + bytes((kept,))
    assert decode(encode(content, last_bits)) == (expected, last_bits, True)


@pytest.mark.parametrize("place", range(18))
def test_wrong_bit_is_detected(place: int) -> None:
    frame = bytearray(encode(b"\x93\x20"))
    frame[place] ^= 1
    content, last_bits, sound = decode(bytes(frame))
    assert not sound
    assert last_bits == 0
    assert (content == b"\x93\x20") == (place % 9 == 8)


def test_frame_without_its_last_parity_bit() -> None:
    assert decode(encode(b"\x93\x20")[:-1]) == (b"\x93\x20", 0, False)


def test_empty_frame() -> None:
    assert encode(b"") == encode(b"", 3) == b""
    assert decode(b"") == (b"", 0, True)
