"""The SH1106 display controller with its glass: an SSD1306's cousin with other manners.

Written from Sino Wealth's data sheet (SH1106, V2.3). It speaks the same I²C framing as
the SSD1306 and scans its glass the same way; these are the differences:

- The RAM has 132 columns. The usual glass has 128 and hangs on the middle ones, from
  column 2 on, whichever way the columns are mapped.
- There is page addressing only. The column counts up to the last one and stays there;
  the page never moves by itself.
- The DC-DC converter is on after power-on, and is controlled by AD, not by 8D. A new
  setting counts from the next "display on".
- Segments are remapped on the way out of the RAM, so at once.

The data sheet says not to use what its table does not name. Two such bytes come in the
start-up sequence of widespread drivers, luma.oled's among them, and modules bear them.
The model takes each for a byte without meaning, so that what follows it is no argument
but the next command:

====== =================== ==========================================================
sent   meant for SSD1306   on the SH1106
====== =================== ==========================================================
20 10  page addressing     20 nothing; 10: upper half of the column becomes 0
8D 14  charge pump on      8D nothing; 14: upper half becomes 4, so column 64 and up
====== =================== ==========================================================

So after this sequence the column is not 0, and whoever writes must set it first. The
rest of it is in the table of both chips. Any other byte that is not in the table is
asserted against: 21 and 22 above all, the windows that this chip does not have, whose
arguments would set columns and start lines instead.

A read over I²C is answered by the control byte that came last: after one for commands with
the status, after one for data with the RAM. The RAM's half is left out and asserted against,
and with it one half of read-modify-write; the other half, the return to where it began, is
there.
"""

import random

from PIL import Image

from sim.chips.ssd1306 import Reading, Scan, Switch, dark, seen, unwrap

COLUMNS, PAGES = 132, 8
VISIBLE = slice(2, 130)
"""The columns that the glass hangs on."""

# Commands that are followed by one argument, and the argument after power-on.
CONTRAST, MULTIPLEX, DC_DC, OFFSET, CLOCK = 0x81, 0xA8, 0xAD, 0xD3, 0xD5
CHARGE_PERIODS, COM_PADS, VCOM = 0xD9, 0xDA, 0xDB
POWER_ON = {
    CONTRAST: 0x80,
    MULTIPLEX: 0x3F,
    DC_DC: 0x8B,
    OFFSET: 0x00,
    CLOCK: 0x50,
    CHARGE_PERIODS: 0x22,
    COM_PADS: 0x12,
    VCOM: 0x35,
}

SWITCHES = {
    0xA0: (Switch.COLUMN_REMAP, False),
    0xA1: (Switch.COLUMN_REMAP, True),
    0xA4: (Switch.ENTIRE_ON, False),
    0xA5: (Switch.ENTIRE_ON, True),
    0xA6: (Switch.INVERSE, False),
    0xA7: (Switch.INVERSE, True),
    0xAE: (Switch.DISPLAY, False),
    0xAF: (Switch.DISPLAY, True),
} | {0xC0 + low: (Switch.REVERSE_SCAN, low >= 8) for low in range(16)}

READ_MODIFY_WRITE, NO_OPERATION, END = 0xE0, 0xE3, 0xEE
WITHOUT_MEANING = (0x20, 0x8D)


class Sh1106:
    """One controller behind one I²C address, and the glass that hangs on it."""

    def __init__(self) -> None:
        self.bytes_received = 0
        """All bytes ever written to it, without the address byte of each transaction."""
        self.reading = Reading.STATUS
        self.power_cycle()

    def power_cycle(self) -> None:
        """The state after power-on; the RAM holds anything then, here the same each time."""
        noise = random.Random(1106)
        self.ram = [bytearray(noise.randbytes(COLUMNS)) for _ in range(PAGES)]
        """By page and column address."""
        self.settings = dict(POWER_ON)
        """The argument last given to each command that has one."""
        self.switches = dict.fromkeys(Switch, False)
        self.lit = False
        """Whether the glass has its voltage: the display is on, and so was the DC-DC before it."""
        self._awaiting: int | None = None
        self._data_came_last = False
        self._start_line = 0
        self._column = 0
        self._page = 0
        self._return_to: int | None = None

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
        """One byte: bit 7 busy, bit 6 the display is off, the rest as found on modules.

        None: no acknowledge.
        """
        assert not self._data_came_last, "reading the RAM is not modelled"
        if self.reading is Reading.REFUSED:
            return None
        on = self.switches[Switch.DISPLAY] and self.reading is Reading.STATUS
        return 0x08 if on else 0x48

    # Commands

    def _hear(self, byte: int) -> None:
        if self._awaiting is not None:
            self.settings[self._awaiting] = byte
            self._awaiting = None
        elif byte in POWER_ON:
            self._awaiting = byte
        else:
            self._obey(byte)

    def _obey(self, code: int) -> None:
        if code in SWITCHES:
            self._turn(*SWITCHES[code])
        elif code <= 0x0F:
            self._column = self._column & 0xF0 | code
        elif code <= 0x1F:
            self._column = (code & 0x0F) << 4 | self._column & 0x0F
        elif 0x40 <= code <= 0x7F:
            self._start_line = code & 0x3F
        elif 0xB0 <= code <= 0xB7:
            self._page = code & 0x07
        else:
            self._obey_rarely(code)

    def _obey_rarely(self, code: int) -> None:
        if code == READ_MODIFY_WRITE:
            self._return_to = self._column
        elif code == END:
            if self._return_to is not None:
                self._column = self._return_to
            self._return_to = None
        else:
            # 30 to 33 set the pump's voltage: brightness, which no picture here shows.
            idle = code == NO_OPERATION or 0x30 <= code <= 0x33
            assert idle or code in WITHOUT_MEANING, f"SH1106 knows no {code:#04x}"

    def _turn(self, switch: Switch, on: bool) -> None:
        self.switches[switch] = on
        if switch is Switch.DISPLAY:
            self.lit = on and bool(self.settings[DC_DC] & 0x01)

    @property
    def contrast(self) -> int:
        return self.settings[CONTRAST]

    # Data

    def _store(self, byte: int) -> None:
        assert self._column < COLUMNS, f"SH1106 has no column {self._column}"
        self.ram[self._page][self._column] = byte
        self._column = min(self._column + 1, COLUMNS - 1)

    # The glass

    def picture(self) -> Image.Image:
        """What a person sees: mode "1", all black when the glass is not lit."""
        if not self.lit:
            return dark()
        # The glass hangs upside down: without the remap its picture is mirrored.
        step = 1 if self.switches[Switch.COLUMN_REMAP] else -1
        pages = [bytes(page[VISIBLE][::step]) for page in self.ram]
        inverse, entire_on = self.switches[Switch.INVERSE], self.switches[Switch.ENTIRE_ON]
        return seen(pages, self._scan, inverse, entire_on)

    @property
    def _scan(self) -> Scan:
        return Scan(
            rows=(self.settings[MULTIPLEX] & 0x3F) + 1,
            offset=self.settings[OFFSET] & 0x3F,
            start=self._start_line,
            reverse=self.switches[Switch.REVERSE_SCAN],
            alternative=bool(self.settings[COM_PADS] & 0x10),
            swapped=False,
        )
