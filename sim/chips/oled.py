"""What the data sheets of the three screen controllers (SSD1306, SSD1309, SH1106) share.

The I²C framing, the commands and their arguments, the switches, the scan of the panel. Section
numbers in brackets are of the SSD1306's data sheet. The usual panel has 128 × 64 dots, and is
mounted so that column remap (A1) and reverse scan (C8) give an upright picture.
"""

import random
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from enum import Enum
from typing import ClassVar, NamedTuple

from PIL import Image

WIDTH, HEIGHT = 128, 64
PAGES = HEIGHT // 8

CONTRAST, MULTIPLEX, OFFSET, CLOCK = 0x81, 0xA8, 0xD3, 0xD5
PRE_CHARGE, COM_PINS, VCOMH, NO_OPERATION = 0xD9, 0xDA, 0xDB, 0xE3


class Switch(Enum):
    """A setting that one-byte commands turn on or off; all are off after a reset."""

    COLUMN_REMAP = "column remap"
    ENTIRE_ON = "entire display on"
    INVERSE = "inverse"
    DISPLAY = "display"
    REVERSE_SCAN = "reverse scan"


SWITCH_PAIRS = {
    0xA0: Switch.COLUMN_REMAP,
    0xA4: Switch.ENTIRE_ON,
    0xA6: Switch.INVERSE,
    0xAE: Switch.DISPLAY,
}
"""By the command that turns it off; the next one turns it on."""
SWITCHES = {
    code + on: (switch, bool(on)) for code, switch in SWITCH_PAIRS.items() for on in (0, 1)
} | {0xC0: (Switch.REVERSE_SCAN, False), 0xC8: (Switch.REVERSE_SCAN, True)}


class Reading(Enum):
    """How a read is answered; clones of the controllers differ from the data sheet."""

    STATUS = "the status, as in the data sheet"
    ALWAYS_OFF = "a display that is off, whatever it shows"
    REFUSED = "no acknowledge"


def unwrap(payload: bytes) -> Iterator[tuple[bool, bytes]]:
    """Split an I²C write by its control bytes into pairs: is it data, and the bytes [8.1.5.2].

    After Co = 1 come one byte and another control byte, after Co = 0 only content. D/C#
    distinguishes data and commands.
    """
    place = 0
    while place < len(payload):
        control = payload[place]
        assert control & 0x3F == 0, f"control byte {control:#04x}"
        end = place + 2 if control & 0x80 else len(payload)
        yield bool(control & 0x40), payload[place + 1 : end]
        place = end


