"""The driver of the SSD1309 screen controller: an SSD1306 without charge pump, with a lock.

Tests: tests/drivers/test_screen.py.
"""

from luma.oled.device import ssd1309

from hal.display.renderer import HEIGHT, WIDTH
from hal.pi.screens.oled import OledScreen, ScreenBus
from hal.pi.screens.ssd1306 import WindowedSsd1306

COMMAND_LOCK, UNLOCK = 0xFD, 0x12


class WindowedSsd1309(WindowedSsd1306, ssd1309):  # type: ignore[misc]  # luma has no types
    """luma's device, which is sent windows."""

    def command(self, *values: int) -> None:
        """Omit the charge pump, which luma sets up although the chip has no such command.

        None of the arguments that are sent has the same value.
        """
        pump = self._const.CHARGEPUMP
        if pump in values:
            place = values.index(pump)
            values = values[:place] + values[place + 2 :]
        super().command(*values)


class Ssd1309Screen(OledScreen):
    """A screen with an SSD1309."""

    def open_device(self, bus: ScreenBus) -> WindowedSsd1309:
        # A locked chip ignores all other commands.
        bus.command(COMMAND_LOCK, UNLOCK)
        return WindowedSsd1309(bus, WIDTH, HEIGHT)
