"""The 4×4 keypad, through gpiozero.

At rest every column is driven low and nothing is scanned: a key pulls its row low, and
that edge ends the loop's wait. While a key is down the matrix is scanned every 10 ms,
one column driven at a time. The others float meanwhile: driven high, they would be
shorted to the low one by two keys in a row.

Wiring: rows on GPIO 5, 6, 13, 19 (pins 29, 31, 33, 35), columns on GPIO 12, 16, 20, 21
(pins 32, 36, 38, 40). The rows use the Pi's own pull-ups; no other part is needed.
"""

import logging
from collections.abc import Sequence

from gpiozero import DigitalOutputDevice, InputDevice

from hal.events import MILLISECOND, Event, Instant
from hal.pi.alarm import Alarm
from hal.pi.debounce import Debounce
from hal.wiring import Wiring

log = logging.getLogger("tellerbox.keypad")

SCAN_EVERY = 10 * MILLISECOND
SCAN_WHEN_STUCK = 50 * MILLISECOND
"""While something lies on a key: its row gives no edge for the other three."""
SCAN_WHEN_BLIND = 15 * MILLISECOND
"""Where the GPIO library gives no edges."""


class MatrixKeypad:
    """The keypad. Its edges interrupt the alarm, from whatever thread the library has."""

    def __init__(self, wiring: Wiring, factory: object, alarm: Alarm) -> None:
        self._alarm = alarm
        self._edge_at: Instant | None = alarm.now()
        self._scanning = False
        self._debounce = Debounce()
        self._due: Instant | None = None
        self._rows = [
            # Not a DigitalInputDevice: that one insists on edges.
            InputDevice(pin, pull_up=True, pin_factory=factory)
            for pin in wiring.rows
        ]
        self._columns = [
            DigitalOutputDevice(pin, initial_value=False, pin_factory=factory)
            for pin in wiring.columns
        ]
        self.blind = not self._listen()
        """Whether the keypad has to be scanned all the time, for want of edges."""

    def _listen(self) -> bool:
        """Ask for edges; False where the library cannot give them."""
        try:
            for row in self._rows:
                row.pin.edges = "both"
                row.pin.when_changed = self._edge
        except Exception as error:  # each library has exceptions of its own for this
            log.warning("no edges from the GPIO library (%s); the keypad is scanned", error)
            return False
        return True

    def _edge(self, ticks: float, _state: object) -> None:
        """The finger's own time counts, not that of the loop, which may be busy."""
        if self._scanning:
            return
        if self._edge_at is None:
            self._edge_at = self._alarm.instant_of(ticks)
        self._alarm.interrupt()

    @property
    def due(self) -> Instant | None:
        """When the keypad next wants to be visited; None: at the next edge."""
        return self._due

    def poll(self) -> Sequence[Event]:
        now = self._alarm.now()
        fallen_due = self._due is not None and now >= self._due
        if self._edge_at is None and not fallen_due:
            return ()
        at, self._edge_at = self._edge_at or now, None
        stuck_before = self._debounce.stuck
        events = self._debounce.take_in(self._closed(), at, now)
        for key in self._debounce.stuck - stuck_before:
            log.warning("key %s is stuck", key.value)
        pause = self._pause()
        self._due = None if pause is None else Instant(now + pause)
        return events

    def _pause(self) -> int | None:
        """How long the keypad may be left alone; None: until the next edge."""
        if self._debounce.quiet:
            return SCAN_WHEN_BLIND if self.blind else None
        if self._debounce.only_stuck and not self.blind:
            return SCAN_WHEN_STUCK
        return SCAN_EVERY

    def _closed(self) -> frozenset[tuple[int, int]]:
        """Which contacts are closed, by row and column."""
        if self._debounce.quiet and not any(row.value for row in self._rows):
            return frozenset()
        self._scanning = True
        closed = set()
        for driven, column in enumerate(self._columns):
            for other in self._columns:
                if other is not column:
                    other.pin.function = "input"
            column.pin.function = "output"
            column.off()
            closed |= {(row, driven) for row, line in enumerate(self._rows) if line.value}
        for column in self._columns:
            column.pin.function = "output"
            column.off()
        self._scanning = False
        return frozenset(closed)

    def close(self) -> None:
        for device in (*self._rows, *self._columns):
            device.close()
