"""The SSD1306 display controller with its glass: commands, addressing, GDDRAM, power.

Written from Solomon Systech's data sheet (SSD1306, rev. 1.1 and its charge pump
appendix); section numbers in brackets are its own. The chip stands on the usual
module: 128 × 64 dots, no supply of its own for the glass but the charge pump, and
mounted so that column remap (A1) and reverse scan (C8) give an upright picture.

What the box does not need is left out and asserted against: scrolling, fading and
zooming. Contrast and timing are kept, but no picture of two colours can show them.

Where the data sheet is silent the model does this, and no driver should lean on it:

- A command of the wrong addressing mode does nothing, and is counted.
- A command whose arguments are still to come waits for them, across transactions
  and across data.
- In page mode the column after the last is column 0.
- A read is answered with the status if a control byte for commands came last. After one
  for data it is asserted against.
"""

import random
from collections.abc import Iterator, Sequence
from enum import Enum
from typing import NamedTuple

from PIL import Image

WIDTH, HEIGHT = 128, 64
PAGES = HEIGHT // 8

# Commands that are followed by arguments, and by how many [9].
ARGUMENTS = {
    0x20: 1,  # memory addressing mode
    0x21: 2,  # column window
    0x22: 2,  # page window
    0x23: 1,  # fade out and blinking
    0x26: 6,  # scroll right
    0x27: 6,  # scroll left
    0x29: 5,  # scroll up and right
    0x2A: 5,  # scroll up and left
    0x81: 1,  # contrast
    0x8D: 1,  # charge pump
    0xA3: 2,  # vertical scroll area
    0xA8: 1,  # multiplex ratio
    0xD3: 1,  # display offset
    0xD5: 1,  # clock
    0xD6: 1,  # zoom
    0xD9: 1,  # pre-charge period
    0xDA: 1,  # COM pins
    0xDB: 1,  # VCOMH level
}
MODE, COLUMNS, PAGE_WINDOW, FADE = 0x20, 0x21, 0x22, 0x23
CONTRAST, CHARGE_PUMP, MULTIPLEX, OFFSET, CLOCK = 0x81, 0x8D, 0xA8, 0xD3, 0xD5
ZOOM, PRE_CHARGE, COM_PINS, VCOMH = 0xD6, 0xD9, 0xDA, 0xDB
NO_OPERATION, STOP_SCROLLING = 0xE3, 0x2E

HORIZONTAL, VERTICAL, PAGE, NO_MODE = range(4)

