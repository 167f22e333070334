"""The real board, watched: what the drivers report and are told is told to a stand as well.

Imported only when the stand-ins are plugged in, for this loads the Pi's packages.
"""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

import RPi.GPIO as GPIO
from gpiozero.pins.local import LocalPiFactory

from hal.events import Event, Instant
from hal.parts import Buzzer, Screen
from hal.pi.board import PiBoard
from hal.pi.gpio import factory_class
from hal.sounds import Sound
from hal.view import View
from hal.wiring import Wiring
from sim.virtual import NANO, REVISION, Hardware, VirtualAlarm


class Witness(Protocol):
    """Who is told."""

    def saw(self, event: Event) -> None: ...

    def showed(self, view: View) -> None: ...

    def heard(self, sound: Sound) -> None: ...


class VirtualFactory(factory_class()):  # type: ignore[misc]  # gpiozero has no types
    """gpiozero's own factory; only the board's revision and the time come from no kernel."""

    def __init__(self, hardware: Hardware) -> None:
        self._world = hardware.world
        super().__init__()

    def _get_revision(self) -> int:
        return int(REVISION, base=16)

    def ticks(self) -> float:
        """Seconds; gpiozero stamps an edge with it when the library did not."""
        return self._world.now / NANO


def board_on(hardware: Hardware, alarm: VirtualAlarm, wiring: Wiring) -> PiBoard:
    """The real board, with the wiring that it believes in."""
    return PiBoard(wiring, VirtualFactory(hardware), alarm, lambda: hardware.undervoltage)


class WatchedScreen(NamedTuple):
    """A screen that tells what it shows."""

    real: Screen
    witness: Witness

    def show(self, view: View) -> None:
        self.real.show(view)
        self.witness.showed(view)


class WatchedBuzzer(NamedTuple):
    """A buzzer that tells what it plays."""

    real: Buzzer
    witness: Witness

    def play(self, sound: Sound, volume: int) -> None:
        self.real.play(sound, volume)
        self.witness.heard(sound)


class WatchedBoard(PiBoard):
    """A PiBoard in virtual time, which runs no further than the horizon."""

    def __init__(self, hardware: Hardware, alarm: VirtualAlarm, witness: Witness) -> None:
        self._hardware = hardware
        self._witness = witness
        self._factory = VirtualFactory(hardware)
        self.horizon = alarm.now()
        super().__init__(hardware.wiring, self._factory, alarm, lambda: hardware.undervoltage)

    def wait(self, until: Instant | None) -> Sequence[Event]:
        events = super().wait(self.horizon if until is None else min(until, self.horizon))
        for event in events:
            self._witness.saw(event)
        return events

    @property
    def screen(self) -> Screen:
        return WatchedScreen(super().screen, self._witness)

    @property
    def buzzer(self) -> Buzzer:
        return WatchedBuzzer(super().buzzer, self._witness)

    def cut_power(self) -> None:
        """The chips lose their power, and the packages what they remember of the pins."""
        self.close()
        self._factory.close()
        LocalPiFactory.pins.clear()
        GPIO.setwarnings(False)
        GPIO.cleanup()
        self._hardware.power_cycle()
