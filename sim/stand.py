"""What a box stands on while a script works it: hands at its parts, and the world's time.

There is one stand for each simulated board. A rig plays a script on a stand and does not
care which.
"""

from typing import Protocol

from firmware.edition import Edition
from firmware.house import House
from firmware.ledger import Ledger
from hal.events import Instant, Key, Slot
from hal.sounds import Sound
from hal.view import View


class Stand(Protocol):
    """Hands, eyes and ears at a box. Each hand returns when the box has taken it in."""

    def start(self, ledger: Ledger, edition: Edition, house: House) -> None:
        """The power comes: the firmware starts."""
        ...

    def stop(self) -> None:
        """The power goes: the firmware is gone, without a chance to tidy up."""
        ...

    def put(self, slot: Slot, uid: bytes) -> None: ...

    def take(self, slot: Slot) -> None: ...

    def holds(self, slot: Slot) -> bool: ...

    def hold(self, key: Key, duration: int) -> None:
        """Press a key and let it go; a duration of 0 is a tap."""
        ...

    def pass_time(self, duration: int) -> None: ...

    def catch_up(self) -> None:
        """On a wall clock: live through the time since the last line."""
        ...

    @property
    def now(self) -> Instant: ...

    @property
    def view(self) -> View | None:
        """What the screen shows; None without power."""
        ...

    @property
    def asleep(self) -> bool: ...

    @property
    def played(self) -> list[Sound]:
        """The sounds since the last script line; whoever begins a line clears it."""
        ...
