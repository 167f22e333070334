"""The Pi's board on the models of the chips, also with an observer.

A board is created only after the stand-ins are plugged in, because it loads the Pi's packages.
"""

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

from hal.display.sounds import Sound
from hal.display.view import View
from hal.events import Event, Instant
from hal.pi.board import PiBoard
from hal.wiring import Wiring
from sim.virtual.hardware import Hardware, VirtualAlarm

if TYPE_CHECKING:
    from sim.virtual.virtual_pins import VirtualFactory


class Observer(Protocol):
    """Gets a copy of all events, views and sounds."""

    def saw(self, event: Event) -> None: ...

    def showed(self, view: View) -> None: ...

    def heard(self, sound: Sound) -> None: ...


def virtual_pins(hardware: Hardware) -> "VirtualFactory":
    """Load gpiozero, and return its pin factory on this hardware. Raises BoardFault."""
    from hal.pi.hardware_errors import opening_pins
    from sim.virtual.virtual_pins import VirtualFactory

    with opening_pins():
        return VirtualFactory(hardware)


def board_on(hardware: Hardware, alarm: VirtualAlarm, wiring: Wiring) -> PiBoard:
    """Return the Pi's board, configured for a wiring, which may differ from the hardware's."""
    return PiBoard(wiring, lambda: virtual_pins(hardware), alarm, lambda: hardware.undervoltage)


class WatchedBoard(PiBoard):
    """A PiBoard with an observer; ``wait`` ends at the horizon. It is also screen and buzzer."""

    def __init__(self, hardware: Hardware, alarm: VirtualAlarm, observer: Observer) -> None:
        self._hardware = hardware
        self._observer = observer
        self.horizon = alarm.now()
        super().__init__(
            hardware.wiring, lambda: self._factory, alarm, lambda: hardware.undervoltage
        )
        self.screen = self

    @cached_property
    def _factory(self) -> "VirtualFactory":
        return virtual_pins(self._hardware)

    def wait(self, until: Instant | None) -> Sequence[Event]:
        events = super().wait(self.horizon if until is None else min(until, self.horizon))
        for event in events:
            self._observer.saw(event)
        return events

    def show(self, view: View) -> None:
        self._screen.show(view)
        self._observer.showed(view)

    def play(self, sound: Sound, volume: int) -> None:
        super().play(sound, volume)
        self._observer.heard(sound)

    def cut_power(self) -> None:
        """Cut the power of the chips, and clear the packages' state of the pins."""
        self.close()
        self._factory.cut_power()
        self._hardware.power_cycle()
