"""The software board: slots, keypad, screen and buzzer without any hardware."""

from collections.abc import Callable, Sequence

from hal.events import (
    CardIn,
    CardOut,
    Event,
    Instant,
    Key,
    KeyDown,
    KeyUp,
    ReaderBack,
    ReaderLost,
    Slot,
)
from hal.pi.debounce import STUCK_AFTER
from hal.sounds import Sound
from hal.view import View
from sim.clocks import SimClock
from sim.trace import Happening, Watcher, ignore


class SimSlot:
    """A slot that a script puts cards into; its reader may be dead."""

    def __init__(self, slot: Slot, clock: SimClock) -> None:
        self._slot = slot
        self._clock = clock
        self._reported: bytes | None = None
        self._told_dead = False
        self.card: bytes | None = None
        self.dead = False

    @property
    def pending(self) -> bool:
        return self.dead != self._told_dead or self._seen != self._reported

    @property
    def _seen(self) -> bytes | None:
        return None if self.dead else self.card

    def poll(self) -> Sequence[Event]:
        """A reader that is lost takes its card with it, and brings it back (D6)."""
        now = self._clock.now()
        if self.dead != self._told_dead:
            self._told_dead = self.dead
            self._reported = None
            event = ReaderLost if self.dead else ReaderBack
            return (event(now, self._slot),)
        if self._seen == self._reported:
            return ()
        self._reported = self._seen
        if self._reported is None:
            return (CardOut(now, self._slot),)
        return (CardIn(now, self._slot, self._reported),)

    def restart(self) -> None:
        """After a power cut the reader knows nothing of the card that is in."""
        self._reported = None
        self._told_dead = False


class SimKeypad:
    """Keys that a script presses; one may be stuck."""

    def __init__(self, clock: SimClock) -> None:
        self._clock = clock
        self._events: list[Event] = []
        self._stuck: Key | None = None
        self.due: Instant | None = None
        """When the key that is stuck counts as let go, as it does for the real keypad."""

    def press(self, key: Key) -> None:
        if key is not self._stuck:
            self._events.append(KeyDown(self._clock.now(), key))

    def let_go(self, key: Key) -> None:
        if key is not self._stuck:
            self._events.append(KeyUp(self._clock.now(), key))

    def stick(self, key: Key) -> None:
        self.press(key)
        self._stuck = key
        self.due = Instant(self._clock.now() + STUCK_AFTER)

    def unstick(self) -> None:
        """It is let go, unless it counted so already."""
        stuck, self._stuck = self._stuck, None
        if stuck and self.due is not None:
            self.let_go(stuck)
        self.due = None

    @property
    def pending(self) -> bool:
        return bool(self._events)

    def poll(self) -> Sequence[Event]:
        events, self._events = self._events, []
        if self._stuck and self.due is not None and self.due <= self._clock.now():
            events.append(KeyUp(self.due, self._stuck))
            self.due = None
        return events

    def restart(self) -> None:
        """What was pressed without power is lost; a key that is down already does nothing."""
        self._events.clear()
        self.due = None


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
        self._inputs: tuple[SimSlot | SimKeypad, ...] = (self.keypad, *self.slots.values())
        self.screen = SimScreen(self.note)
        self.buzzer = SimBuzzer(self.note)

    def note(self, thing: Happening) -> None:
        """Tell whoever watches."""
        self._watch(self.clock.now(), thing)

    def restart(self) -> None:
        """The power is back."""
        for part in self._inputs:
            part.restart()

    def idle(self, deadline: Instant | None) -> bool:
        """True when nothing is left to tell, and nothing falls due before the horizon."""
        if any(part.pending for part in self._inputs):
            return False
        return all(due is None or due > self.horizon for due in (deadline, self.keypad.due))

    def rest(self, asleep: bool) -> None:
        """Software needs no rest."""

    def wait(self, until: Instant | None) -> Sequence[Event]:
        """What has happened; if nothing has, let time pass instead."""
        events = [event for part in self._inputs for event in part.poll()]
        for event in events:
            self.note(event)
        if not events:
            ends = (until, self.keypad.due, self.horizon)
            self.clock.pass_until(min(end for end in ends if end is not None))
        return events
