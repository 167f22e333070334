"""What the screen shows below the status row.

Tests: tests/unit/firmware/table/test_box.py.
"""

from typing import NamedTuple

from hal.display.messages import Message
from hal.display.view import Item, Menu


class ScreenBody(NamedTuple):
    """The big field and the message line, or what takes their place."""

    field: str = ""
    message: Message | None = None
    menu: Menu | None = None
    table: tuple[Item, ...] = ()
    card: int | None = None
    """The card's number, if that is what the field shows."""
    typed: bool = False
    """Whether the field shows what is being typed."""
