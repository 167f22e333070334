"""A runnable board in virtual time that events given events."""

from collections.abc import Sequence

from hal.events import SECOND, Event, Instant
from sim.board.clocks import VirtualClock
from sim.board.software_board import SimBoard


class ReportingBoard(SimBoard):
    """Each wait returns the next event; when none is left, time passes."""

    def __init__(self, *events: Event) -> None:
        super().__init__(VirtualClock())
        self._events = list(events)
        self.waits: list[Instant | None] = []

    def wait(self, until: Instant | None) -> Sequence[Event]:
        self.waits.append(until)
        if self._events:
            return [self._events.pop(0)._replace(at=self.clock.now())]
        self.clock.pass_until(Instant(self.clock.now() + SECOND) if until is None else until)
        return []

    def connect(self) -> None: ...

    def interrupt(self) -> None: ...

    def listen(self, descriptor: int) -> None: ...

    def deafen(self, descriptor: int) -> None: ...

    def inventory(self) -> Sequence[str]:
        return ["software"]
