"""The passive buzzer, through gpiozero's PWM: melodies in time, volume by duty cycle.

A square wave of half the time on is the loudest; shorter pulses are softer. The melody
is played note by note as the loop comes by; a new one takes the place of the old.

The library makes the wave in a thread that wakes for every period of it, silent or not.
So between melodies the wave is slow, and while the box sleeps there is none. It is not
stopped after each melody: the thread takes a while to start, and a click would be over.

A note that fails is left out, but silence is tried again until it comes.

Wiring: GPIO 18 (pin 12) through 220 Ω to the buzzer, the other leg to GND (pin 14).
"""

import logging

from gpiozero import PWMOutputDevice

from hal.events import MILLISECOND, Instant
from hal.parts import Clock
from hal.pi.trouble import TROUBLE, claiming, let_go
from hal.sounds import MELODIES, REST, Sound
from hal.wiring import Part, Wiring

log = logging.getLogger("tellerbox.buzzer")

DUTY = (0.0, 0.02, 0.10, 0.50)
"""By volume, 0 to 3: each step is about as much louder to the ear."""

IDLE_PITCH = 50
TRY_AGAIN_EVERY = 100 * MILLISECOND


class PwmBuzzer:
    """Plays one melody at a time."""

    def __init__(self, wiring: Wiring, factory: object, clock: Clock) -> None:
        self._clock = clock
        with claiming(wiring.wire(Part.BUZZER, "+")):
            self._device = PWMOutputDevice(wiring.buzzer, frequency=IDLE_PITCH, pin_factory=factory)
        self._notes: list[tuple[int, int]] = []
        self._duty = DUTY[0]
        self._asleep = False
        self._told = False
        self.due: Instant | None = None
        """When the next note begins; None while nothing plays."""

    def play(self, sound: Sound, volume: int) -> None:
        self._duty = DUTY[volume]
        self._notes = list(MELODIES[sound])
        self.due = self._clock.now()
        self.poll()

    def poll(self) -> None:
        """Go on to the note whose time has come."""
        now = self._clock.now()
        while self.due is not None and now >= self.due:
            if not self._notes:
                self._fall_silent()
                return
            pitch, length = self._notes.pop(0)
            self._sound(pitch)
            self.due = Instant(self.due + length * MILLISECOND)

    def _sound(self, pitch: int) -> None:
        try:
            if pitch != REST:
                self._device.frequency = pitch
            self._device.value = 0 if pitch == REST else self._duty
        except TROUBLE as error:
            self._complain(error)

    def rest(self, asleep: bool) -> None:
        if asleep == self._asleep:
            return
        self._asleep = asleep
        if self.due is None:
            self._fall_silent()

    def _fall_silent(self) -> None:
        try:
            self._device.value = 0
            self._device.frequency = None if self._asleep else IDLE_PITCH
        except TROUBLE as error:
            self._complain(error)
            self.due = Instant(self._clock.now() + TRY_AGAIN_EVERY)
        else:
            self.due = None
            self._told = False

    def _complain(self, error: Exception) -> None:
        """Once, until it obeys again."""
        if not self._told:
            log.warning("the buzzer does not obey: %s", error)
        self._told = True

    def close(self) -> None:
        let_go(self._device)
