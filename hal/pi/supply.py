"""The supply's voltage, as far as the kernel tells: whether it was too low just now.

The Pi's firmware notices when the 5 V fall below about 4.63 V, and the kernel's driver
``rpi_volt`` asks it every two seconds and keeps the answer in a file. That file is read in
passing, when the loop is awake anyway.
"""

import logging
from collections.abc import Callable, Sequence
from pathlib import Path

from hal.events import SECOND, Event, Instant, PowerGood, PowerLow
from hal.parts import Clock

log = logging.getLogger("tellerbox.supply")

SENSORS = "sys/class/hwmon"
DRIVER = "rpi_volt"
ALARM = "in0_lcrit_alarm"

ASK_EVERY = 2 * SECOND
"""The kernel does not know more often."""
GOOD_AFTER = 10 * SECOND
"""A supply that is only just too weak dips again and again; the message does not flicker."""

Gauge = Callable[[], bool]
"""Tells whether the voltage was too low lately."""


def gauge(root: Path = Path("/")) -> Gauge | None:
    """What this machine can tell of its supply; None when it is nothing."""
    for sensor in sorted((root / SENSORS).glob("hwmon*")):
        if _text(sensor / "name") == DRIVER and (sensor / ALARM).exists():
            return lambda: _text(sensor / ALARM) == "1"
    return None


def _text(file: Path) -> str:
    try:
        return file.read_text().strip()
    except OSError:
        return ""


class Supply:
    """Tells when the power gets low, and when it has been good for a while."""

    def __init__(self, is_low: Gauge | None, clock: Clock) -> None:
        self._is_low = is_low
        self._clock = clock
        self._ask_at = Instant(0)
        self._low_at: Instant | None = None

    def poll(self) -> Sequence[Event]:
        now = self._clock.now()
        if self._is_low is None or now < self._ask_at:
            return ()
        self._ask_at = Instant(now + ASK_EVERY)
        if self._is_low():
            was_low, self._low_at = self._low_at is not None, now
            return () if was_low else self._told_low(now)
        if self._low_at is not None and now >= self._low_at + GOOD_AFTER:
            self._low_at = None
            log.info("the supply is good again")
            return (PowerGood(now),)
        return ()

    def _told_low(self, now: Instant) -> Sequence[Event]:
        log.warning("the supply is too weak: the kernel reports undervoltage")
        return (PowerLow(now),)
