"""What a box stands on while a script works it: hands at its parts, and the world's time.

There is one stand for each simulated board. A rig plays a script on a stand and does not
care which.
"""

from typing import Protocol

from hal.events import Instant, Key, Slot
from hal.sounds import Sound
from hal.view import View
from sim.fault import Fault
from sim.running import Start


class PowerGone(Exception):
    """The power went in the middle of what the firmware did: nothing of it goes on."""


class Stand(Protocol):
    """Hands, eyes and ears at a box. Each hand returns when the box has taken it in."""

    def start(self, start: Start) -> None:
        """The power comes: the firmware starts."""
        ...

    def stop(self) -> None:
        """The power goes, if it is there: the firmware is gone, without a chance to tidy up."""
        ...

    @property
    def running(self) -> bool:
        """Whether the firmware runs; it is stopped by whatever of it raises PowerGone."""
        ...

    def cause(self, fault: Fault) -> None:
        """Something breaks; what this board has no part for does nothing to it."""
        ...

    def mend(self, fault: Fault) -> None: ...

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
        """What the screen shows; None without power, or when it is unplugged."""
        ...

    @property
    def asleep(self) -> bool: ...

    @property
    def played(self) -> list[Sound]:
        """The sounds since the last script line; whoever begins a line clears it."""
        ...
