"""A board that a program can stand on, in virtual time, whose parts report what a test says."""

from collections.abc import Sequence

from hal.events import SECOND, Event, Instant
from sim.board import SimBoard
from sim.clocks import VirtualClock


class ReportingBoard(SimBoard):
    """One report a wait; when there is none left, time passes."""

    def __init__(self, *reports: Event) -> None:
        super().__init__(VirtualClock())
        self._reports = list(reports)
        self.waits: list[Instant | None] = []

    def wait(self, until: Instant | None) -> Sequence[Event]:
        self.waits.append(until)
        if self._reports:
            return [self._reports.pop(0)._replace(at=self.clock.now())]
        self.clock.pass_until(Instant(self.clock.now() + SECOND) if until is None else until)
        return []

    def interrupt(self) -> None: ...

    def listen(self, descriptor: int) -> None: ...

    def deafen(self, descriptor: int) -> None: ...

    def inventory(self) -> Sequence[str]:
        return ["software"]
