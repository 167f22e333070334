"""The protocol of the screen drivers.

Tests: tests/drivers/test_registries.py.
"""

from typing import ClassVar, Protocol

from PIL import Image

from hal.display.view import View
from hal.events import Instant
from hal.parts import Clock
from hal.wiring import Wiring


class Display(Protocol):
    """A screen that may be unplugged at any time.

    No method raises an exception when the screen does not answer: the driver logs it, retries
    when ``due``, and then draws the last picture that it was given.
    """

    PROBE: ClassVar[bytes]
    """An I²C write without effect: the self-test sends it to find the screen's address."""

    def __init__(self, wiring: Wiring, clock: Clock) -> None:
        """Do no I/O: the screen is set up by the first picture."""

    @property
    def due(self) -> Instant | None:
        """When to call ``poll`` next; None if any time will do."""

    @property
    def answers(self) -> bool:
        """Whether the last transfer succeeded."""

    def show(self, view: View) -> None: ...

    def show_picture(self, picture: Image.Image | None) -> None:
        """Show any picture, 128 × 64 dots in mode "1"; None: dark."""

    def poll(self) -> None:
        """Do what is due: retry, or check that the screen kept its settings."""
