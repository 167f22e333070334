"""The Pi's board on the models of the chips, also with an observer.

Imported only after the stand-ins are plugged in, because this module loads the Pi's packages.
"""

from collections.abc import Sequence
from typing import Protocol

import RPi.GPIO as GPIO
from gpiozero.pins.local import LocalPiFactory

from hal.display.sounds import Sound
from hal.display.view import View
from hal.events import Event, Instant
from hal.pi.board import PiBoard
from hal.pi.gpio import factory_class
from hal.wiring import Wiring
from sim.virtual.hardware import NANO, REVISION, Hardware, VirtualAlarm


class Observer(Protocol):
    """Gets a copy of all events, views and sounds."""

    def saw(self, event: Event) -> None: ...

    def showed(self, view: View) -> None: ...

    def heard(self, sound: Sound) -> None: ...


class VirtualFactory(factory_class()):  # type: ignore[misc]  # gpiozero has no types
    """gpiozero's own factory; only the board's revision and the time are not from a kernel."""

    def __init__(self, hardware: Hardware) -> None:
        self._time = hardware.time
        super().__init__()

    def _get_revision(self) -> int:
        return int(REVISION, base=16)

    def ticks(self) -> float:
        """Return seconds, for edges that the library gives no timestamp."""
        return self._time.now / NANO


def board_on(hardware: Hardware, alarm: VirtualAlarm, wiring: Wiring) -> PiBoard:
    """Return the Pi's board, configured for a wiring, which may differ from the hardware's."""
    return PiBoard(wiring, VirtualFactory(hardware), alarm, lambda: hardware.undervoltage)


class WatchedBoard(PiBoard):
    """A PiBoard with an observer; ``wait`` ends at the horizon. It is also screen and buzzer."""

    def __init__(self, hardware: Hardware, alarm: VirtualAlarm, observer: Observer) -> None:
        self._hardware = hardware
        self._observer = observer
        self._factory = VirtualFactory(hardware)
        self.horizon = alarm.now()
        super().__init__(hardware.wiring, self._factory, alarm, lambda: hardware.undervoltage)
        self.screen = self.buzzer = self

    def wait(self, until: Instant | None) -> Sequence[Event]:
        events = super().wait(self.horizon if until is None else min(until, self.horizon))
        for event in events:
            self._observer.saw(event)
        return events

    def show(self, view: View) -> None:
        self._screen.show(view)
        self._observer.showed(view)

    def play(self, sound: Sound, volume: int) -> None:
        self._buzzer.play(sound, volume)
        self._observer.heard(sound)

    def cut_power(self) -> None:
        """Cut the power of the chips, and clear the packages' state of the pins."""
        self.close()
        self._factory.close()
        LocalPiFactory.pins.clear()
        GPIO.setwarnings(False)
        GPIO.cleanup()
        self._hardware.power_cycle()
