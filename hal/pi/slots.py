"""The two card slots: looks into one after the other, with one field on at a time.

Awake, each slot is looked into every 50 ms. A look takes two visits of the loop: the
field goes on, and 5 ms later, when a card listens, the cards are asked and the field
goes off. Asleep, both slots are looked into in one visit every 400 ms, and the chips
are powered down in between.

A reader that does not answer is reset and set up again at once, and a card in it is none
the wiser; a chip may have had a spark. If it stays silent it is lost, and tried again
every second. The other slot goes on meanwhile.
"""

import logging
from collections.abc import Callable, Sequence

from hal.events import MILLISECOND, SECOND, Event, Instant, ReaderBack, ReaderLost, Slot
from hal.parts import Clock
from hal.pi.look import Card, Seen
from hal.pi.presence import Presence
from hal.pi.reader import Reader
from hal.pi.trouble import TROUBLE

log = logging.getLogger("tellerbox.slots")

LOOK_EVERY = 50 * MILLISECOND
LOOK_EVERY_ASLEEP = 400 * MILLISECOND
CARDS_LISTEN_AFTER = 5 * MILLISECOND
TRY_AGAIN_EVERY = 1 * SECOND
FAILED_LOOKS = 3
"""In a row, each followed by a reset, before a reader that answers between them is lost."""


class SlotDriver:
    """One slot: its reader, and what is known of it."""

    def __init__(self, slot: Slot, open_reader: Callable[[], Reader]) -> None:
        self._slot = slot
        self._open_reader = open_reader
        self._reader: Reader | None = None
        self._presence = Presence(slot)
        self._lost = True
        self._failed_looks = 0
        self._told = False
        self._try_again_at: Instant | None = None

    @property
    def ready(self) -> bool:
        return not self._lost

    def warm_up(self, now: Instant) -> Sequence[Event]:
        """Give the cards power."""
        return self._use(now, lambda reader: reader.field_on())

    def look(self, now: Instant) -> Sequence[Event]:
        """Ask the cards, and switch the field off."""
        return self._use(now, self._look)

    def look_asleep(self, now: Instant) -> Sequence[Event]:
        """A whole look in one visit, from power-down to power-down."""
        return self._use(now, self._look_from_power_down)

    def rest(self, now: Instant, asleep: bool) -> Sequence[Event]:
        return self._use(now, self._lie_down if asleep else Reader.power_up)

    def revive(self, now: Instant) -> Sequence[Event]:
        """Try to bring back a reader that was lost, or was not there at the start."""
        if self.ready or (self._try_again_at is not None and now < self._try_again_at):
            return ()
        if not self._reset():
            return self._lose(now)
        self._lost = False
        self._failed_looks = 0
        log.info("the %s reader answers", self._slot.value)
        events = (ReaderBack(now, self._slot),) if self._told else ()
        self._told = False
        return events

    def _reset(self) -> bool:
        """True when the reader answers after it."""
        try:
            self._reader = self._reader or self._open_reader()
            return self._reader.revive()
        except TROUBLE as error:
            log.debug("the %s reader: %s", self._slot.value, error)
            return False

    def _use(self, now: Instant, act: Callable[[Reader], Card | Seen | None]) -> Sequence[Event]:
        """Do something with the reader; one that fails is reset, or lost."""
        if not self.ready or self._reader is None:
            return ()
        try:
            found = act(self._reader)
        except TROUBLE as error:
            log.warning("the %s reader: %s", self._slot.value, error)
            found = Seen.NO_READER
        if found is Seen.NO_READER:
            return self._fail(now)
        if found is None:
            return ()
        self._failed_looks = 0
        return self._presence.take_in(found, now)

    def _fail(self, now: Instant) -> Sequence[Event]:
        self._failed_looks += 1
        if self._failed_looks < FAILED_LOOKS and self._reset():
            log.warning("the %s reader had to be reset", self._slot.value)
            return ()
        return self._lose(now)

    def _lie_down(self, reader: Reader) -> None:
        """The field may be on, and would come back with the power."""
        reader.field_off()
        reader.power_down()

    def _look(self, reader: Reader) -> Card | Seen:
        found = reader.look(self._presence.uid)
        reader.field_off()
        return found

    def _look_from_power_down(self, reader: Reader) -> Card | Seen:
        reader.power_up()
        reader.field_on()
        reader.hold_for_cards()
        found = self._look(reader)
        reader.power_down()
        return found

    def _lose(self, now: Instant) -> Sequence[Event]:
        """Tell it once; a card that was in is as good as out."""
        self._lost = True
        self._try_again_at = Instant(now + TRY_AGAIN_EVERY)
        self._presence = Presence(self._slot)
        if self._told:
            return ()
        self._told = True
        log.warning("the %s reader does not answer", self._slot.value)
        return (ReaderLost(now, self._slot),)


class Slots:
    """Both slots, in turns."""

    def __init__(self, readers: dict[Slot, Callable[[], Reader]], clock: Clock) -> None:
        self._clock = clock
        self._drivers = [SlotDriver(slot, readers[slot]) for slot in Slot]
        self._round_began = Instant(0)
        self._warming: SlotDriver | None = None
        self._waiting: list[SlotDriver] = []
        self._asleep = False
        self.due = Instant(0)
        """When the slots next want to be visited."""

    def ready(self) -> dict[Slot, bool]:
        """Which readers answer."""
        return {slot: driver.ready for slot, driver in zip(Slot, self._drivers, strict=True)}

    def rest(self, asleep: bool) -> Sequence[Event]:
        """Fall asleep, or wake up."""
        if asleep == self._asleep:
            return ()
        now = self._clock.now()
        self._asleep = asleep
        self._warming = None
        self._waiting = []
        self.due = Instant(now + LOOK_EVERY_ASLEEP) if asleep else now
        return [event for driver in self._drivers for event in driver.rest(now, asleep)]

    def poll(self) -> Sequence[Event]:
        """One visit of the loop: what has come to light."""
        now = self._clock.now()
        if now < self.due:
            return ()
        if self._asleep:
            return self._round_asleep(now)
        events: list[Event] = []
        if self._warming:
            events += self._warming.look(now)
            self._warming = None
        elif not self._waiting:
            self._round_began = now
            for driver in self._drivers:
                events += driver.revive(now)
            self._waiting = [driver for driver in self._drivers if driver.ready]
        events += self._warm_next(now)
        return events

    def _warm_next(self, now: Instant) -> Sequence[Event]:
        if not self._waiting:
            self.due = Instant(self._round_began + LOOK_EVERY)
            return ()
        self._warming = self._waiting.pop(0)
        events = self._warming.warm_up(now)
        # From now, not from when the visit began: a look before it took its own time.
        self.due = Instant(self._clock.now() + CARDS_LISTEN_AFTER)
        return events

    def _round_asleep(self, now: Instant) -> Sequence[Event]:
        self.due = Instant(now + LOOK_EVERY_ASLEEP)
        return [
            event
            for driver in self._drivers
            for event in (*driver.revive(now), *driver.look_asleep(now))
        ]
