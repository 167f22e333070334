"""The passive buzzer, through gpiozero's PWM.

The volume is the duty cycle: 50 % is the loudest, shorter pulses are softer. The loop polls
the driver, which plays a melody note by note; a new melody replaces the old one.

The library makes the wave in a thread that wakes for every period, even at duty 0. So
between melodies the frequency is low, and while the box sleeps the PWM is off. It is not
switched off after each melody because the thread starts slowly: a click would be over.

A note that fails is skipped; silencing the buzzer is retried until it succeeds.

Wiring: GPIO 18 (pin 12) through 220 Ω to the buzzer, the other leg to GND (pin 14).

Tests: tests/drivers/test_buzzer.py.
"""

import logging

from gpiozero import PWMOutputDevice

from hal.display.sounds import MELODIES, REST, Sound
from hal.events import MILLISECOND, Instant
from hal.parts import Clock
from hal.pi.hardware_errors import HARDWARE_ERRORS, claiming, release
from hal.wiring import Part, Wiring

log = logging.getLogger("tellerbox.buzzer")

DUTY = (0.0, 0.02, 0.10, 0.50)
"""By volume, 0 to 3, in perceptually even steps."""

IDLE_FREQUENCY = 50
RETRY_EVERY = 100 * MILLISECOND


class PwmBuzzer:
    """The buzzer. Plays one melody at a time."""

    def __init__(self, wiring: Wiring, factory: object, clock: Clock) -> None:
        self._clock = clock
        with claiming(wiring.wire(Part.BUZZER, "+")):
            self._device = PWMOutputDevice(
                wiring.buzzer, frequency=IDLE_FREQUENCY, pin_factory=factory
            )
        self._notes: list[tuple[int, int]] = []
        self._duty = DUTY[0]
        self._asleep = False
        self._warned = False
        self.due: Instant | None = None
        """When the next note starts; None while no melody plays."""

    def play(self, sound: Sound, volume: int) -> None:
        self._duty = DUTY[volume]
        self._notes = list(MELODIES[sound])
        self.due = self._clock.now()
        self.poll()

    def poll(self) -> None:
        """Play the notes that are due."""
        now = self._clock.now()
        while self.due is not None and now >= self.due:
            if not self._notes:
                self._silence()
                return
            pitch, length = self._notes.pop(0)
            self._start_note(pitch)
            self.due = Instant(self.due + length * MILLISECOND)

    def _start_note(self, pitch: int) -> None:
        try:
            if pitch != REST:
                self._device.frequency = pitch
            self._device.value = 0 if pitch == REST else self._duty
        except HARDWARE_ERRORS as error:
            self._warn(error)

    def rest(self, asleep: bool) -> None:
        if asleep == self._asleep:
            return
        self._asleep = asleep
        if self.due is None:
            self._silence()

    def _silence(self) -> None:
        try:
            self._device.value = 0
            self._device.frequency = None if self._asleep else IDLE_FREQUENCY
        except HARDWARE_ERRORS as error:
            self._warn(error)
            self.due = Instant(self._clock.now() + RETRY_EVERY)
        else:
            self.due = None
            self._warned = False

    def _warn(self, error: Exception) -> None:
        """Log the first failure since the buzzer last worked."""
        if not self._warned:
            log.warning("the buzzer failed: %s", error)
        self._warned = True

    def close(self) -> None:
        release(self._device)
