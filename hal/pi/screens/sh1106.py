"""The driver of the SH1106 screen controller, which has pages but no windows.

Tests: tests/drivers/test_screen.py.
"""

from luma.oled.device import sh1106

from hal.display.renderer import HEIGHT, WIDTH
from hal.pi.screens.oled import OledScreen, ScreenBus, Window, WindowedDevice


class WindowedSh1106(WindowedDevice, sh1106):  # type: ignore[misc]  # luma has no types
    """luma's device, which is sent windows page by page."""

    def send_window(self, pages: list[bytes], window: Window) -> None:
        first, last, left, right = window
        column = left + self._page_address_offset
        for page in range(first, last + 1):
            self.command(0xB0 | page, column & 0x0F, 0x10 | column >> 4)
            self.data(list(pages[page][left : right + 1]))


class Sh1106Screen(OledScreen):
    """A screen with an SH1106."""

    def open_device(self, bus: ScreenBus) -> WindowedSh1106:
        return WindowedSh1106(bus, WIDTH, HEIGHT)
