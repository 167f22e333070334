"""The OLED, through luma.oled: sends only what changed, and lives on when it is unplugged.

luma's own ``display`` walks all 8192 pixels in Python and sends all 1024 bytes for every
change. Here Pillow packs the picture in two transposes, and only the window that differs
from what the glass shows already goes over the bus.

A screen that does not answer must not stop the bank: it is tried again every two seconds,
and drawn in full when it is back.

One that was without power for a moment answers, but has forgotten its settings and its
picture. So a lit screen is asked every two seconds whether it is on, as both controllers can
tell; one that says no is set up anew. A dark one cannot be asked that. When it wakes it is
given its settings and what has changed, so that nobody waits, and then all of the picture.

Wiring: VCC pin 1 (3.3 V), GND pin 9, SDA pin 3 (GPIO 2), SCL pin 5 (GPIO 3).
"""

import errno
import logging
from typing import Any

from luma.core.error import Error as LumaError
from luma.core.interface.serial import i2c
from luma.oled.device import sh1106, ssd1306
from PIL import Image

from hal.events import SECOND, Instant
from hal.pages import PAGES, packed
from hal.parts import Clock
from hal.picture import HEIGHT, WIDTH, draw
from hal.view import View
from hal.wiring import Wiring

log = logging.getLogger("tellerbox.screen")

TRY_AGAIN_EVERY = 2 * SECOND
TRY_A_STUCK_BUS_EVERY = 30 * SECOND
"""A bus that something holds down stops the whole box for a second each time it is tried."""
NOP = 0xE3
DISPLAY_IS_OFF = 0x40
"""In the status of either controller."""
MOST_ARGUMENTS = 6
"""Of any command of either controller: so many bytes may one that broke off still want."""
COST_OF_A_WINDOW = 10
"""Bytes on the bus that a window costs beside its content."""


Window = tuple[int, int, int, int]
"""First and last page, first and last column."""


def changed_windows(old: list[bytes] | None, new: list[bytes]) -> list[Window]:
    """What has to be sent: neighbouring pages in one window, where that is the shorter way."""
    if old is None:
        return [(0, PAGES - 1, 0, WIDTH - 1)]
    windows: list[Window] = []
    for page in range(PAGES):
        if old[page] == new[page]:
            continue
        differing = [x for x in range(WIDTH) if old[page][x] != new[page][x]]
        window = (page, page, differing[0], differing[-1])
        if windows and windows[-1][1] == page - 1:
            joined = _joined(windows[-1], window)
            if _area(joined) <= _area(windows[-1]) + _area(window) + COST_OF_A_WINDOW:
                windows[-1] = joined
                continue
        windows.append(window)
    return windows


def _joined(one: Window, other: Window) -> Window:
    return one[0], other[1], min(one[2], other[2]), max(one[3], other[3])


def _area(window: Window) -> int:
    first, last, left, right = window
    return (last - first + 1) * (right - left + 1)


class WindowedSsd1306(ssd1306):  # type: ignore[misc]  # luma has no types
    """An SSD1306 that is sent windows."""

    def display(self, image: Image.Image) -> None:
        """What luma itself draws, at start-up: all of it."""
        self.send(packed(image), None)

    def send(self, new: list[bytes], old: list[bytes] | None) -> None:
        for first, last, left, right in changed_windows(old, new):
            self.command(self._const.COLUMNADDR, left, right, self._const.PAGEADDR, first, last)
            self.data([byte for page in new[first : last + 1] for byte in page[left : right + 1]])


class WindowedSh1106(sh1106):  # type: ignore[misc]  # luma has no types
    """An SH1106, which knows no windows: each page is sent from its first change on."""

    def display(self, image: Image.Image) -> None:
        self.send(packed(image), None)

    def send(self, new: list[bytes], old: list[bytes] | None) -> None:
        for first, last, left, right in changed_windows(old, new):
            for page in range(first, last + 1):
                column = left + self._page_address_offset
                self.command(0xB0 | page, column & 0x0F, 0x10 | column >> 4)
                self.data(list(new[page][left : right + 1]))


CHIPS = {"ssd1306": WindowedSsd1306, "sh1106": WindowedSh1106}


class AskingBus(i2c):  # type: ignore[misc]  # luma has no types
    """luma's bus, over which a controller can also be asked how it is."""

    def says_off(self) -> bool:
        """With a control byte before it: after data, an SH1106 would answer with its RAM."""
        status: int = self._bus.read_byte_data(self._addr, self._cmd_mode)
        return bool(status & DISPLAY_IS_OFF)


class SetupBus:
    """The bus as luma sees it; keeps the commands that set a controller up, to say them again.

    A new luma device for every return of a screen would do it too, but luma never lets go
    of a device before the program ends.
    """

    def __init__(self, bus: Any) -> None:
        self._bus = bus
        self._said: list[tuple[int, ...]] | None = []

    def command(self, *values: int) -> None:
        if self._said is not None:
            self._said.append(values)
        self._bus.command(*values)

    def data(self, values: list[int]) -> None:
        self._bus.data(values)

    def setup(self) -> list[tuple[int, ...]]:
        """All commands so far; later ones are not kept."""
        said, self._said = self._said or [], None
        return said

    def cleanup(self) -> None:
        self._bus.cleanup()


