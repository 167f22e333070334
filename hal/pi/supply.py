"""Detects undervoltage of the Pi's supply.

The Pi's firmware detects when the 5 V fall below about 4.63 V. The kernel's driver
``rpi_volt`` polls it every two seconds and provides the result in a file. The file is read
when the loop is awake for another reason.

Tests: tests/drivers/test_supply.py.
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

READ_EVERY = 2 * SECOND
"""As often as the kernel updates the file."""
GOOD_AFTER = 10 * SECOND
"""So that repeated short dips do not make the message flicker."""

Gauge = Callable[[], bool]
"""Returns whether the voltage was too low at the last measurement."""


def gauge(root: Path = Path("/")) -> Gauge | None:
    """Find the gauge of this machine; None if it has none."""
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
    """Reports when the voltage gets low, and when it has been good for a while."""

    def __init__(self, is_low: Gauge | None, clock: Clock) -> None:
        self._is_low = is_low
        self._clock = clock
        self._read_at = Instant(0)
        self._low_at: Instant | None = None

    def poll(self) -> Sequence[Event]:
        now = self._clock.now()
        if self._is_low is None or now < self._read_at:
            return ()
        self._read_at = Instant(now + READ_EVERY)
        if self._is_low():
            was_low, self._low_at = self._low_at is not None, now
            if was_low:
                return ()
            log.warning("the supply is too weak: the kernel reports undervoltage")
            return (PowerLow(now),)
        if self._low_at is not None and now >= self._low_at + GOOD_AFTER:
            self._low_at = None
            log.info("the supply is good again")
            return (PowerGood(now),)
        return ()
