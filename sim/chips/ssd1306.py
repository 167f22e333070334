"""The SSD1306 display controller with its panel: commands, addressing, GDDRAM, power.

Written from Solomon Systech's data sheet (SSD1306, rev. 1.1 and its charge pump
appendix), whose section numbers are in brackets. The chip is on the usual module, with the
charge pump as the only supply of the panel.

Not modelled, and rejected by assertions: scrolling, fading and zooming. Contrast and timing
are stored, but do not change the picture.

Where the data sheet does not specify the behaviour, the model does this; drivers should not
rely on it:

- A command of the wrong addressing mode does nothing, and is counted.
- An incomplete command waits for its arguments, across transactions and data.
- In page mode the column after the last is column 0.
- A read after a control byte for commands returns the status; after one for data it is
  rejected by an assertion.
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
    PAGES,
    PRE_CHARGE,
    VCOMH,
    WIDTH,
    OledController,
    Switch,
)

MODE, COLUMN_WINDOW, PAGE_WINDOW, FADE, CHARGE_PUMP, ZOOM = 0x20, 0x21, 0x22, 0x23, 0x8D, 0xD6
SCROLLS, SCROLLS_UP, SCROLL_AREA, STOP_SCROLLING = (0x26, 0x27), (0x29, 0x2A), 0xA3, 0x2E

HORIZONTAL, VERTICAL, PAGE = range(3)

# Arguments after a reset [8.5, 9].
RESET_SETTINGS = {
    MODE: bytes((PAGE,)),
    COLUMN_WINDOW: bytes((0, 127)),
    PAGE_WINDOW: bytes((0, 7)),
    CONTRAST: b"\x7f",
    CHARGE_PUMP: b"\x10",
    MULTIPLEX: b"\x3f",
    OFFSET: b"\x00",
    CLOCK: b"\x80",
    PRE_CHARGE: b"\x22",
    COM_PINS: b"\x12",
    VCOMH: b"\x20",
}


class Ssd1306(OledController):
    """One controller with its panel.

    The remap applies to writes to the RAM, not to its output [10.1.8]. Of the status only bit 6
    is specified [table 9-2]; the others differ between modules, and in this model all are set.
    """

    NAME: ClassVar[str] = "SSD1306"
    RANDOM_SEED: ClassVar[int] = 1306
    ARGUMENTS: ClassVar[Mapping[int, int]] = {
        **{code: len(arguments) for code, arguments in RESET_SETTINGS.items()},
        **dict.fromkeys((FADE, ZOOM), 1),
        **dict.fromkeys(SCROLLS, 6),
        **dict.fromkeys(SCROLLS_UP, 5),
        SCROLL_AREA: 2,
    }
    RESET_SETTINGS: ClassVar[Mapping[int, bytes]] = RESET_SETTINGS
    STATUS_ON: ClassVar[int] = 0xBF

    def __init__(self) -> None:
        self.out_of_mode = 0
        """The number of commands for another addressing mode than the current one."""
        super().__init__()

    def power_cycle(self) -> None:
        super().power_cycle()
        self._start_column = 0
        self._last_column = WIDTH - 1
        self._last_page = PAGES - 1

    # Commands

    def _execute_rare(self, code: int) -> None:
        known = code in (NO_OPERATION, STOP_SCROLLING)
        assert known, f"the {self.NAME} has no command {code:#04x}"

    def _set(self, code: int, arguments: bytes) -> None:
        if code in (COLUMN_WINDOW, PAGE_WINDOW) and self._mode == PAGE:
            self.out_of_mode += 1
            return
        super()._set(code, arguments)
        match code:
            case 0x21:
                self._column, self._last_column = (place & 0x7F for place in arguments)
            case 0x22:
                self._page, self._last_page = (place & 0x07 for place in arguments)
            case 0x23:
                assert arguments[0] & 0x30 == 0, "fading is not modelled"
            case 0x8D:
                # 8D 14 enables the pump, and a later AF starts it [appendix].
                self.lit = self.lit and self._supplied
            case 0xA8:
                assert arguments[0] & 0x3F >= 15, "a multiplex ratio below 16 is invalid"
            case 0xD6:
                assert arguments[0] & 0x01 == 0, "zooming is not modelled"

    def _point(self, code: int) -> None:
        """Set a half of the column, or the page; page mode only [10.1.1, 10.1.2, 10.1.13]."""
        if self._mode != PAGE:
            self.out_of_mode += 1
        elif code >= 0xB0:
            self._page = code & 0x07
        else:
            high, low = divmod(self._start_column, 16)
            if code >= 0x10:
                high = code & 0x07
            else:
                low = code
            self._column = self._start_column = high * 16 + low

    @property
    def _mode(self) -> int:
        return self.settings[MODE][0] & 0x03

    @property
    def _supplied(self) -> bool:
        return bool(self.settings[CHARGE_PUMP][0] & 0x04)

    # Data

    def _store(self, byte: int) -> None:
        remapped = self.switches[Switch.COLUMN_REMAP]
        self.ram[self._page][WIDTH - 1 - self._column if remapped else self._column] = byte
        # The address of the next byte [10.1.3].
        if self._mode == HORIZONTAL:
            if self._next_column():
                self._next_page()
        elif self._mode == VERTICAL:
            if self._next_page():
                self._next_column()
        else:
            # The invalid mode may be set, as a NOP does that is taken as the argument of 20.
            assert self._mode == PAGE, "data in an invalid addressing mode"
            self._column = (self._column + 1) % WIDTH

    def _next_column(self) -> bool:
        """Move to the next column of the window; True if it wrapped to the first."""
        wraps = self._column == self._last_column
        first = self.settings[COLUMN_WINDOW][0] & 0x7F
        self._column = first if wraps else (self._column + 1) % WIDTH
        return wraps

    def _next_page(self) -> bool:
        """Move to the next page of the window; True if it wrapped to the first."""
        wraps = self._page == self._last_page
        first = self.settings[PAGE_WINDOW][0] & 0x07
        self._page = first if wraps else (self._page + 1) % PAGES
        return wraps

    def _pages(self) -> list[bytes]:
        # The panel is mounted upside down: its last segment is on the left.
        return [bytes(reversed(page)) for page in self.ram]
