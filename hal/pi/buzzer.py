"""The passive buzzer, through gpiozero's PWM: melodies in time, volume by duty cycle.

A square wave of half the time on is the loudest; shorter pulses are softer. The melody
is played note by note as the loop comes by; a new one takes the place of the old.

Wiring: GPIO 18 (pin 12) through 220 Ω to the buzzer, the other leg to GND (pin 14).
"""

from gpiozero import PWMOutputDevice

from hal.events import MILLISECOND, Instant
from hal.parts import Clock
from hal.sounds import MELODIES, REST, Sound
from hal.wiring import Wiring

DUTY = (0.0, 0.02, 0.10, 0.50)
"""By volume, 0 to 3: each step is about as much louder to the ear."""


class PwmBuzzer:
    """Plays one melody at a time."""

    def __init__(self, wiring: Wiring, factory: object, clock: Clock) -> None:
        self._clock = clock
        self._device = PWMOutputDevice(wiring.buzzer, frequency=1000, pin_factory=factory)
        self._notes: list[tuple[int, int]] = []
        self._duty = DUTY[0]
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
                self._device.value = 0
                self.due = None
                return
            pitch, length = self._notes.pop(0)
            if pitch != REST:
                self._device.frequency = pitch
            self._device.value = 0 if pitch == REST else self._duty
            self.due = Instant(self.due + length * MILLISECOND)

    def close(self) -> None:
        self._device.close()
