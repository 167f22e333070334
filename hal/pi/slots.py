"""The two card slots, scanned in turn with one field on at a time.

Awake, each slot is scanned every 50 ms. A scan takes two polls: the first switches the field
on; the second, 5 ms later, when the cards are ready, scans and switches the field off. Asleep,
both slots are scanned in one poll every 400 ms, and the chips are powered down in between.

A reader that does not answer is reset at once: a spark may have disturbed the chip. A card in
it stays in. If the reset does not help, the reader is lost, and retried every second, while the
other slot goes on working.

Tests: tests/drivers/test_slots.py.
"""

import logging
from collections.abc import Callable, Sequence

from hal.events import MILLISECOND, SECOND, Event, Instant, ReaderBack, ReaderLost, Slot
from hal.parts import Clock
from hal.pi.hardware_errors import HARDWARE_ERRORS
from hal.pi.presence import Presence
from hal.pi.readers.card_reader import Card, CardReader, ScanResult

log = logging.getLogger("tellerbox.slots")

SCAN_INTERVAL = 50 * MILLISECOND
SCAN_INTERVAL_ASLEEP = 400 * MILLISECOND
CARD_START_TIME = 5 * MILLISECOND
RETRY_INTERVAL = 1 * SECOND
MAX_FAILED_SCANS = 3
"""In a row: then the reader is lost, even if it answers after each reset."""


class SlotDriver:
    """One slot: its reader, and the card in it."""

    def __init__(self, slot: Slot, open_reader: Callable[[], CardReader]) -> None:
        self._slot = slot
        self._open_reader = open_reader
        self._reader: CardReader | None = None
        self._presence = Presence(slot)
        self.ready = False
        """Whether the reader answers."""
        self._failed_scans = 0
        self._loss_reported = False
        self._retry_at = Instant(0)

    def field_on(self, now: Instant) -> Sequence[Event]:
        return self._use(now, lambda reader: reader.field_on())

    def scan(self, now: Instant) -> Sequence[Event]:
        """Scan for cards, and switch the field off."""
        return self._use(now, self._scan)

    def scan_asleep(self, now: Instant) -> Sequence[Event]:
        """Do a whole scan at once, from power-down to power-down."""
        return self._use(now, self._scan_from_power_down)

    def rest(self, now: Instant, asleep: bool) -> Sequence[Event]:
        return self._use(now, _power_down if asleep else lambda reader: reader.power_up())

    def revive(self, now: Instant) -> Sequence[Event]:
        """Retry a reader that is lost, or was not opened yet, if it is time."""
        if self.ready or now < self._retry_at:
            return ()
        if not self._reset():
            return self._lose(now)
        self.ready = True
        self._failed_scans = 0
        log.info("the %s reader answers", self._slot.value)
        events = (ReaderBack(now, self._slot),) if self._loss_reported else ()
        self._loss_reported = False
        return events

    def _reset(self) -> bool:
        """Open or reset the reader; True if it then answers."""
        try:
            self._reader = self._reader or self._open_reader()
            return self._reader.revive()
        except HARDWARE_ERRORS as error:
            log.debug("the %s reader: %s", self._slot.value, error)
            return False

    def _use(
        self, now: Instant, act: Callable[[CardReader], Card | ScanResult | None]
    ) -> Sequence[Event]:
        """Call the reader; if that fails, reset or lose it."""
        if not self.ready or self._reader is None:
            return ()
        try:
            found = act(self._reader)
        except HARDWARE_ERRORS as error:
            log.warning("the %s reader: %s", self._slot.value, error)
            found = ScanResult.NO_READER
        if found is ScanResult.NO_READER:
            return self._fail(now)
        if found is None:
            return ()
        self._failed_scans = 0
        return self._presence.take_in(found, now)

    def _fail(self, now: Instant) -> Sequence[Event]:
        self._failed_scans += 1
        if self._failed_scans < MAX_FAILED_SCANS and self._reset():
            log.warning("the %s reader had to be reset", self._slot.value)
            return ()
        return self._lose(now)

    def _scan(self, reader: CardReader) -> Card | ScanResult:
        found = reader.scan(self._presence.uid)
        reader.field_off()
        return found

    def _scan_from_power_down(self, reader: CardReader) -> Card | ScanResult:
        reader.power_up()
        reader.field_on()
        reader.await_cards()
        found = self._scan(reader)
        reader.power_down()
        return found

    def _lose(self, now: Instant) -> Sequence[Event]:
        """Report the loss once; it implies that a card in the slot is out."""
        self.ready = False
        self._retry_at = Instant(now + RETRY_INTERVAL)
        self._presence = Presence(self._slot)
        if self._loss_reported:
            return ()
        self._loss_reported = True
        log.warning("the %s reader does not answer", self._slot.value)
        return (ReaderLost(now, self._slot),)


def _power_down(reader: CardReader) -> None:
    # Otherwise a field that is on would come back with the power.
    reader.field_off()
    reader.power_down()


class Slots:
    """Both slots."""

    def __init__(self, readers: dict[Slot, Callable[[], CardReader]], clock: Clock) -> None:
        self._clock = clock
        self._drivers = [SlotDriver(slot, readers[slot]) for slot in Slot]
        self._round_start = Instant(0)
        self._powered: SlotDriver | None = None
        """The slot whose field is on."""
        self._waiting: list[SlotDriver] = []
        """The slots that are not scanned yet in this round."""
        self._asleep = False
        self.due = Instant(0)
        """When to poll next."""

    def ready(self) -> dict[Slot, bool]:
        """Which readers answer."""
        return {slot: driver.ready for slot, driver in zip(Slot, self._drivers, strict=True)}

    def rest(self, asleep: bool) -> Sequence[Event]:
        """Fall asleep, or wake up."""
        if asleep == self._asleep:
            return ()
        now = self._clock.now()
        self._asleep = asleep
        self._powered = None
        self._waiting = []
        self.due = Instant(now + SCAN_INTERVAL_ASLEEP) if asleep else now
        return [event for driver in self._drivers for event in driver.rest(now, asleep)]

    def poll(self) -> Sequence[Event]:
        """Do what is due, and return the events."""
        now = self._clock.now()
        if now < self.due:
            return ()
        if self._asleep:
            return self._round_asleep(now)
        events: list[Event] = []
        if self._powered:
            events += self._powered.scan(now)
            self._powered = None
        elif not self._waiting:
            self._round_start = now
            for driver in self._drivers:
                events += driver.revive(now)
            self._waiting = [driver for driver in self._drivers if driver.ready]
        events += self._power_next(now)
        return events

    def _power_next(self, now: Instant) -> Sequence[Event]:
        if not self._waiting:
            self.due = Instant(self._round_start + SCAN_INTERVAL)
            return ()
        self._powered = self._waiting.pop(0)
        events = self._powered.field_on(now)
        # Not from the start of this poll: a scan before took some time.
        self.due = Instant(self._clock.now() + CARD_START_TIME)
        return events

    def _round_asleep(self, now: Instant) -> Sequence[Event]:
        self.due = Instant(now + SCAN_INTERVAL_ASLEEP)
        return [
            event
            for driver in self._drivers
            for event in (*driver.revive(now), *driver.scan_asleep(now))
        ]
