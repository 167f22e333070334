"""The virtual board's clock and alarm on the wall clock."""

from hal.events import Instant
from hal.pi.alarm import Alarm
from hal.pi.waiter import Waiter
from sim.virtual import MICRO, Hardware, VirtualAlarm


class WallAlarm(VirtualAlarm):
    """The box's clock and alarm in wall time.

    The models' time follows the wall's. It may run ahead for as long as a transfer takes
    on the wire, and the next wait lets the wall catch up.
    """

    def __init__(self, hardware: Hardware, waiter: Alarm | None = None) -> None:
        super().__init__(hardware)
        self._waiter = waiter or Waiter()

    def now(self) -> Instant:
        self._world.pass_until(self._waiter.now() * MICRO)
        return super().now()

    def wait(self, until: Instant | None) -> bool:
        self.waits += 1
        # Also when the wait is over already: models that are behind must not make us deaf.
        called = self._waiter.wait(self._waiter.now())
        while not (self._interrupted or called) and (until is None or self.now() < until):
            coming = self._world.next_happening
            ends = [] if until is None else [until]
            ends += [] if coming is None else [Instant(coming // MICRO + 1)]
            called = self._waiter.wait(min(ends, default=None))
        self._interrupted = False
        return called

    def listen(self, descriptor: int) -> None:
        self._waiter.listen(descriptor)

    def deafen(self, descriptor: int) -> None:
        self._waiter.deafen(descriptor)

    def interrupt(self) -> None:
        super().interrupt()
        self._waiter.interrupt()
