"""What the drivers need of time: a clock that can be waited on, and interrupted."""

from typing import Protocol

from hal.events import Instant


class Alarm(Protocol):
    """The box's clock and alarm."""

    def now(self) -> Instant: ...

    def instant_of(self, ticks: float) -> Instant:
        """The instant of an edge, from the seconds that the GPIO library stamped it with."""
        ...

    def wait(self, until: Instant | None) -> bool:
        """Until an instant, or an interruption; True when a line has something to read."""
        ...

    def listen(self, descriptor: int) -> None:
        """Let something to read on a line end the wait too."""
        ...

    def deafen(self, descriptor: int) -> None: ...

    def interrupt(self) -> None:
        """End the wait; safe from any thread, and when nobody waits."""
        ...
