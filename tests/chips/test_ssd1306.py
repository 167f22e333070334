"""The SSD1306 model against its data sheet."""

import pytest
from PIL import Image

from sim.chips.oled import Reading, Scan, Switch, unwrap
from sim.chips.ssd1306 import Ssd1306

UPRIGHT = bytes((0xA1, 0xC8))
LIGHT = bytes((0x8D, 0x14, 0xAF))
HORIZONTAL, VERTICAL = bytes((0x20, 0x00)), bytes((0x20, 0x01))


def command(chip: Ssd1306, *content: int) -> None:
    chip.write(bytes((0x00, *content)))


def data(chip: Ssd1306, *content: int) -> None:
    chip.write(bytes((0x40, *content)))


def cleared(*start: bytes) -> Ssd1306:
    """Return a chip with an empty RAM, in horizontal mode, and the pointers at 0."""
    chip = Ssd1306()
    command(chip, *HORIZONTAL)
    data(chip, *bytes(1024))
    for content in start:
        command(chip, *content)
    return chip


def stored(chip: Ssd1306) -> dict[tuple[int, int], int]:
    """The bytes that are not zero, by page and segment."""
    return {
        (page, segment): byte
        for page, content in enumerate(chip.ram)
        for segment, byte in enumerate(content)
        if byte
    }


def lit(picture: Image.Image) -> set[tuple[int, int]]:
    assert picture.mode == "1"
    assert picture.size == (128, 64)
    return {(x, y) for x in range(128) for y in range(64) if picture.getpixel((x, y))}


def line(y: int) -> set[tuple[int, int]]:
    return {(x, y) for x in range(128)}


ALL_DOTS = {(x, y) for x in range(128) for y in range(64)}


# The control byte


def test_control_byte_for_the_rest_of_the_transaction() -> None:
    assert list(unwrap(b"\x00\xae\x80\x40")) == [(False, b"\xae\x80\x40")]
    assert list(unwrap(b"\x40\x00\x80")) == [(True, b"\x00\x80")]


def test_control_byte_for_one_byte() -> None:
    assert list(unwrap(b"\x80\xb3\xc0\x55\x80\xe3\x40\x01\x02")) == [
        (False, b"\xb3"),
        (True, b"\x55"),
        (False, b"\xe3"),
        (True, b"\x01\x02"),
    ]


def test_invalid_control_byte_is_rejected() -> None:
    with pytest.raises(AssertionError, match="control byte 0x41"):
        Ssd1306().write(b"\x41\x00")


def test_received_bytes_are_counted() -> None:
    chip = Ssd1306()
    chip.write(b"")
    command(chip, 0xAE)
    data(chip, *bytes(128))
    assert chip.bytes_received == 2 + 129


# Commands


def test_unknown_command_is_rejected() -> None:
    with pytest.raises(AssertionError, match="0x80"):
        command(Ssd1306(), 0x80)


@pytest.mark.parametrize(
    ("code", "count"),
    [
        (0x20, 1), (0x21, 2), (0x22, 2), (0x23, 1), (0x26, 6), (0x27, 6), (0x29, 5), (0x2A, 5),
        (0x81, 1), (0x8D, 1), (0xA3, 2), (0xA8, 1), (0xD3, 1), (0xD5, 1), (0xD6, 1), (0xD9, 1),
        (0xDA, 1), (0xDB, 1), (0x00, 0), (0x1F, 0), (0x2E, 0), (0x40, 0), (0x7F, 0), (0xA0, 0),
        (0xA1, 0), (0xA4, 0), (0xA5, 0), (0xA6, 0), (0xA7, 0), (0xAE, 0), (0xB0, 0), (0xB7, 0),
        (0xC0, 0), (0xC8, 0), (0xE3, 0),
    ],
)  # fmt: skip
def test_number_of_arguments_of_each_command(code: int, count: int) -> None:
    chip = Ssd1306()
    # With an argument too few, the last byte would be an unknown command.
    command(chip, code, *([0xBF if code == 0xA8 else 0x80] * count))
    # With an argument too many, this command would be taken as one.
    command(chip, 0xAF)
    assert chip.switches[Switch.DISPLAY]


def test_missing_argument_is_taken_from_the_next_command() -> None:
    chip = Ssd1306()
    command(chip, 0x81)
    command(chip, 0xAF)
    assert chip.settings[0x81] == b"\xaf"
    assert not chip.switches[Switch.DISPLAY]


