"""What the drivers need of time: a clock that can be waited on, and interrupted."""

from typing import Protocol

from hal.events import Instant


class Alarm(Protocol):
    """The box's clock and alarm."""

    def now(self) -> Instant: ...

    def instant_of(self, ticks: float) -> Instant:
        """The instant of an edge, from the seconds that the GPIO library stamped it with."""
        ...

    def wait(self, until: Instant | None) -> None:
        """Until an instant, or an interruption."""
        ...

    def interrupt(self) -> None:
        """End the wait; safe from any thread, and when nobody waits."""
        ...
