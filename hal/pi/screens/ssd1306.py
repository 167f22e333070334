"""The driver of the SSD1306 screen controller.

Tests: tests/drivers/test_screen.py.
"""

from luma.oled.device import ssd1306

from hal.display.renderer import HEIGHT, WIDTH
from hal.pi.screens.oled import OledScreen, ScreenBus, Window, WindowedDevice


class WindowedSsd1306(WindowedDevice, ssd1306):  # type: ignore[misc]  # luma has no types
    """luma's device, which is sent windows."""

    def send_window(self, pages: list[bytes], window: Window) -> None:
        first, last, left, right = window
        self.command(self._const.COLUMNADDR, left, right, self._const.PAGEADDR, first, last)
        self.data([byte for page in pages[first : last + 1] for byte in page[left : right + 1]])


class Ssd1306Screen(OledScreen):
    """A screen with an SSD1306."""

    def open_device(self, bus: ScreenBus) -> WindowedSsd1306:
        return WindowedSsd1306(bus, WIDTH, HEIGHT)