def test_commands_that_are_not_modelled_are_rejected() -> None:
    for content in ((0x2F,), (0x23, 0x30), (0xD6, 0x01), (0xA8, 0x0E)):
        with pytest.raises(AssertionError):
            command(Ssd1306(), *content)


def test_data_in_an_invalid_mode_is_rejected() -> None:
    chip = cleared(bytes((0x20, 0xE3)))
    with pytest.raises(AssertionError, match="invalid addressing mode"):
        data(chip, 1)
    command(chip, *HORIZONTAL)
    data(chip, 1)


# Addressing


def test_horizontal_mode_fills_a_window_row_by_row() -> None:
    chip = cleared(bytes((0x21, 2, 4, 0x22, 1, 2)))
    data(chip, 1, 2, 3, 4, 5, 6)
    assert stored(chip) == {(1, 2): 1, (1, 3): 2, (1, 4): 3, (2, 2): 4, (2, 3): 5, (2, 4): 6}
    data(chip, 7, 8)
    assert stored(chip) == {(1, 2): 7, (1, 3): 8, (1, 4): 3, (2, 2): 4, (2, 3): 5, (2, 4): 6}


def test_vertical_mode_fills_a_window_column_by_column() -> None:
    chip = cleared(VERTICAL, bytes((0x21, 2, 3, 0x22, 5, 7)))
    data(chip, 1, 2, 3, 4, 5, 6, 7)
    assert stored(chip) == {(5, 2): 7, (6, 2): 2, (7, 2): 3, (5, 3): 4, (6, 3): 5, (7, 3): 6}


def test_pointer_is_at_the_start_after_a_full_frame() -> None:
    chip = cleared()
    data(chip, *bytes(1023), 9, 8)
    assert stored(chip) == {(7, 127): 9, (0, 0): 8}


def test_page_window_leaves_the_column_pointer() -> None:
    chip = cleared(bytes((0x21, 10, 20, 0x22, 3, 3)))
    data(chip, 1, 2)
    command(chip, 0x22, 4, 4)
    data(chip, 3)
    assert stored(chip) == {(3, 10): 1, (3, 11): 2, (4, 12): 3}


def test_page_mode_sets_page_and_column() -> None:
    chip = cleared(bytes((0x20, 0x02)))
    command(chip, 0xB3, 0x0C, 0x15)
    data(chip, 1, 2)
    command(chip, 0x01)
    data(chip, 3)
    assert stored(chip) == {(3, 0x5C): 1, (3, 0x5D): 2, (3, 0x51): 3}


def test_page_mode_keeps_the_page() -> None:
    chip = cleared(bytes((0x20, 0x02)))
    command(chip, 0xB6, 0x0F, 0x17)
    data(chip, 1, 2)
    assert stored(chip) == {(6, 127): 1, (6, 0): 2}


def test_commands_of_another_mode_are_ignored_and_counted() -> None:
    chip = cleared()
    command(chip, 0xB3, 0x05, 0x12)
    data(chip, 1)
    assert chip.out_of_mode == 3
    assert stored(chip) == {(0, 0): 1}
    chip = cleared(bytes((0x20, 0x02)))
    command(chip, 0x21, 7, 9, 0x22, 3, 4)
    data(chip, 1)
    assert chip.out_of_mode == 2
    assert stored(chip) == {(0, 0): 1}


def test_column_remap_applies_to_later_writes_only() -> None:
    chip = cleared()
    data(chip, 1)
    command(chip, 0xA1)
    data(chip, 2)
    assert stored(chip) == {(0, 0): 1, (0, 126): 2}


# Power


def test_panel_is_dark_after_power_on() -> None:
    chip = Ssd1306()
    assert lit(chip.picture()) == set()
    command(chip, 0xA5)
    assert lit(chip.picture()) == set()


