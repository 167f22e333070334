"""The differences of the SSD1309 model from the SSD1306."""

import pytest

from sim.chips.ssd1309 import Ssd1309

LOCK, UNLOCK = bytes((0xFD, 0x16)), bytes((0xFD, 0x12))
UPRIGHT = bytes((0xA1, 0xC8))
HORIZONTAL = bytes((0x20, 0x00))


def command(chip: Ssd1309, *content: int) -> None:
    chip.write(bytes((0x00, *content)))


def data(chip: Ssd1309, *content: int) -> None:
    chip.write(bytes((0x40, *content)))


def lit(chip: Ssd1309) -> set[tuple[int, int]]:
    picture = chip.picture()
    return {(x, y) for x in range(128) for y in range(64) if picture.getpixel((x, y))}


def cleared() -> Ssd1309:
    """Return a lit chip with an empty RAM, in horizontal mode, and the pointers at 0."""
    chip = Ssd1309()
    command(chip, *HORIZONTAL, *UPRIGHT)
    data(chip, *bytes(1024))
    command(chip, 0xAF)
    return chip


@pytest.mark.parametrize("code", [0x8D, 0x80, 0x23, 0x26, 0x2F, 0xD6, 0xDC])
def test_other_commands_are_rejected(code: int) -> None:
    with pytest.raises(AssertionError, match=f"the SSD1309 has no command {code:#04x}"):
        command(Ssd1309(), code)


@pytest.mark.parametrize(
    ("code", "count"),
    [
        (0x20, 1), (0x21, 2), (0x22, 2), (0x81, 1), (0xA8, 1), (0xD3, 1), (0xD5, 1), (0xD9, 1),
        (0xDA, 1), (0xDB, 1), (0xFD, 1), (0x2E, 0), (0xE3, 0), (0x00, 0), (0x40, 0), (0xB7, 0),
    ],
)  # fmt: skip
def test_number_of_arguments_of_each_command(code: int, count: int) -> None:
    chip = Ssd1309()
    # With an argument too few, the last byte would be an unknown command.
    command(chip, code, *([0xB8 if code == 0xA8 else 0x80] * count))
    # With an argument too many, this command would be taken as one.
    command(chip, 0xAF)
    assert chip.lit


def test_panel_needs_no_charge_pump() -> None:
    chip = Ssd1309()
    assert not lit(chip)
    command(chip, 0xA5, 0xAF)
    assert len(lit(chip)) == 128 * 64
    command(chip, 0xAE)
    assert not lit(chip)


def test_windows_and_pages() -> None:
    chip = cleared()
    command(chip, 0x21, 5, 6, 0x22, 1, 2)
    data(chip, 0x01, 0x02, 0x04, 0x08)
    assert lit(chip) == {(5, 8), (6, 9), (5, 18), (6, 19)}


def test_locked_chip_ignores_commands_and_data() -> None:
    chip = cleared()
    data(chip, 0x01)
    command(chip, *LOCK)
    assert chip.locked
    data(chip, 0xFF)
    command(chip, 0xAE, 0xA7, 0x81, 0x12, 0x21, 9, 9)
    assert lit(chip) == {(0, 0)}
    assert chip.settings[0x81] == b"\x7f"
    command(chip, *UNLOCK)
    data(chip, 0x02)
    assert lit(chip) == {(0, 0), (1, 1)}
    command(chip, 0xAE)
    assert not chip.lit


def test_only_one_bit_locks() -> None:
    chip = Ssd1309()
    command(chip, 0xFD, 0xE3)
    assert not chip.locked
    command(chip, 0xFD, 0x04)
    assert chip.locked


def test_power_cycle_unlocks_and_resets() -> None:
    chip = cleared()
    command(chip, 0x81, 0x33, *LOCK)
    chip.power_cycle()
    fresh = Ssd1309()
    assert not chip.locked
    assert not chip.lit
    assert chip.settings == fresh.settings
    assert chip.ram == fresh.ram
    assert chip.settings[0x81] == b"\x7f"


def test_read_returns_whether_the_display_is_off() -> None:
    chip = Ssd1309()
    assert chip.read() == 0xFF
    command(chip, 0xAF)
    assert chip.read() == 0xBF
