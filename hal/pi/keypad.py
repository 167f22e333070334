"""The 4×4 keypad, through gpiozero.

At rest every column is driven low and nothing is scanned: a key pulls its row low, and
that edge ends the loop's wait. While a key is down the matrix is scanned every 10 ms, one
column at a time. The other columns float: driven high, two keys in a row would short them
to the low one. A scan causes edges, too; they arrive after it, and are recognised by their
timestamp.

When a pin fails, the scan is retried. The keys keep their state for a second, then they
count as released.

Wiring: rows on GPIO 5, 6, 13, 19 (pins 29, 31, 33, 35), columns on GPIO 12, 16, 20, 21
(pins 32, 36, 38, 40). The rows use the Pi's own pull-ups; no other part is needed.

Tests: tests/drivers/test_keypad.py.
"""

import logging
from collections.abc import Sequence

from gpiozero import DigitalOutputDevice, InputDevice

from hal.events import MILLISECOND, SECOND, Event, Instant, Key
from hal.pi.alarm import Alarm
from hal.pi.debounce import LOCK, Debounce
from hal.pi.gpio import has_kernel_timestamps
from hal.pi.hardware_errors import HARDWARE_ERRORS, claiming, release
from hal.wiring import Part, Wire, Wiring

log = logging.getLogger("tellerbox.keypad")

SCAN_EVERY = 10 * MILLISECOND
SCAN_WHEN_STUCK = 50 * MILLISECOND
"""A stuck key suppresses the edges of the other three keys in its row."""
TIMESTAMP_DELAY = 2 * MILLISECOND
"""How late the timestamp of an edge may be if it is not the kernel's."""
SCAN_WITHOUT_EDGES = 15 * MILLISECOND
UNREADABLE_TIMEOUT = 1 * SECOND
"""A C that is released after this time is neither a short nor a long one."""


