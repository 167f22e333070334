"""The virtual board in wall time, for ``tellerbox run --board virtual``."""

from contextlib import AbstractContextManager, closing

from hal.events import Instant
from hal.parts import RunnableBoard
from hal.pi.alarm import Alarm
from hal.pi.waiter import Waiter
from hal.wiring import Wiring
from sim.virtual.hardware import MICRO, Hardware, VirtualAlarm, drivers


class WallAlarm(VirtualAlarm):
    """The box's clock and alarm in wall time.

    The models' time follows wall time. A transfer may advance it further, until the next wait.
    """

    def __init__(self, hardware: Hardware, waiter: Alarm | None = None) -> None:
        super().__init__(hardware)
        self._waiter = waiter or Waiter()

    def now(self) -> Instant:
        self._time.pass_until(self._waiter.now() * MICRO)
        return super().now()

    def wait(self, until: Instant | None) -> bool:
        self.waits += 1
        # Check the descriptors even if ``until`` is over: slow models must not delay them for ever.
        readable = self._waiter.wait(self._waiter.now())
        while not (self._interrupted or readable) and (until is None or self.now() < until):
            next_action = self._time.next_action
            ends = [] if until is None else [until]
            ends += [] if next_action is None else [Instant(next_action // MICRO + 1)]
            readable = self._waiter.wait(min(ends, default=None))
        self._interrupted = False
        return readable

    def listen(self, descriptor: int) -> None:
        self._waiter.listen(descriptor)

    def deafen(self, descriptor: int) -> None:
        self._waiter.deafen(descriptor)

    def interrupt(self) -> None:
        super().interrupt()
        self._waiter.interrupt()


def opened(wiring: Wiring) -> AbstractContextManager[RunnableBoard]:
    """Open the drivers on new models; close them at the end."""
    hardware = Hardware(wiring)
    module = drivers(hardware, at_once=False)
    return closing(module.board_on(hardware, WallAlarm(hardware), wiring))
