"""The SH1106 model against its data sheet."""

import pytest
from PIL import Image

from sim.chips.oled import Reading, Switch
from sim.chips.sh1106 import Sh1106

UPRIGHT = bytes((0xA1, 0xC8))

# What luma.oled 3.x sends before it clears the screen, recorded on the bus.
LUMA_START = bytes.fromhex(
    "ae 20 10 b0 c8 00 10 40 a1 a6 a8 3f a4 d3 00 d5 f0 d9 22 da 12 db 20 8d 14"
)


def command(chip: Sh1106, *content: int) -> None:
    chip.write(bytes((0x00, *content)))


def data(chip: Sh1106, *content: int) -> None:
    chip.write(bytes((0x40, *content)))


def cleared(*start: bytes) -> Sh1106:
    """Return a chip with an empty RAM, and the pointers at 0."""
    chip = Sh1106()
    for page in range(8):
        command(chip, 0xB0 + page, 0x00, 0x10)
        data(chip, *bytes(132))
    command(chip, 0xB0, 0x00, 0x10)
    for content in start:
        command(chip, *content)
    return chip


def stored(chip: Sh1106) -> dict[tuple[int, int], int]:
    """The bytes that are not zero, by page and column."""
    return {
        (page, column): byte
        for page, content in enumerate(chip.ram)
        for column, byte in enumerate(content)
        if byte
    }


def lit(picture: Image.Image) -> set[tuple[int, int]]:
    assert picture.mode == "1"
    assert picture.size == (128, 64)
    return {(x, y) for x in range(128) for y in range(64) if picture.getpixel((x, y))}


ALL_DOTS = {(x, y) for x in range(128) for y in range(64)}


# Addressing


def test_column_is_set_in_two_halves() -> None:
    chip = cleared()
    command(chip, 0xB5, 0x03, 0x18)
    data(chip, 1)
    command(chip, 0x10)
    data(chip, 2)
    assert stored(chip) == {(5, 0x83): 1, (5, 0x03): 2}


def test_column_stops_at_the_last_and_the_page_stays() -> None:
    chip = cleared(bytes((0xB2, 0x02, 0x18)))
    data(chip, 1, 2, 3, 4)
    assert stored(chip) == {(2, 130): 1, (2, 131): 4}


def test_column_beyond_the_last_is_rejected() -> None:
    chip = cleared(bytes((0x04, 0x18)))
    with pytest.raises(AssertionError, match="no column 132"):
        data(chip, 1)


def test_windows_and_other_unknown_commands_are_rejected() -> None:
    for code in (0x21, 0x22, 0x2E, 0x80, 0xA3, 0xB8):
        with pytest.raises(AssertionError, match=f"{code:#04x}"):
            command(Sh1106(), code)


def test_commands_and_data_in_one_transaction() -> None:
    chip = cleared()
    chip.write(bytes((0x80, 0xB3, 0x80, 0x07, 0xC0, 0x55, 0x40, 0x66, 0x77)))
    assert stored(chip) == {(3, 7): 0x55, (3, 8): 0x66, (3, 9): 0x77}


def test_end_of_read_modify_write_restores_the_column() -> None:
    chip = cleared(bytes((0x05, 0x11, 0xE0)))
    data(chip, 1, 2, 3)
    command(chip, 0xEE)
    data(chip, 9)
    assert stored(chip) == {(0, 0x15): 9, (0, 0x16): 2, (0, 0x17): 3}
    command(chip, 0xEE)
    data(chip, 8)
    assert stored(chip)[0, 0x16] == 8


# Power


@pytest.mark.parametrize(
    ("content", "is_lit"),
    [
        (b"", False),
        (b"\xaf", True),
        (b"\xaf\xae", False),
        (b"\xad\x8b\xaf", True),
        (b"\xad\x8a\xaf", False),
        (b"\xad\x8a\xaf\xad\x8b", False),
        (b"\xad\x8a\xaf\xae\xad\x8b\xaf", True),
        (b"\x8d\x10\xaf", True),
    ],
)
def test_panel_is_lit_by_converter_then_display(content: bytes, is_lit: bool) -> None:
    chip = Sh1106()
    command(chip, 0xA5, *content)
    assert lit(chip.picture()) == (ALL_DOTS if is_lit else set())