# Arguments after a reset [8.5, 9].
RESET_SETTINGS = {
    MODE: bytes((PAGE,)),
    COLUMNS: bytes((0, 127)),
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


class Switch(Enum):
    """What a command of one byte turns on or off; all are off after a reset."""

    COLUMN_REMAP = "column remap"
    ENTIRE_ON = "entire display on"
    INVERSE = "inverse"
    DISPLAY = "display"
    REVERSE_SCAN = "reverse scan"


SWITCHES = {
    0xA0: (Switch.COLUMN_REMAP, False),
    0xA1: (Switch.COLUMN_REMAP, True),
    0xA4: (Switch.ENTIRE_ON, False),
    0xA5: (Switch.ENTIRE_ON, True),
    0xA6: (Switch.INVERSE, False),
    0xA7: (Switch.INVERSE, True),
    0xAE: (Switch.DISPLAY, False),
    0xAF: (Switch.DISPLAY, True),
    0xC0: (Switch.REVERSE_SCAN, False),
    0xC8: (Switch.REVERSE_SCAN, True),
}


class Reading(Enum):
    """What comes of a read; clones of both controllers have manners of their own."""

    STATUS = "the status, as in the data sheet"
    ALWAYS_OFF = "a display that is off, whatever it shows"
    REFUSED = "no acknowledge"


def unwrap(payload: bytes) -> Iterator[tuple[bool, bytes]]:
    """What the control bytes of an I²C write wrap: whether it is data, and the bytes [8.1.5.2].

    Co = 1 announces one byte and then another control byte, Co = 0 that the rest has
    no more of them. D/C# tells data from commands.
    """
    place = 0
    while place < len(payload):
        control = payload[place]
        assert control & 0x3F == 0, f"control byte {control:#04x}"
        end = place + 2 if control & 0x80 else len(payload)
        yield bool(control & 0x40), payload[place + 1 : end]
        place = end


class Scan(NamedTuple):
    """How lines of the RAM come out of the COM pads, and through them onto the glass."""

    rows: int
    """How many rows are driven, one after the other: the multiplex ratio."""
    offset: int
    start: int
    reverse: bool
    alternative: bool
    """Whether successive rows come out of both sides of the chip in turn [10.1.18]."""
    swapped: bool
    """Whether the two sides change places."""

    def line_of(self, com: int) -> int | None:
        """The line of the RAM that a COM signal shows, if it is driven [tables 10-1, 10-2]."""
        place = self.rows - 1 - com if self.reverse else com
        row = (place + self.offset) % HEIGHT
        return (row + self.start) % HEIGHT if row < self.rows else None

    def com_at(self, pad: int) -> int:
        """The COM signal that comes out of a pad [table 10-3]."""
        if self.swapped:
            pad ^= 32
        if not self.alternative:
            return pad
        return pad * 2 if pad < 32 else (pad - 32) * 2 + 1

    def line_at(self, y: int) -> int | None:
        """The line of the RAM seen at a height of the upright glass, from the top.

        The usual glass is upside down, and wired to both sides of the chip in turn.
        """
        wire = HEIGHT - 1 - y
        return self.line_of(self.com_at(wire // 2 + 32 * (wire % 2)))


def seen(pages: Sequence[bytes], scan: Scan, inverse: bool, entire_on: bool) -> Image.Image:
    """The lit dots, of pages that hold their columns from left to right as they are seen."""
    dots = bytearray()
    for y in range(HEIGHT):
        line = scan.line_at(y)
        if line is None:
            dots += bytes(WIDTH)
        elif entire_on:
            dots += b"\xff" * WIDTH
        else:
            bit = 1 << line % 8
            dots += bytes(255 if bool(byte & bit) != inverse else 0 for byte in pages[line // 8])
    return Image.frombytes("L", (WIDTH, HEIGHT), bytes(dots)).convert("1")


def dark() -> Image.Image:
    return Image.new("1", (WIDTH, HEIGHT))


class Ssd1306:
    """One controller behind one I²C address, and the glass that hangs on it."""

    def __init__(self) -> None:
        self.bytes_received = 0
        """All bytes ever written to it, without the address byte of each transaction."""
        self.out_of_mode = 0
        """How many commands came that belong to another addressing mode than the current."""
        self.reading = Reading.STATUS
        self.power_cycle()

    def power_cycle(self) -> None:
        """The state after power-on [8.5]; the RAM holds anything then, here the same each time."""
        noise = random.Random(1306)
        self.gddram = [bytearray(noise.randbytes(WIDTH)) for _ in range(PAGES)]
        """By page and segment: the remap acts on the way in, not on the way out [10.1.8]."""
        self.settings = dict(RESET_SETTINGS)
        """The arguments last given to each command that has some."""
        self.switches = dict.fromkeys(Switch, False)
        self.lit = False
        """Whether the glass has its voltage: the display is on, and the pump was before it."""
        self._command = bytearray()
        self._data_came_last = False
        self._start_line = 0
        self._start_column = 0
        self._column, self._last_column = 0, WIDTH - 1
        self._page, self._last_page = 0, PAGES - 1

    # The bus

    def write(self, payload: bytes) -> None:
        """One write transaction, without its address byte."""
        self.bytes_received += len(payload)
        for is_data, content in unwrap(payload):
            self._data_came_last = is_data
            take = self._store if is_data else self._hear
            for byte in content:
                take(byte)

    def read(self) -> int | None:
        """One byte: bit 6 says that the display is off [table 9-2]; None: no acknowledge.

        The other bits are reserved, and differ from module to module; here all are set.
        """
        assert not self._data_came_last, "what a read gives after data is not known"
        if self.reading is Reading.REFUSED:
            return None
        on = self.switches[Switch.DISPLAY] and self.reading is Reading.STATUS
        return 0xBF if on else 0xFF

    # Commands

    def _hear(self, byte: int) -> None:
        self._command.append(byte)
        code = self._command[0]
        if len(self._command) > ARGUMENTS.get(code, 0):
            arguments = bytes(self._command[1:])
            self._command.clear()
            self._obey(code, arguments)

    def _obey(self, code: int, arguments: bytes) -> None:
        if code in ARGUMENTS:
            self._set(code, arguments)
        elif code in SWITCHES:
            self._turn(*SWITCHES[code])
        elif code <= 0x1F or 0xB0 <= code <= 0xB7:
            self._point(code)
        elif 0x40 <= code <= 0x7F:
            self._start_line = code & 0x3F
        else:
            assert code in (NO_OPERATION, STOP_SCROLLING), f"SSD1306 knows no {code:#04x}"

    def _set(self, code: int, arguments: bytes) -> None:
        if code in (COLUMNS, PAGE_WINDOW) and self._mode == PAGE:
            self.out_of_mode += 1
            return
        self.settings[code] = arguments
        match code:
            case 0x20:
                assert self._mode != NO_MODE, "no such addressing mode"
            case 0x21:
                self._column, self._last_column = (place & 0x7F for place in arguments)
            case 0x22:
                self._page, self._last_page = (place & 0x07 for place in arguments)
            case 0x23:
                assert arguments[0] & 0x30 == 0, "fading is not modelled"
            case 0x8D:
                self.lit = self.lit and self._pump
            case 0xA8:
                assert arguments[0] & 0x3F >= 15, "a multiplex ratio below 16 is invalid"
            case 0xD6:
                assert arguments[0] & 0x01 == 0, "zooming is not modelled"

    def _turn(self, switch: Switch, on: bool) -> None:
        self.switches[switch] = on
        if switch is Switch.DISPLAY:
            # The pump is enabled by 8D 14 and started by AF, in this order [appendix].
            self.lit = on and self._pump

    def _point(self, code: int) -> None:
        """Set the column by its nibbles, or the page: page mode only [10.1.1, 10.1.2, 10.1.13]."""
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
    def _pump(self) -> bool:
        return bool(self.settings[CHARGE_PUMP][0] & 0x04)

    @property
    def contrast(self) -> int:
        return self.settings[CONTRAST][0]

    # Data

    def _store(self, byte: int) -> None:
        remapped = self.switches[Switch.COLUMN_REMAP]
        segment = WIDTH - 1 - self._column if remapped else self._column
        self.gddram[self._page][segment] = byte
        self._advance()

    def _advance(self) -> None:
        """Where the next byte goes [10.1.3]."""
        if self._mode == HORIZONTAL:
            if self._next_column():
                self._next_page()
        elif self._mode == VERTICAL:
            if self._next_page():
                self._next_column()
        else:
            self._column = (self._column + 1) % WIDTH

    def _next_column(self) -> bool:
        """Go one column on in the window; True: that was the last one, back to the first."""
        if self._column == self._last_column:
            self._column = self.settings[COLUMNS][0] & 0x7F
            return True
        self._column = (self._column + 1) % WIDTH
        return False

    def _next_page(self) -> bool:
        """Go one page on in the window; True: that was the last one, back to the first."""
        if self._page == self._last_page:
            self._page = self.settings[PAGE_WINDOW][0] & 0x07
            return True
        self._page = (self._page + 1) % PAGES
        return False

    # The glass

    def picture(self) -> Image.Image:
        """What a person sees: mode "1", all black when the glass is not lit."""
        if not self.lit:
            return dark()
        # The glass hangs upside down: its last segment is on the left.
        pages = [bytes(reversed(page)) for page in self.gddram]
        inverse, entire_on = self.switches[Switch.INVERSE], self.switches[Switch.ENTIRE_ON]
        return seen(pages, self._scan, inverse, entire_on)

    @property
    def _scan(self) -> Scan:
        return Scan(
            rows=(self.settings[MULTIPLEX][0] & 0x3F) + 1,
            offset=self.settings[OFFSET][0] & 0x3F,
            start=self._start_line,
            reverse=self.switches[Switch.REVERSE_SCAN],
            alternative=bool(self.settings[COM_PINS][0] & 0x10),
            swapped=bool(self.settings[COM_PINS][0] & 0x20),
        )