@pytest.mark.parametrize(
    ("content", "is_lit"),
    [
        (b"\x8d\x14\xaf", True),
        (b"\xaf", False),
        (b"\x8d\x10\xaf", False),
        (b"\x8d\x14", False),
        (b"\xaf\x8d\x14", False),
        (b"\xaf\x8d\x14\xaf", True),
        (b"\x8d\x14\xaf\xae", False),
        (b"\x8d\x14\xaf\xae\xaf", True),
        (b"\x8d\x14\xaf\x8d\x14", True),
        (b"\x8d\x14\xaf\x8d\x10", False),
    ],
)
def test_panel_is_lit_by_pump_then_display(content: bytes, is_lit: bool) -> None:
    chip = Ssd1306()
    command(chip, 0xA5, *content)
    assert lit(chip.picture()) == (ALL_DOTS if is_lit else set())


def test_picture_is_kept_while_the_display_is_off() -> None:
    chip = cleared(UPRIGHT, LIGHT)
    data(chip, 1)
    before = lit(chip.picture())
    command(chip, 0xAE)
    command(chip, 0xAF)
    assert lit(chip.picture()) == before == {(0, 0)}


def test_power_cycle_resets_everything() -> None:
    chip = cleared(UPRIGHT, LIGHT, b"\x81\x33\xa7\x45\xd3\x07\xa8\x1f\xda\x02")
    chip.power_cycle()
    fresh = Ssd1306()
    assert not chip.lit
    assert chip.settings == fresh.settings
    assert chip.switches == fresh.switches == dict.fromkeys(Switch, False)
    assert chip.ram == fresh.ram
    assert chip.settings[0x81] == b"\x7f"
    # Page mode, both pointers at 0, and no remap.
    data(chip, 0xAB)
    assert chip.ram[0][0] == 0xAB
    command(chip, 0xB0)
    assert chip.out_of_mode == 0


def test_power_cycle_discards_an_incomplete_command() -> None:
    chip = Ssd1306()
    command(chip, 0x81)
    chip.power_cycle()
    command(chip, 0x8D, 0x14, 0xAF)
    assert chip.lit


def test_ram_is_random_after_power_on() -> None:
    chip = Ssd1306()
    command(chip, *LIGHT)
    assert 3000 < len(lit(chip.picture())) < 5000


# Reading


def test_read_returns_whether_the_display_is_off() -> None:
    chip = Ssd1306()
    assert chip.read() == 0xFF
    command(chip, 0xAF)
    assert chip.read() == 0xBF
    command(chip, 0xA5, 0xA7)
    assert chip.read() == 0xBF
    command(chip, 0xAE)
    assert chip.read() == 0xFF
    command(chip, 0xAF)
    chip.power_cycle()
    assert chip.read() == 0xFF


def test_read_after_data_is_rejected() -> None:
    chip = Ssd1306()
    data(chip, 1)
    with pytest.raises(AssertionError):
        chip.read()
    command(chip)
    assert chip.read() == 0xFF
    data(chip, 1)
    chip.power_cycle()
    assert chip.read() == 0xFF


def test_reads_of_clones() -> None:
    chip = Ssd1306()
    command(chip, 0xAF)
    chip.reading = Reading.ALWAYS_OFF
    assert chip.read() == 0xFF
    chip.reading = Reading.REFUSED
    chip.power_cycle()
    assert chip.read() is None


# The panel


def test_picture_is_upright_with_both_remaps() -> None:
    chip = cleared(UPRIGHT, LIGHT)
    data(chip, 0b0000_0101, 0b1000_0000)
    assert lit(chip.picture()) == {(0, 0), (0, 2), (1, 7)}
    command(chip, 0x21, 127, 127, 0x22, 7, 7)
    data(chip, 0x80)
    assert (127, 63) in lit(chip.picture())


def test_picture_is_upside_down_without_remaps() -> None:
    chip = cleared(LIGHT)
    data(chip, 0b0000_0101, 0b1000_0000)
    assert lit(chip.picture()) == {(127, 63), (127, 61), (126, 56)}


def test_scan_direction_takes_effect_at_once() -> None:
    chip = cleared(UPRIGHT, LIGHT)
    data(chip, 0x01)
    command(chip, 0xC0)
    assert lit(chip.picture()) == {(0, 63)}


def test_inverse_and_entire_on() -> None:
    chip = cleared(UPRIGHT, LIGHT)
    data(chip, 0x01)
    command(chip, 0xA7)
    assert lit(chip.picture()) == ALL_DOTS - {(0, 0)}
    command(chip, 0xA5)
    assert lit(chip.picture()) == ALL_DOTS
    command(chip, 0xA4, 0xA6)
    assert lit(chip.picture()) == {(0, 0)}