def hangs(error: Exception) -> bool:
    """Whether the kernel gave up waiting for the bus, rather than being told no."""
    return isinstance(error, OSError) and error.errno == errno.ETIMEDOUT


class OledScreen:
    """The screen, there or not."""

    def __init__(self, wiring: Wiring, clock: Clock) -> None:
        self._clock = clock
        self._wiring = wiring
        self._bus: Any = None
        self._device: Any = None
        self._setup: list[tuple[int, ...]] = []
        self._ready = False
        self._shown: list[bytes] | None = None
        self._doubtful = False
        """Whether it may show something else, for it was dark and may have had no power."""
        self._lit = False
        self._honest: bool | None = None
        """Whether what it says of itself can be believed; None: it was not asked yet."""
        self._look_at = Instant(0)
        self._wanted: Image.Image | None = None
        self._told = False
        self.due: Instant | None = None
        """When to look for a screen that is away.

        To look after one that is there needs no visit of its own: while it is lit the slots
        are looked into many times a second.
        """

    @property
    def answers(self) -> bool:
        return self.due is None

    def show(self, view: View) -> None:
        self.show_picture(draw(view) if view.lit else None)

    def show_picture(self, picture: Image.Image | None) -> None:
        """Any picture; None: dark."""
        self._wanted = picture
        if self.due is None:
            self._draw()
        else:
            self.poll()

    def poll(self) -> None:
        """Look for a screen that is away, or after one that is there, now and then."""
        if self.due is not None:
            is_time = self._clock.now() >= self.due
        else:
            is_time = self._doubtful or self._look_is_due
        if is_time:
            self._draw()

    @property
    def _look_is_due(self) -> bool:
        return self._lit and bool(self._honest) and self._clock.now() >= self._look_at

    def _draw(self) -> None:
        """A transfer that breaks off once is a glitch; twice, and the screen is away."""
        error = self._attempt()
        if error and self._device and not hangs(error):
            error = self._attempt()
        if error is None:
            self.due = None
            if self._told:
                log.info("the screen is back")
            self._told = False
            return
        pause = TRY_A_STUCK_BUS_EVERY if hangs(error) else TRY_AGAIN_EVERY
        self.due = Instant(self._clock.now() + pause)
        self._honest = None
        if not self._told:
            log.warning("the screen does not answer: %s", error)
        self._told = True

    def _attempt(self) -> Exception | None:
        try:
            if self._look_is_due:
                self._look()
            if self._doubtful:
                self._forget_picture()
            if not self._ready:
                self._set_up()
            elif self._wanted is not None and not self._lit:
                self._set_up()
                self._doubtful = True
            self._put_up(self._wanted)
            if self._lit and self._honest is None:
                self._test_its_word()
        except (OSError, LumaError) as error:
            self._ready = False
            self._forget_picture()
            return error
        return None

    def _forget_picture(self) -> None:
        """The next one is drawn in full."""
        self._shown = None
        self._doubtful = False

    def _look(self) -> None:
        self._look_at = Instant(self._clock.now() + TRY_AGAIN_EVERY)
        if self._bus.says_off():
            log.warning("the screen has lost its settings, and is given them again")
            self._ready = False
            self._honest = None
            self._forget_picture()

    def _test_its_word(self) -> None:
        """When it has just been lit: a clone may always say off, or nothing, and is left alone."""
        self._honest = self._says_on()
        if not self._honest:
            log.info("the screen does not tell whether it is on, and is not asked any more")

    def _says_on(self) -> bool:
        for _ in range(2):
            try:
                return not self._bus.says_off()
            except OSError as error:
                self._bus.command(NOP)  # fails as well when the screen is away
                if hangs(error):
                    break
        return False

    def _set_up(self) -> None:
        """Also after a transfer that broke off, when the controller may wait for its rest."""
        if self._bus is None:
            self._bus = AskingBus(port=self._wiring.i2c_bus, address=self._wiring.screen_address)
        self._bus.command(*[NOP] * MOST_ARGUMENTS)
        if self._device is None:
            bus = SetupBus(self._bus)
            self._device = CHIPS[self._wiring.screen_chip](bus, WIDTH, HEIGHT)
            light = (self._device._const.DISPLAYON,)
            # The next time it is lit when its picture is there, not with what its RAM holds.
            self._setup = [values for values in bus.setup() if values != light]
            # What it shows when the program ends is for the program to say.
            self._device.persist = True
            self._lit = True
        else:
            for values in self._setup:
                self._bus.command(*values)
            self._lit = False
        self._ready = True
        self._look_at = Instant(self._clock.now() + TRY_AGAIN_EVERY)

    def _put_up(self, picture: Image.Image | None) -> None:
        if picture is not None:
            pages = packed(picture)
            self._device.send(pages, self._shown)
            self._shown = pages
        lit = picture is not None
        if lit != self._lit:
            (self._device.show if lit else self._device.hide)()
            self._lit = lit
