"""The SH1106 display controller with its panel, similar to the SSD1306.

Written from Sino Wealth's data sheet (SH1106, V2.3). Its I²C framing and the scan of its
panel are those of the SSD1306, except that the two sides of the chip cannot be swapped; these are
the other differences:

- The RAM has 132 columns. The usual panel has 128, connected to the middle ones from
  column 2 on, with and without the remap.
- There is only page addressing. The column increments up to the last one and stays there;
  the page does not change automatically.
- The DC-DC converter is on after power-on, and is controlled by AD, not by 8D. A new
  setting takes effect with the next "display on".
- The segment remap applies to the output of the RAM, so it takes effect at once.

The data sheet forbids commands that are not in its table. The start-up sequence of common
drivers, among them luma.oled, contains two such bytes, and modules tolerate them. The model
ignores them, so that the byte after each is not an argument but the next command:

====== =================== ==========================================================
sent   on the SSD1306      on the SH1106
====== =================== ==========================================================
20 10  page addressing     20: ignored; 10: the upper half of the column becomes 0
8D 14  charge pump on      8D: ignored; 14: the upper half becomes 4: column 64 and up
====== =================== ==========================================================

After this sequence the column is not 0, so a driver must set it before it writes. The other
commands of the sequence are in the tables of both chips. Any other byte that is not in the
table is rejected by an assertion, above all 21 and 22: this chip has no windows, and their
arguments would set columns and start lines.

An I²C read returns the status after a control byte for commands, and the RAM after one for
data. Reading the RAM is not modelled, and rejected by an assertion. Of read-modify-write
only the return to the first column is modelled.
"""

from collections.abc import Mapping
from typing import ClassVar

from sim.chips.oled import (
    CLOCK,
    COM_PINS,
    CONTRAST,
    MULTIPLEX,
    NO_OPERATION,
    OFFSET,
    PRE_CHARGE,
    SWITCHES,
    VCOMH,
    OledController,
    Switch,
)

VISIBLE = slice(2, 130)
"""The columns that the panel is connected to."""
DC_DC, READ_MODIFY_WRITE, END = 0xAD, 0xE0, 0xEE
IGNORED = (0x20, 0x8D)


class Sh1106(OledController):
    """One controller with its panel.

    Of the status, bit 7 is set while the chip is busy; the lower bits are as found on modules.
    """

    NAME: ClassVar[str] = "SH1106"
    COLUMNS: ClassVar[int] = 132
    RANDOM_SEED: ClassVar[int] = 1106
    RESET_SETTINGS: ClassVar[Mapping[int, bytes]] = {
        CONTRAST: b"\x80",
        MULTIPLEX: b"\x3f",
        DC_DC: b"\x8b",
        OFFSET: b"\x00",
        CLOCK: b"\x50",
        PRE_CHARGE: b"\x22",
        COM_PINS: b"\x12",
        VCOMH: b"\x35",
    }
    ARGUMENTS: ClassVar[Mapping[int, int]] = dict.fromkeys(RESET_SETTINGS, 1)
    SWITCHES: ClassVar[Mapping[int, tuple[Switch, bool]]] = {
        **SWITCHES,
        **{0xC0 + low: (Switch.REVERSE_SCAN, low >= 8) for low in range(16)},
    }
    STATUS_ON: ClassVar[int] = 0x08

    def power_cycle(self) -> None:
        super().power_cycle()
        self._return_to: int | None = None

    def _point(self, code: int) -> None:
        if code >= 0xB0:
            self._page = code & 0x07
        elif code >= 0x10:
            self._column = (code & 0x0F) << 4 | self._column & 0x0F
        else:
            self._column = self._column & 0xF0 | code

    def _execute_rare(self, code: int) -> None:
        if code == READ_MODIFY_WRITE:
            self._return_to = self._column
        elif code == END:
            if self._return_to is not None:
                self._column = self._return_to
            self._return_to = None
        else:
            # 30 to 33 set the voltage of the pump: the brightness, which is not modelled.
            ignored = code in (NO_OPERATION, *IGNORED) or 0x30 <= code <= 0x33
            assert ignored, f"the {self.NAME} has no command {code:#04x}"

    @property
    def _supplied(self) -> bool:
        return bool(self.settings[DC_DC][0] & 0x01)

    @property
    def _sides_swapped(self) -> bool:
        return False

    def _store(self, byte: int) -> None:
        assert self._column < self.COLUMNS, f"the {self.NAME} has no column {self._column}"
        self.ram[self._page][self._column] = byte
        self._column = min(self._column + 1, self.COLUMNS - 1)

    def _pages(self) -> list[bytes]:
        # The panel is mounted upside down: without the remap its picture is mirrored.
        step = 1 if self.switches[Switch.COLUMN_REMAP] else -1
        return [bytes(page[VISIBLE][::step]) for page in self.ram]
