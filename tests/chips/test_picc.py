"""The card model against ISO/IEC 14443-3: UID sizes, cascade levels, anticollision, select."""

import pytest

from sim.chips.frame import crc_a, decode, encode
from sim.chips.picc import Picc, cascade_levels

WUPA = encode(b"\x52", 7)

CARDS = [
    pytest.param("A1 C0 FF EE", "04 00", ["A1 C0 FF EE 70"], id="single"),
    pytest.param(
        "04 E1 41 12 4C 28 80", "44 00", ["88 04 E1 41 2C", "12 4C 28 80 F6"], id="double"
    ),
    pytest.param(
        "04 11 22 33 44 55 66 77 88 99",
        "84 00",
        ["88 04 11 22 BF", "88 33 44 55 AA", "66 77 88 99 00"],
        id="triple",
    ),
]
"""The UID, the ATQA, and the UID CLn with its BCC at each cascade level, worked out by hand."""


@pytest.mark.parametrize(("uid", "_atqa", "levels"), CARDS)
def test_cascade_levels_and_check_bytes(uid: str, _atqa: str, levels: list[str]) -> None:
    assert cascade_levels(bytes.fromhex(uid)) == [bytes.fromhex(level) for level in levels]


@pytest.mark.parametrize("size", [0, 3, 5, 6, 8, 9, 11])
def test_other_uid_sizes_are_rejected(size: int) -> None:
    with pytest.raises(AssertionError):
        Picc(bytes(size))


def exchange(card: Picc, *content: int) -> bytes:
    """Send a frame and return the answer, whose parity must be right."""
    answer = card.hear(encode(bytes(content)), 0)
    assert answer is not None
    received, last_bits, sound = decode(answer)
    assert (last_bits, sound) == (0, True)
    return received


def powered(uid: str) -> Picc:
    card = Picc(bytes.fromhex(uid), sak=0x20, power_up=0)
    card.field(True, 0)
    return card


@pytest.mark.parametrize(("uid", "atqa", "levels"), CARDS)
def test_a_reader_selects_a_card_level_by_level(uid: str, atqa: str, levels: list[str]) -> None:
    card = powered(uid)
    answer = card.hear(WUPA, 0)
    assert answer is not None
    assert decode(answer) == (bytes.fromhex(atqa), 0, True)
    for level, code in zip(levels, (0x93, 0x95, 0x97), strict=False):
        part = exchange(card, code, 0x20)
        assert part == bytes.fromhex(level)
        select = bytes((code, 0x70)) + part
        sak = b"\x20" if level is levels[-1] else b"\x04"
        assert exchange(card, *select, *crc_a(select)) == sak + crc_a(sak)


@pytest.mark.parametrize("place", range(5))
def test_a_select_with_another_uid_or_check_byte_is_not_answered(place: int) -> None:
    part = bytearray.fromhex("A1 C0 FF EE 70")
    part[place] ^= 0x01
    card = powered("A1 C0 FF EE")
    card.hear(WUPA, 0)
    select = b"\x93\x70" + part
    assert card.hear(encode(select + crc_a(select)), 0) is None