class Scan(NamedTuple):
    """The mapping of RAM lines to COM pads and to the rows of the panel."""

    rows: int
    """The number of rows that are driven: the multiplex ratio."""
    offset: int
    start: int
    reverse: bool
    alternative: bool
    """Whether successive rows alternate between both sides of the chip [10.1.18]."""
    swapped: bool
    """Whether the two sides are swapped."""

    def line_of(self, com: int) -> int | None:
        """Return the RAM line of a COM signal; None if not driven [tables 10-1, 10-2]."""
        place = self.rows - 1 - com if self.reverse else com
        row = (place + self.offset) % HEIGHT
        return (row + self.start) % HEIGHT if row < self.rows else None

    def com_at(self, pad: int) -> int:
        """Return the COM signal of a pad [table 10-3]."""
        if self.swapped:
            pad ^= 32
        if not self.alternative:
            return pad
        return pad * 2 if pad < 32 else (pad - 32) * 2 + 1

    def line_at(self, y: int) -> int | None:
        """Return the RAM line shown in a row of the upright panel, from the top.

        The usual panel is upside down, and wired to both sides of the chip alternately.
        """
        wire = HEIGHT - 1 - y
        return self.line_of(self.com_at(wire // 2 + 32 * (wire % 2)))


LIT = {
    (bit, inverse): bytes(255 if bool(byte >> bit & 1) != inverse else 0 for byte in range(256))
    for bit in range(8)
    for inverse in (False, True)
}
"""By bit and inversion: the brightness of the dot for each byte of a page."""


class OledController(ABC):
    """One controller with its panel."""

    NAME: ClassVar[str]
    COLUMNS: ClassVar[int] = WIDTH
    """Of the RAM."""
    RANDOM_SEED: ClassVar[int]
    """Of the RAM's content after power-on."""
    ARGUMENTS: ClassVar[Mapping[int, int]]
    """The number of arguments of each command that has any."""
    RESET_SETTINGS: ClassVar[Mapping[int, bytes]]
    """Arguments after a reset."""
    SWITCHES: ClassVar[Mapping[int, tuple[Switch, bool]]] = SWITCHES
    STATUS_ON: ClassVar[int]
    """The status while the display is on; bit 6 is set while it is off."""

    def __init__(self) -> None:
        self.bytes_received = 0
        """All bytes written so far, without the address byte of each transaction."""
        self.reading = Reading.STATUS
        self.power_cycle()

    def power_cycle(self) -> None:
        """Set the state after power-on [8.5]; the RAM has random content, always the same."""
        noise = random.Random(self.RANDOM_SEED)
        self.ram = [bytearray(noise.randbytes(self.COLUMNS)) for _ in range(PAGES)]
        """By page and column."""
        self.settings = dict(self.RESET_SETTINGS)
        """The last arguments of each command that has any."""
        self.switches = dict.fromkeys(Switch, False)
        self.lit = False
        """Whether the panel has power: the display was switched on after its supply."""
        self._command = bytearray()
        self._last_was_data = False
        self._start_line = 0
        self._column = 0
        self._page = 0

    # The bus

    def write(self, payload: bytes) -> None:
        """Receive one write transaction, without its address byte."""
        self.bytes_received += len(payload)
        for is_data, content in unwrap(payload):
            self._last_was_data = is_data
            receive = self._store if is_data else self._receive_command
            for byte in content:
                receive(byte)

    def read(self) -> int | None:
        """Return the status; None: no acknowledge."""
        assert not self._last_was_data, "a read after data is not modelled"
        if self.reading is Reading.REFUSED:
            return None
        on = self.switches[Switch.DISPLAY] and self.reading is Reading.STATUS
        return self.STATUS_ON if on else self.STATUS_ON | 0x40

    # Commands

    def _receive_command(self, byte: int) -> None:
        self._command.append(byte)
        code = self._command[0]
        if len(self._command) > self.ARGUMENTS.get(code, 0):
            arguments = bytes(self._command[1:])
            self._command.clear()
            self._execute(code, arguments)

    def _execute(self, code: int, arguments: bytes) -> None:
        if arguments:
            self._set(code, arguments)
        elif code in self.SWITCHES:
            self._switch(*self.SWITCHES[code])
        elif code <= 0x1F or 0xB0 <= code <= 0xB7:
            self._point(code)
        elif 0x40 <= code <= 0x7F:
            self._start_line = code & 0x3F
        else:
            self._execute_rare(code)

    def _set(self, code: int, arguments: bytes) -> None:
        self.settings[code] = arguments

    def _switch(self, switch: Switch, on: bool) -> None:
        self.switches[switch] = on
        if switch is Switch.DISPLAY:
            self.lit = on and self._supplied

    @abstractmethod
    def _point(self, code: int) -> None:
        """Set a half of the column, or the page."""

    @abstractmethod
    def _execute_rare(self, code: int) -> None:
        """Execute a command that only this controller has."""

    @property
    @abstractmethod
    def _supplied(self) -> bool:
        """Whether the panel has its supply voltage."""

    @abstractmethod
    def _store(self, byte: int) -> None:
        """Write to the RAM, and move on to the next address."""

    # The panel

    @abstractmethod
    def _pages(self) -> list[bytes]:
        """Return the visible columns of the RAM, from left to right as seen."""

    def picture(self) -> Image.Image:
        """Return the visible picture, in mode "1"; black if the panel has no power."""
        if not self.lit:
            return Image.new("1", (WIDTH, HEIGHT))
        inverse, entire_on = self.switches[Switch.INVERSE], self.switches[Switch.ENTIRE_ON]
        scan = Scan(
            rows=(self.settings[MULTIPLEX][0] & 0x3F) + 1,
            offset=self.settings[OFFSET][0] & 0x3F,
            start=self._start_line,
            reverse=self.switches[Switch.REVERSE_SCAN],
            alternative=bool(self.settings[COM_PINS][0] & 0x10),
            swapped=self._sides_swapped,
        )
        pages = self._pages()
        dots = bytearray()
        for y in range(HEIGHT):
            line = scan.line_at(y)
            if line is None:
                dots += bytes(WIDTH)
            elif entire_on:
                dots += b"\xff" * WIDTH
            else:
                dots += pages[line // 8].translate(LIT[line % 8, inverse])
        return Image.frombytes("L", (WIDTH, HEIGHT), bytes(dots)).convert("1")

    @property
    def _sides_swapped(self) -> bool:
        return bool(self.settings[COM_PINS][0] & 0x20)
