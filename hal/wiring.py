"""Which wire goes where: the defaults of the config file, and the table of wiring.md.

Pins are counted as the Broadcom chip counts them (GPIO, or BCM); ``PHYSICAL`` has the
place of each on the 40-pin header.
"""

from collections.abc import Collection
from enum import Enum
from typing import NamedTuple

from hal.events import Slot
from hal.pi.readers.registry import READER_DRIVERS
from hal.pi.screens.registry import SCREEN_DRIVERS

PHYSICAL = {
    2: 3, 3: 5, 4: 7, 14: 8, 15: 10, 17: 11, 18: 12, 27: 13, 22: 15, 23: 16, 24: 18,
    10: 19, 9: 21, 25: 22, 11: 23, 8: 24, 7: 26, 0: 27, 1: 28, 5: 29, 6: 31, 12: 32,
    13: 33, 19: 35, 16: 36, 26: 37, 20: 38, 21: 40,
}  # fmt: skip

SPI_BUSES = {
    0: {"MOSI": 10, "MISO": 9, "SCLK": 11, "CE0": 8, "CE1": 7},
    1: {"MOSI": 20, "MISO": 19, "SCLK": 21, "CE0": 18, "CE1": 17},
}
I2C_BUSES = {0: {"SDA": 0, "SCL": 1}, 1: {"SDA": 2, "SCL": 3}}
"""The pins of the buses that the header has, by the number the kernel gives them."""
READER_CHIPS = tuple(READER_DRIVERS)
SCREEN_CHIPS = tuple(SCREEN_DRIVERS)


class Part(Enum):
    """A part that wires lead to, by its name in texts."""

    LEFT_READER = "left reader"
    RIGHT_READER = "right reader"
    SCREEN = "screen"
    KEYPAD = "keypad"
    BUZZER = "buzzer"


READERS = {Slot.LEFT: Part.LEFT_READER, Slot.RIGHT: Part.RIGHT_READER}


class Wire(NamedTuple):
    """One wire, from a part's pad to the Pi's header."""

    part: Part
    pad: str
    """The label on the part."""
    pin: int
    """On the header, 1 to 40."""
    signal: str
    gpio: int | None = None
    """None for power and ground."""

    def __str__(self) -> str:
        where = self.signal if self.gpio is None else f"GPIO {self.gpio}, {self.signal}"
        return f"{self.pad} to pin {self.pin} ({where})"


class ReaderLines(NamedTuple):
    """How a reader is connected: its chip, and the lines that its driver needs."""

    chip: str
    spi_bus: int
    chip_select: int
    reset_pin: int


class Wiring(NamedTuple):
    """What a builder may choose: pins, buses and chips."""

    left_reset: int = 25
    right_reset: int = 24
    rows: tuple[int, ...] = (5, 6, 13, 19)
    columns: tuple[int, ...] = (12, 16, 20, 21)
    buzzer: int = 18
    spi_bus: int = 0
    i2c_bus: int = 1
    left_reader_chip: str = "mfrc522"
    right_reader_chip: str = "mfrc522"
    screen_chip: str = "ssd1306"
    screen_address: int = 0x3C

    def reader(self, slot: Slot) -> ReaderLines:
        if slot is Slot.LEFT:
            return ReaderLines(self.left_reader_chip, self.spi_bus, 0, self.left_reset)
        return ReaderLines(self.right_reader_chip, self.spi_bus, 1, self.right_reset)

    def wires(self) -> list[Wire]:
        """Every wire of the box."""
        return [
            *self._reader(Part.LEFT_READER, "CE0", self.left_reset),
            *self._reader(Part.RIGHT_READER, "CE1", self.right_reset),
            Wire(Part.SCREEN, "VCC", 1, "3.3 V"),
            Wire(Part.SCREEN, "GND", 9, "ground"),
            *(
                _signal(Part.SCREEN, line, f"I2C{self.i2c_bus} {line}", pin)
                for line, pin in I2C_BUSES[self.i2c_bus].items()
            ),
            *(_signal(Part.KEYPAD, f"R{n}", f"row {n}", p) for n, p in enumerate(self.rows, 1)),
            *(
                _signal(Part.KEYPAD, f"C{n}", f"column {n}", pin)
                for n, pin in enumerate(self.columns, 1)
            ),
            _signal(Part.BUZZER, "+", "tone, through 220 Ω", self.buzzer),
            Wire(Part.BUZZER, "-", 14, "ground"),
        ]

    def _reader(self, part: Part, chip_select: str, reset: int) -> list[Wire]:
        """Both readers share all but two wires; on SPI0 those lie side by side, pins 17 to 25."""
        bus = SPI_BUSES[self.spi_bus]
        lines = (("SDA", chip_select), ("SCK", "SCLK"), ("MOSI", "MOSI"), ("MISO", "MISO"))
        return [
            Wire(part, "3.3V", 17, "3.3 V"),
            Wire(part, "GND", 25, "ground"),
            *(_signal(part, pad, f"SPI{self.spi_bus} {line}", bus[line]) for pad, line in lines),
            _signal(part, "RST", "reset", reset),
        ]

    def wires_of(self, part: Part) -> list[Wire]:
        return [wire for wire in self.wires() if wire.part is part]

    def wire(self, part: Part, pad: str) -> Wire:
        return next(wire for wire in self.wires_of(part) if wire.pad == pad)

    def uses(self) -> list[tuple[str, str, int]]:
        """Every pin in use: the setting that chose it, what for, and its number."""
        return [
            *(("spi", f"SPI{self.spi_bus} {n}", p) for n, p in SPI_BUSES[self.spi_bus].items()),
            *(("i2c", f"I2C{self.i2c_bus} {n}", p) for n, p in I2C_BUSES[self.i2c_bus].items()),
            ("left_reset", "left reader reset", self.left_reset),
            ("right_reset", "right reader reset", self.right_reset),
            *(("rows", f"keypad row {n}", pin) for n, pin in enumerate(self.rows, 1)),
            *(("columns", f"keypad column {n}", pin) for n, pin in enumerate(self.columns, 1)),
            ("buzzer", "buzzer", self.buzzer),
        ]

    def faults(self, chosen: Collection[str]) -> list[tuple[str, str]]:
        """Return what is impossible, with the setting to blame: of two that clash, a chosen one."""
        found = []
        taken: dict[int, tuple[str, str]] = {}
        for setting, part, pin in self.uses():
            blamed = setting, part
            problem = f"puts the {part} on GPIO {pin}, which is not on the header"
            if pin in PHYSICAL:
                rival = taken.setdefault(pin, blamed)
                if rival is blamed:
                    continue
                if setting not in chosen:
                    blamed, rival = rival, blamed
                problem = f"puts the {blamed[1]} on GPIO {pin}, where {rival[1]} is"
            found.append((blamed[0], problem))
        return found


def _signal(part: Part, pad: str, signal: str, gpio: int) -> Wire:
    return Wire(part, pad, PHYSICAL[gpio], signal, gpio)
