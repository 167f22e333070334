"""The 4×4 keypad, through gpiozero.

At rest every column is driven low and nothing is scanned: a key pulls its row low, and
that edge ends the loop's wait. While a key is down the matrix is scanned every 10 ms,
one column driven at a time. The others float meanwhile: driven high, they would be
shorted to the low one by two keys in a row. A scan makes edges of its own; they arrive
when it is long over, and are told by the kernel's time stamp.

A pin that cannot be read or switched is tried again with the next scan; the keys stay as
they were meanwhile, for a second.

Wiring: rows on GPIO 5, 6, 13, 19 (pins 29, 31, 33, 35), columns on GPIO 12, 16, 20, 21
(pins 32, 36, 38, 40). The rows use the Pi's own pull-ups; no other part is needed.
"""

import logging
from collections.abc import Sequence

from gpiozero import DigitalOutputDevice, InputDevice

from hal.events import MILLISECOND, SECOND, Event, Instant, Key
from hal.pi.alarm import Alarm
from hal.pi.debounce import LOCK, Debounce
from hal.pi.gpio import stamps_by_kernel
from hal.pi.trouble import TROUBLE, claiming, let_go
from hal.wiring import Part, Wire, Wiring

log = logging.getLogger("tellerbox.keypad")

SCAN_EVERY = 10 * MILLISECOND
SCAN_WHEN_STUCK = 50 * MILLISECOND
"""While something lies on a key: its row gives no edge for the other three."""
ECHO = 2 * MILLISECOND
"""How late an edge may be stamped by a library that does not ask the kernel for its time."""
SCAN_WHEN_BLIND = 15 * MILLISECOND
"""Where the GPIO library gives no edges."""
OUT_OF_SIGHT = 1 * SECOND
"""After which a key that cannot be read counts as let go: a C is neither short then nor long."""


class MatrixKeypad:
    """The keypad. Its edges interrupt the alarm, from whatever thread the library has."""

    def __init__(self, wiring: Wiring, factory: object, alarm: Alarm) -> None:
        self._alarm = alarm
        self._edge_at: Instant | None = alarm.now()
        """The first edge of the latest movement, until it is looked at."""
        self._last_edge = alarm.now()
        self._touched_at: Instant | None = None
        """The first edge of a movement that has not been understood yet."""
        self._scanning = False
        """Whether columns are switched; a scan that broke off lasts until the next one is whole."""
        self._unread_since: Instant | None = None
        self._deaf_until = Instant(-1)
        """Edges up to this instant are the scan's own, which come late."""
        self._echo = 0 if stamps_by_kernel(factory) else ECHO
        self._still_low = False
        self._debounce = Debounce()
        self._due: Instant | None = None
        wires = wiring.wires_of(Part.KEYPAD)
        self._rows = [_row(wire, factory) for wire in wires if wire.pad.startswith("R")]
        self._columns = [_column(wire, factory) for wire in wires if wire.pad.startswith("C")]
        self.blind = not self._listen()
        """Whether the keypad has to be scanned all the time, for want of edges."""
        if self.blind:
            # Whoever refused them may have let go of the pin, and of its pull-up.
            for row, wire in zip(self._rows, wires, strict=False):
                with claiming(wire):
                    row.pin.pull = "up"

    def _listen(self) -> bool:
        """Ask for edges; False where the library cannot give them."""
        try:
            for row in self._rows:
                row.pin.edges = "both"
                row.pin.when_changed = self._edge
        except TROUBLE as error:
            log.warning("no edges from the GPIO library (%s); the keypad is scanned", error)
            return False
        return True

    def _edge(self, ticks: float, _state: object) -> None:
        """The finger's own time counts, not that of the loop, which may be busy."""
        at = self._alarm.instant_of(ticks)
        if self._scanning or at <= self._deaf_until:
            return
        if self._edge_at is None or at - self._last_edge > LOCK:
            # A new movement: what a busy loop has missed before it is over.
            self._edge_at = at
        self._last_edge = at
        self._alarm.interrupt()

    @property
    def stuck(self) -> frozenset[Key]:
        return self._debounce.stuck

    @property
    def due(self) -> Instant | None:
        """When the keypad next wants to be visited; None: at the next edge."""
        return self._due

    def poll(self) -> Sequence[Event]:
        now = self._alarm.now()
        fallen_due = self._due is not None and now >= self._due
        if self._edge_at is None and not fallen_due:
            return ()
        edge, self._edge_at = self._edge_at, None
        stuck_before = self._debounce.stuck
        try:
            closed = self._closed()
        except TROUBLE as error:
            return self._out_of_sight(edge, error)
        self._in_sight()
        # What a scan finds without an edge happened before its end, and not before its start.
        seen = self._alarm.now()
        at = self._first_touch(edge or seen)
        events = self._debounce.take_in(closed, at, seen)
        if events:
            self._touched_at = None
        elif edge:
            self._touched_at = at
        for key in self._debounce.stuck - stuck_before:
            log.warning("key %s is stuck", key.value)
        pause = self._pause()
        self._due = None if pause is None else Instant(now + pause)
        if self._due is None:
            # At rest no scan follows to find what an edge told too early.
            self._deaf_until = Instant(self._deaf_until - self._echo)
        return events

    def _out_of_sight(self, edge: Instant | None, error: Exception) -> Sequence[Event]:
        """The pins could not be read: nothing is known of the keys, and they are read again."""
        now = self._alarm.now()
        if edge:
            self._touched_at = self._first_touch(edge)
        self._due = Instant(now + SCAN_EVERY)
        if self._unread_since is None:
            self._unread_since = now
            log.warning("the keypad cannot be read: %s", error)
        return self._debounce.lose_sight(now) if now - self._unread_since >= OUT_OF_SIGHT else ()

    def _in_sight(self) -> None:
        if self._unread_since is not None:
            log.info("the keypad can be read again")
        self._unread_since = None

    def _first_touch(self, moment: Instant) -> Instant:
        """When the finger moved: a contact that bounces may be back again when it is looked at."""
        touched = self._touched_at
        return touched if touched is not None and moment - touched <= LOCK else moment

    def _pause(self) -> int | None:
        """How long the keypad may be left alone; None: until the next edge."""
        if self._debounce.quiet and not self._still_low:
            return SCAN_WHEN_BLIND if self.blind else None
        if self._debounce.only_stuck and not self.blind:
            return SCAN_WHEN_STUCK
        return SCAN_EVERY

    def _closed(self) -> frozenset[tuple[int, int]]:
        """Which contacts are closed, by row and column."""
        self._still_low = any(row.value for row in self._rows)
        if self._debounce.quiet and not self._still_low and not self._scanning:
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
        self._deaf_until = Instant(self._alarm.now() + self._echo)
        self._scanning = False
        # A key that closed behind the scan's back has made its edge already.
        self._still_low = any(row.value for row in self._rows)
        return frozenset(closed)

    def close(self) -> None:
        for device in (*self._rows, *self._columns):
            let_go(device)


def _row(wire: Wire, factory: object) -> InputDevice:
    with claiming(wire):
        # Not a DigitalInputDevice: that one insists on edges.
        return InputDevice(wire.gpio, pull_up=True, pin_factory=factory)


def _column(wire: Wire, factory: object) -> DigitalOutputDevice:
    with claiming(wire):
        return DigitalOutputDevice(wire.gpio, initial_value=False, pin_factory=factory)