class MatrixKeypad:
    """The keypad. Its edges interrupt the alarm, from a thread of the GPIO library."""

    def __init__(self, wiring: Wiring, factory: object, alarm: Alarm) -> None:
        self._alarm = alarm
        self._edge_at: Instant | None = alarm.now()
        """The first edge of the latest movement, until the next scan."""
        self._last_edge = alarm.now()
        self._movement_at: Instant | None = None
        """The first edge of a movement that has not caused an event yet."""
        self._scanning = False
        """Whether the columns are in use; after a failed scan, until one succeeds."""
        self._unreadable_since: Instant | None = None
        self._ignore_edges_until = Instant(-1)
        """Edges up to this instant were caused by the scan."""
        self._timestamp_delay = 0 if has_kernel_timestamps(factory) else TIMESTAMP_DELAY
        self._row_low = False
        self._debounce = Debounce()
        self.due: Instant | None = None
        """When to poll next; None: at the next edge."""
        wires = wiring.wires_of(Part.KEYPAD)
        self._rows = [_row(wire, factory) for wire in wires if wire.pad.startswith("R")]
        self._columns = [_column(wire, factory) for wire in wires if wire.pad.startswith("C")]
        self.has_edges = self._request_edges()
        """Whether edges report keys; otherwise the keypad is scanned all the time."""
        if not self.has_edges:
            # The failed request may have freed the pin and its pull-up.
            for row, wire in zip(self._rows, wires, strict=False):
                with claiming(wire):
                    row.pin.pull = "up"

    def _request_edges(self) -> bool:
        """Request edges; False if the library has none."""
        try:
            for row in self._rows:
                row.pin.edges = "both"
                row.pin.when_changed = self._on_edge
        except HARDWARE_ERRORS as error:
            log.warning("no edges from the GPIO library (%s); the keypad is scanned", error)
            return False
        return True

    def _on_edge(self, ticks: float, _state: object) -> None:
        """Note the time of an edge: the loop may be busy and come later."""
        at = self._alarm.instant_of(ticks)
        if self._scanning or at <= self._ignore_edges_until:
            return
        if self._edge_at is None or at - self._last_edge > LOCK:
            # A new movement; the loop missed an earlier one.
            self._edge_at = at
        self._last_edge = at
        self._alarm.interrupt()

    @property
    def stuck(self) -> frozenset[Key]:
        """The keys that are down although none is pressed."""
        return self._debounce.stuck

    def poll(self) -> Sequence[Event]:
        now = self._alarm.now()
        due = self.due is not None and now >= self.due
        if self._edge_at is None and not due:
            return ()
        edge, self._edge_at = self._edge_at, None
        stuck_before = self._debounce.stuck
        try:
            closed = self._scan()
        except HARDWARE_ERRORS as error:
            return self._scan_failed(edge, error)
        if self._unreadable_since is not None:
            log.info("the keypad can be read again")
        self._unreadable_since = None
        # Without an edge, the change happened during the scan: its end is the safe time.
        seen = self._alarm.now()
        at = self._movement_start(edge or seen)
        events = self._debounce.update(closed, at, seen)
        if events:
            self._movement_at = None
        elif edge:
            self._movement_at = at
        for key in self._debounce.stuck - stuck_before:
            log.warning("key %s is stuck", key.value)
        pause = self._pause()
        self.due = None if pause is None else Instant(now + pause)
        if self.due is None:
            # At rest no scan follows to find a key whose edge would be ignored.
            self._ignore_edges_until = Instant(self._ignore_edges_until - self._timestamp_delay)
        return events

    def _scan_failed(self, edge: Instant | None, error: Exception) -> Sequence[Event]:
        """Handle a failed scan: schedule a retry, and release the keys after the timeout."""
        now = self._alarm.now()
        if edge:
            self._movement_at = self._movement_start(edge)
        self.due = Instant(now + SCAN_EVERY)
        if self._unreadable_since is None:
            self._unreadable_since = now
            log.warning("the keypad cannot be read: %s", error)
        if now - self._unreadable_since < UNREADABLE_TIMEOUT:
            return ()
        return self._debounce.release_all(now)

    def _movement_start(self, moment: Instant) -> Instant:
        """When the movement began: the contact may have bounced back before an earlier scan."""
        start = self._movement_at
        return start if start is not None and moment - start <= LOCK else moment

    def _pause(self) -> int | None:
        """Microseconds until the next scan; None: until the next edge."""
        if self._debounce.quiet and not self._row_low:
            return None if self.has_edges else SCAN_WITHOUT_EDGES
        if self._debounce.only_stuck and self.has_edges:
            return SCAN_WHEN_STUCK
        return SCAN_EVERY

    def _scan(self) -> frozenset[tuple[int, int]]:
        """Scan the matrix: the closed contacts, by row and column."""
        self._row_low = any(row.value for row in self._rows)
        if self._debounce.quiet and not self._row_low and not self._scanning:
            return frozenset()
        self._scanning = True
        closed = set()
        for column in self._columns:
            column.pin.function = "input"
        for driven, column in enumerate(self._columns):
            # An output that was never set high is low.
            column.pin.function = "output"
            closed |= {(row, driven) for row, line in enumerate(self._rows) if line.value}
            column.pin.function = "input"
        for column in self._columns:
            column.pin.function = "output"
        self._ignore_edges_until = Instant(self._alarm.now() + self._timestamp_delay)
        self._scanning = False
        # A key that closed during the scan gets no further edge.
        self._row_low = any(row.value for row in self._rows)
        return frozenset(closed)

    def close(self) -> None:
        for device in (*self._rows, *self._columns):
            release(device)


def _row(wire: Wire, factory: object) -> InputDevice:
    with claiming(wire):
        # Not a DigitalInputDevice, which requires edges.
        return InputDevice(wire.gpio, pull_up=True, pin_factory=factory)


def _column(wire: Wire, factory: object) -> DigitalOutputDevice:
    with claiming(wire):
        return DigitalOutputDevice(wire.gpio, initial_value=False, pin_factory=factory)
