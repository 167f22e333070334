"""The part of the screen drivers that all OLED controllers share, on top of luma.oled.

luma's ``display`` converts all 8192 pixels in Python and sends all 1024 bytes for every change.
Here Pillow packs the picture in two transposes, and only the windows that differ from the shown
picture are sent.

A screen that does not answer must not stop the bank. It is retried every two seconds, and then
drawn in full.

A screen that lost power for a moment answers, but has lost its settings and its picture. So
the status of a lit screen is read every two seconds; it says whether the display is on. If not,
the screen is set up again. The status of a dark screen says nothing. When it wakes, it first
gets its settings and the changes, which is fast, and then the whole picture.

Wiring: VCC pin 1 (3.3 V), GND pin 9, SDA pin 3 (GPIO 2), SCL pin 5 (GPIO 3).

Tests: tests/drivers/test_screen.py.
"""

import errno
import logging
from abc import ABC, abstractmethod
from typing import Any, ClassVar

from luma.core.error import Error as LumaError
from luma.core.interface.serial import i2c
from PIL import Image

from hal.display.pages import PAGES, packed
from hal.display.renderer import WIDTH, draw
from hal.display.view import View
from hal.events import SECOND, Instant
from hal.parts import Clock
from hal.wiring import Wiring

log = logging.getLogger("tellerbox.screen")

RETRY_INTERVAL = STATUS_INTERVAL = 2 * SECOND
RETRY_INTERVAL_STUCK = 30 * SECOND
"""For a bus that is held low: each attempt blocks the box for a second."""
COMMAND = 0x00
"""The control byte before commands."""
NOP = 0xE3
DISPLAY_IS_OFF = 0x40
"""A bit of the status."""
MAX_ARGUMENTS = 6
"""An interrupted command may still wait for so many bytes."""
WINDOW_OVERHEAD = 10
"""Bytes on the bus that a window costs in addition to its content."""

Window = tuple[int, int, int, int]
"""First and last page, first and last column."""


def changed_windows(old: list[bytes] | None, new: list[bytes]) -> list[Window]:
    """Find the windows to send; adjacent pages share one where that takes fewer bytes."""
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
            if _area(joined) <= _area(windows[-1]) + _area(window) + WINDOW_OVERHEAD:
                windows[-1] = joined
                continue
        windows.append(window)
    return windows


def _joined(one: Window, other: Window) -> Window:
    return one[0], other[1], min(one[2], other[2]), max(one[3], other[3])


def _area(window: Window) -> int:
    first, last, left, right = window
    return (last - first + 1) * (right - left + 1)


class WindowedDevice(ABC):
    """A mixin for luma's devices, which sends windows instead of whole pictures."""

    def display(self, image: Image.Image) -> None:
        """Send a whole picture, as luma does during set-up."""
        self.send(packed(image), None)

    def send(self, new: list[bytes], old: list[bytes] | None) -> None:
        """Send the difference of two pictures; ``old`` is None if unknown."""
        for window in changed_windows(old, new):
            self.send_window(new, window)

    @abstractmethod
    def send_window(self, pages: list[bytes], window: Window) -> None:
        """Send one window of a picture."""


class ScreenBus(i2c):  # type: ignore[misc]  # luma has no types
    """luma's bus, which can record commands and read the status of the controller.

    To set up a screen again, the recorded commands are repeated. A new luma device would do the
    same, but luma keeps a reference to every device until the program ends.
    """

    recording: list[tuple[int, ...]] | None = None
    """The commands so far; None if they are not recorded."""

    def command(self, *values: int) -> None:
        if self.recording is not None:
            self.recording.append(values)
        super().command(*values)

    def display_is_off(self) -> bool:
        """Read the status; without the control byte an SH1106 returns its RAM after data."""
        status: int = self._bus.read_byte_data(self._addr, self._cmd_mode)
        return bool(status & DISPLAY_IS_OFF)


def is_stuck(error: Exception) -> bool:
    """Whether the kernel gave up waiting for the bus, unlike a missing acknowledge."""
    return isinstance(error, OSError) and error.errno == errno.ETIMEDOUT