def test_power_cycle_resets_everything() -> None:
    chip = cleared(UPRIGHT, b"\x81\x33\xa7\x45\xd3\x07\xa8\x1f\xda\x02\xad\x8a\xb3\x07\x12\xe0")
    command(chip, 0x81)
    chip.power_cycle()
    fresh = Sh1106()
    assert chip.settings == fresh.settings
    assert chip.switches == dict.fromkeys(Switch, False)
    assert chip.ram == fresh.ram
    assert chip.settings[0x81] == b"\x80"
    data(chip, 0xAB)
    command(chip, 0xEE)
    data(chip, 0xCD)
    assert chip.ram[0][:2] == b"\xab\xcd"
    command(chip, 0xAF)
    assert 3000 < len(lit(chip.picture())) < 5000


# Reading


def test_read_returns_whether_the_display_is_off() -> None:
    chip = Sh1106()
    assert chip.read() == 0x48
    command(chip, 0xAF)
    assert chip.read() == 0x08
    command(chip, 0xA5, 0xA7)
    assert chip.read() == 0x08
    command(chip, 0xAE)
    assert chip.read() == 0x48
    command(chip, 0xAF)
    chip.power_cycle()
    assert chip.read() == 0x48


def test_read_after_data_is_rejected() -> None:
    chip = Sh1106()
    data(chip, 1)
    with pytest.raises(AssertionError):
        chip.read()
    command(chip)
    assert chip.read() == 0x48
    data(chip, 1)
    chip.power_cycle()
    assert chip.read() == 0x48


def test_reads_of_clones() -> None:
    chip = Sh1106()
    command(chip, 0xAF)
    chip.reading = Reading.ALWAYS_OFF
    assert chip.read() == 0x48
    chip.reading = Reading.REFUSED
    chip.power_cycle()
    assert chip.read() is None


# The panel


def test_picture_is_upright_with_both_remaps() -> None:
    chip = cleared(UPRIGHT, b"\x02\xaf")
    data(chip, 0b0000_0101, 0b1000_0000)
    command(chip, 0xB7, 0x01, 0x18)
    data(chip, 0x80)
    assert lit(chip.picture()) == {(0, 0), (0, 2), (1, 7), (127, 63)}


def test_picture_is_upside_down_without_remaps() -> None:
    chip = cleared(b"\x02\xaf")
    data(chip, 0b0000_0101, 0b1000_0000)
    assert lit(chip.picture()) == {(127, 63), (127, 61), (126, 56)}


def test_outer_columns_are_invisible() -> None:
    chip = cleared(UPRIGHT, b"\xaf")
    data(chip, 0xFF, 0xFF)
    command(chip, 0x02, 0x18)
    data(chip, 0xFF, 0xFF)
    assert lit(chip.picture()) == set()


def test_entire_on_overrides_inverse() -> None:
    chip = cleared(UPRIGHT, b"\x02\xaf\xa7")
    data(chip, 0x01)
    assert lit(chip.picture()) == ALL_DOTS - {(0, 0)}
    command(chip, 0xA5)
    assert lit(chip.picture()) == ALL_DOTS


def test_start_line_offset_rows_and_pads() -> None:
    chip = cleared(UPRIGHT, b"\x02\xaf\x41")
    data(chip, 0x01)
    assert lit(chip.picture()) == {(0, 63)}
    command(chip, 0x40, 0xD3, 0x02)
    assert lit(chip.picture()) == {(0, 62)}
    command(chip, 0xD3, 0x00, 0xA8, 0x1F, 0xA5)
    assert len(lit(chip.picture())) == 32 * 128
    command(chip, 0xA8, 0x3F, 0xA4, 0xDA, 0x02, 0xB3, 0x02, 0x10)
    data(chip, 0x80)
    # With interleaved halves, rows 0 and 31 are twice as far apart.
    heights = sorted(y for _, y in lit(chip.picture()))
    assert heights[1] - heights[0] == 62


def test_start_sequence_of_luma_leaves_another_column() -> None:
    chip = cleared()
    command(chip, *LUMA_START)
    data(chip, 1)
    assert stored(chip) == {(0, 64): 1}
    assert chip.bytes_received == 8 * (4 + 133) + 4 + 26 + 2
    command(chip, 0xAF)
    assert lit(chip.picture()) == {(62, 0)}
