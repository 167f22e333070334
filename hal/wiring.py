"""Which part hangs on which pin: the defaults of the config file and of wiring.md.

Pins are counted as the Broadcom chip counts them (BCM); ``PHYSICAL`` has the place of
each on the 40-pin header.
"""

from typing import NamedTuple

PHYSICAL = {
    2: 3, 3: 5, 4: 7, 14: 8, 15: 10, 17: 11, 18: 12, 27: 13, 22: 15, 23: 16, 24: 18,
    10: 19, 9: 21, 25: 22, 11: 23, 8: 24, 7: 26, 0: 27, 1: 28, 5: 29, 6: 31, 12: 32,
    13: 33, 19: 35, 16: 36, 26: 37, 20: 38, 21: 40,
}  # fmt: skip

SPI_PINS = {"SPI0 MOSI": 10, "SPI0 MISO": 9, "SPI0 SCLK": 11, "SPI0 CE0": 8, "SPI0 CE1": 7}
SCREEN_CHIPS = ("ssd1306", "sh1106")
I2C_PINS = {"I2C1 SDA": 2, "I2C1 SCL": 3}


class Wiring(NamedTuple):
    """The pins that a builder may choose; the buses have theirs."""

    left_reset: int = 25
    right_reset: int = 24
    rows: tuple[int, ...] = (5, 6, 13, 19)
    columns: tuple[int, ...] = (12, 16, 20, 21)
    buzzer: int = 18
    screen_chip: str = "ssd1306"
    screen_address: int = 0x3C

    def uses(self) -> list[tuple[str, str, int]]:
        """Every pin in use: the setting that chose it, what for, and its number."""
        return [
            *(("", name, pin) for name, pin in (SPI_PINS | I2C_PINS).items()),
            ("left_reset", "left reader reset", self.left_reset),
            ("right_reset", "right reader reset", self.right_reset),
            *(("rows", f"keypad row {n}", pin) for n, pin in enumerate(self.rows, start=1)),
            *(
                ("columns", f"keypad column {n}", pin)
                for n, pin in enumerate(self.columns, start=1)
            ),
            ("buzzer", "buzzer", self.buzzer),
        ]

    def faults(self) -> list[tuple[str, str]]:
        """What cannot be, by setting: two parts on one pin, a pin that is not on the header."""
        found = []
        taken: dict[int, str] = {}
        for setting, part, pin in self.uses():
            if pin not in PHYSICAL:
                found.append(
                    (setting, f"puts the {part} on GPIO {pin}, which is not on the header")
                )
            elif pin in taken:
                found.append((setting, f"puts the {part} on GPIO {pin}, where {taken[pin]} is"))
            taken.setdefault(pin, part)
        return found