class OledScreen(ABC):
    """An OLED with any controller; a ``Display``. A subclass opens the device of its chip."""

    PROBE: ClassVar[bytes] = bytes((COMMAND, NOP))

    def __init__(self, wiring: Wiring, clock: Clock) -> None:
        self._clock = clock
        self._wiring = wiring
        self._bus: Any = None
        self._device: Any = None
        self._setup: list[tuple[int, ...]] = []
        self._ready = False
        self._shown: list[bytes] | None = None
        """The picture in the RAM of the controller; None if unknown."""
        self._redraw = False
        """Whether the RAM may have lost the picture, because the screen was dark."""
        self._lit = False
        self._status_works: bool | None = None
        """Whether the status is correct; None if not tested yet."""
        self._status_at = Instant(0)
        self._wanted: Image.Image | None = None
        self._loss_logged = False
        self.due: Instant | None = None
        """When to retry a screen that does not answer.

        Reading the status needs no wake-up of its own: while the screen is lit, the slots are
        polled many times a second.
        """

    @abstractmethod
    def open_device(self, bus: ScreenBus) -> Any:
        """Create luma's device, also a ``WindowedDevice``; it sets the controller up."""

    @property
    def answers(self) -> bool:
        return self.due is None

    def show(self, view: View) -> None:
        self.show_picture(draw(view) if view.lit else None)

    def show_picture(self, picture: Image.Image | None) -> None:
        self._wanted = picture
        if self.due is None:
            self._draw()
        else:
            self.poll()

    def poll(self) -> None:
        if self.due is not None:
            is_time = self._clock.now() >= self.due
        else:
            is_time = self._redraw or self._status_is_due
        if is_time:
            self._draw()

    @property
    def _status_is_due(self) -> bool:
        return self._lit and bool(self._status_works) and self._clock.now() >= self._status_at

    def _draw(self) -> None:
        """Draw the wanted picture; the screen is lost if two attempts fail."""
        error = self._attempt()
        if error and self._device and not is_stuck(error):
            error = self._attempt()
        if error is None:
            self.due = None
            if self._loss_logged:
                log.info("the screen is back")
            self._loss_logged = False
            return
        pause = RETRY_INTERVAL_STUCK if is_stuck(error) else RETRY_INTERVAL
        self.due = Instant(self._clock.now() + pause)
        self._status_works = None
        if not self._loss_logged:
            log.warning("the screen does not answer: %s", error)
        self._loss_logged = True

    def _attempt(self) -> Exception | None:
        try:
            if self._status_is_due:
                self._check_status()
            if self._redraw:
                self._forget_picture()
            if not self._ready:
                self._set_up()
            elif self._wanted is not None and not self._lit:
                self._set_up()
                self._redraw = True
            self._send_picture(self._wanted)
            if self._lit and self._status_works is None:
                self._test_status()
        except (OSError, LumaError) as error:
            self._ready = False
            self._forget_picture()
            return error
        return None

    def _forget_picture(self) -> None:
        """Make the next picture be drawn in full."""
        self._shown = None
        self._redraw = False

    def _check_status(self) -> None:
        self._status_at = Instant(self._clock.now() + STATUS_INTERVAL)
        if self._bus.display_is_off():
            log.warning("the screen has lost its settings; they are sent again")
            self._ready = False
            self._status_works = None
            self._forget_picture()

    def _test_status(self) -> None:
        """Test the status of a lit screen: clones may always report off, or no status."""
        self._status_works = self._reports_on()
        if not self._status_works:
            log.info("the screen does not report whether it is on; its status is no longer read")

    def _reports_on(self) -> bool:
        for _ in range(2):
            try:
                return not self._bus.display_is_off()
            except OSError as error:
                self._bus.command(NOP)  # fails as well if the screen is unplugged
                if is_stuck(error):
                    break
        return False

    def _set_up(self) -> None:
        """Set the controller up, also if an interrupted command still waits for arguments."""
        if self._bus is None:
            self._bus = ScreenBus(port=self._wiring.i2c_bus, address=self._wiring.screen_address)
        self._bus.command(*[NOP] * MAX_ARGUMENTS)
        if self._device is None:
            recorded: list[tuple[int, ...]] = []
            self._bus.recording = recorded
            self._device = self.open_device(self._bus)
            self._bus.recording = None
            display_on = (self._device._const.DISPLAYON,)
            # Later set-ups leave the display off until the picture is in the RAM.
            self._setup = [values for values in recorded if values != display_on]
            # Otherwise luma would clear the screen when the program ends.
            self._device.persist = True
            self._lit = True
        else:
            for values in self._setup:
                self._bus.command(*values)
            self._lit = False
        self._ready = True
        self._status_at = Instant(self._clock.now() + STATUS_INTERVAL)

    def _send_picture(self, picture: Image.Image | None) -> None:
        if picture is not None:
            pages = packed(picture)
            self._device.send(pages, self._shown)
            self._shown = pages
        lit = picture is not None
        if lit != self._lit:
            (self._device.show if lit else self._device.hide)()
            self._lit = lit
