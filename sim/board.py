"""The software board: slots, keypad, screen and buzzer without any hardware."""

from collections.abc import Callable, Sequence

from hal.events import CardIn, CardOut, Event, Instant, Key, KeyDown, KeyUp, Slot
from hal.sounds import Sound
from hal.view import View
from sim.clocks import SimClock
from sim.trace import Happening, Watcher, ignore


class SimSlot:
    """A slot that a script puts cards into."""

    def __init__(self, slot: Slot, clock: SimClock) -> None:
        self._slot = slot
        self._clock = clock
        self._reported: bytes | None = None
        self.card: bytes | None = None

    @property
    def pending(self) -> bool:
        return self.card != self._reported

    def poll(self) -> Sequence[Event]:
        if not self.pending:
            return ()
        self._reported = self.card
        now = self._clock.now()
        if self.card is None:
            return (CardOut(now, self._slot),)
        return (CardIn(now, self._slot, self.card),)

    def restart(self) -> None:
        """After a power cut the reader knows nothing of the card that is in."""
        self._reported = None


class SimKeypad:
    """Keys that a script presses."""

    def __init__(self, clock: SimClock) -> None:
        self._clock = clock
        self._events: list[Event] = []

    def press(self, key: Key) -> None:
        self._events.append(KeyDown(self._clock.now(), key))

    def let_go(self, key: Key) -> None:
        self._events.append(KeyUp(self._clock.now(), key))

    @property
    def pending(self) -> bool:
        return bool(self._events)

    def poll(self) -> Sequence[Event]:
        events, self._events = self._events, []
        return events


class SimScreen:
    """A screen that remembers what it shows."""

    def __init__(self, note: Callable[[View], None]) -> None:
        self._note = note
        self.view: View | None = None

    def show(self, view: View) -> None:
        self.view = view
        self._note(view)


class SimBuzzer:
    """A buzzer that remembers what it played."""

    def __init__(self, note: Callable[[Sound], None]) -> None:
        self._note = note
        self.played: list[Sound] = []

    def play(self, sound: Sound, volume: int) -> None:
        """Remember it whatever the volume: scripts hear a silent box too."""
        del volume
        self.played.append(sound)
        self._note(sound)


class SimBoard:
    """All the parts, on a clock that runs no further than the horizon."""

    def __init__(self, clock: SimClock, watch: Watcher = ignore) -> None:
        self._watch = watch
        self.clock = clock
        self.horizon = clock.now()
        self.slots = {slot: SimSlot(slot, clock) for slot in Slot}
        self.keypad = SimKeypad(clock)
        self._inputs: tuple[SimSlot | SimKeypad, ...] = (*self.slots.values(), self.keypad)
        self.screen = SimScreen(self.note)
        self.buzzer = SimBuzzer(self.note)

    def note(self, thing: Happening) -> None:
        """Tell whoever watches."""
        self._watch(self.clock.now(), thing)

    def idle(self, deadline: Instant | None) -> bool:
        """True when nothing is left to tell, and nothing falls due before the horizon."""
        if any(part.pending for part in self._inputs):
            return False
        return deadline is None or deadline > self.horizon

    def rest(self, asleep: bool) -> None:
        """Software needs no rest."""

    def wait(self, until: Instant | None) -> Sequence[Event]:
        """What has happened; if nothing has, let time pass instead."""
        events = [event for part in self._inputs for event in part.poll()]
        for event in events:
            self.note(event)
        if not events:
            self.clock.pass_until(self.horizon if until is None else min(until, self.horizon))
        return events
