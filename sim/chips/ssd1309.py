"""The SSD1309 display controller with its panel: the SSD1306's commands, except a few.

Written from Solomon Systech's data sheet (SSD1309). Addressing, I²C framing, status and scan are
those of the SSD1306; these are the differences:

- The voltage of the panel is external. The module's converter supplies it all the time, so the
  panel is lit as soon as the display is on. 8D, the charge pump, is not a command.
- FD 16 locks the chip: it ignores all commands but FD, and all data. FD 12 unlocks it, as does
  a reset. Only bit 2 of the argument matters.

Not modelled, and rejected by assertions: scrolling, fading, zooming, and the other commands that
the SSD1306 does not have. The timing settings have no values after a reset.

Where the data sheet does not specify the behaviour, the model does this; drivers should not
rely on it: a locked chip parses the arguments of the commands that it ignores.
"""

from collections.abc import Mapping
from typing import ClassVar

from sim.chips import ssd1306
from sim.chips.oled import CLOCK, PRE_CHARGE, VCOMH
from sim.chips.ssd1306 import CHARGE_PUMP, Ssd1306

LOCK = 0xFD
LOCK_BIT = 0x04
_COMMON = {code: reset for code, reset in ssd1306.RESET_SETTINGS.items() if code != CHARGE_PUMP}


class Ssd1309(Ssd1306):
    """One controller with its panel."""

    NAME: ClassVar[str] = "SSD1309"
    ARGUMENTS: ClassVar[Mapping[int, int]] = {
        LOCK: 1,
        **{code: len(arguments) for code, arguments in _COMMON.items()},
    }
    RESET_SETTINGS: ClassVar[Mapping[int, bytes]] = {
        LOCK: b"\x12",
        **{code: _COMMON[code] for code in _COMMON.keys() - {CLOCK, PRE_CHARGE, VCOMH}},
    }

    @property
    def locked(self) -> bool:
        return bool(self.settings[LOCK][0] & LOCK_BIT)

    def _execute(self, code: int, arguments: bytes) -> None:
        if code == LOCK or not self.locked:
            super()._execute(code, arguments)

    def _store(self, byte: int) -> None:
        if not self.locked:
            super()._store(byte)

    @property
    def _supplied(self) -> bool:
        return True