def test_start_line() -> None:
    chip = cleared(UPRIGHT, LIGHT, b"\x22\x01\x01")
    data(chip, 0x01)
    command(chip, 0x48)
    assert lit(chip.picture()) == {(0, 0)}
    command(chip, 0x49)
    assert lit(chip.picture()) == {(0, 63)}


def test_rows_that_are_not_driven_are_dark_even_if_inverse() -> None:
    chip = cleared(UPRIGHT, LIGHT, b"\xa8\x1f\xa7")
    assert lit(chip.picture()) == {(x, y) for x in range(128) for y in range(32, 64)}


def rows(multiplex: int, offset: int, start: int, reverse: bool) -> list[int | None]:
    scan = Scan(multiplex, offset, start, reverse, alternative=False, swapped=False)
    return [scan.line_of(com) for com in range(64)]


def test_offset_and_start_line_as_in_table_10_1() -> None:
    dark: list[int | None] = [None] * 8
    assert rows(64, 0, 0, False) == [*range(64)]
    assert rows(64, 8, 0, False) == [*range(8, 64), *range(8)]
    assert rows(64, 0, 8, False) == [*range(8, 64), *range(8)]
    assert rows(56, 0, 0, False) == [*range(56), *dark]
    assert rows(56, 8, 0, False) == [*range(8, 56), *dark, *range(8)]
    assert rows(56, 0, 8, False) == [*range(8, 64), *dark]


def test_offset_and_start_line_as_in_table_10_2() -> None:
    dark: list[int | None] = [None] * 8
    assert rows(64, 0, 0, True) == [*range(63, -1, -1)]
    assert rows(64, 8, 0, True) == [*range(7, -1, -1), *range(63, 7, -1)]
    assert rows(64, 0, 8, True) == [*range(7, -1, -1), *range(63, 7, -1)]
    assert rows(48, 0, 0, True) == [*range(47, -1, -1), *dark, *dark]
    assert rows(48, 8, 0, True) == [*dark, *range(47, -1, -1), *dark]
    assert rows(48, 0, 8, True) == [*range(55, 7, -1), *dark, *dark]
    assert rows(48, 8, 16, True) == [*dark, *range(63, 15, -1), *dark]


@pytest.mark.parametrize(
    ("alternative", "swapped", "reverse", "pads"),
    [
        (False, False, False, {0: 0, 31: 31, 32: 32, 63: 63}),
        (False, True, False, {0: 32, 31: 63, 32: 0, 63: 31}),
        (False, False, True, {0: 63, 31: 32, 32: 31, 63: 0}),
        (False, True, True, {0: 31, 31: 0, 32: 63, 63: 32}),
        (True, False, False, {0: 0, 1: 32, 2: 1, 61: 62, 62: 31, 63: 63}),
        (True, True, False, {0: 32, 1: 0, 2: 33, 61: 30, 62: 63, 63: 31}),
        (True, False, True, {0: 63, 1: 31, 2: 62, 61: 1, 62: 32, 63: 0}),
        (True, True, True, {0: 31, 1: 63, 2: 30, 61: 33, 62: 0, 63: 32}),
    ],
)
def test_com_pads_as_in_table_10_3(
    alternative: bool, swapped: bool, reverse: bool, pads: dict[int, int]
) -> None:
    scan = Scan(64, 0, 0, reverse, alternative, swapped)
    assert {row: scan.line_of(scan.com_at(pad)) for row, pad in pads.items()} == {
        row: row for row in pads
    }


def test_wrong_com_pins_interleave_the_halves_of_the_picture() -> None:
    chip = cleared(UPRIGHT, LIGHT, b"\xda\x02")
    data(chip, *b"\xff" * 512)
    odd_or_even = {y % 2 for _, y in lit(chip.picture())}
    assert len(lit(chip.picture())) == 128 * 32
    assert len(odd_or_even) == 1
    command(chip, 0xDA, 0x12)
    assert lit(chip.picture()) == {(x, y) for x in range(128) for y in range(32)}


def test_offset_shifts_the_picture() -> None:
    chip = cleared(UPRIGHT, LIGHT, b"\xd3\x01")
    data(chip, *b"\x01" * 128)
    assert lit(chip.picture()) == line(63)
