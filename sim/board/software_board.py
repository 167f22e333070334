"""The software board: slots, keypad, screen and buzzer without any hardware."""

from collections.abc import Callable, Sequence

from hal.display.sounds import Sound
from hal.display.view import View
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
from sim.board.clocks import SimClock
from sim.board.trace import Happening, Watcher, ignore

DEAD = b""
"""The state of a slot whose reader is dead, instead of a UID."""


class SimSlot:
    """A slot that a script puts cards into; its reader may be dead."""

    def __init__(self, slot: Slot, clock: SimClock) -> None:
        self._slot = slot
        self._clock = clock
        self._reported: bytes | None = None
        """The state that was reported last."""
        self.card: bytes | None = None
        self.dead = False

    @property
    def _state(self) -> bytes | None:
        return DEAD if self.dead else self.card

    @property
    def pending(self) -> bool:
        return self._state != self._reported

    def poll(self) -> Sequence[Event]:
        """A lost reader implies that its card is out; the card comes back after the reader (D6)."""
        before, self._reported = self._reported, self._state
        now = self._clock.now()
        if self._reported == before:
            return ()
        if before == DEAD:
            self._reported = None
            return (ReaderBack(now, self._slot),)
        if self._reported == DEAD:
            return (ReaderLost(now, self._slot),)
        if self._reported is None:
            return (CardOut(now, self._slot),)
        return (CardIn(now, self._slot, self._reported),)

    def restart(self) -> None:
        """After a power cut, a card that is in is reported again."""
        self._reported = None


class SimKeypad:
    """Keys that a script presses; one may be stuck."""

    def __init__(self, clock: SimClock) -> None:
        self._clock = clock
        self._events: list[Event] = []
        self._stuck: Key | None = None
        self.due: Instant | None = None
        """When a stuck key counts as released, as for the real keypad."""

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
        """Release the stuck key, unless it counted as released already."""
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
        """Keys pressed without power are lost; a key that is down at the start does nothing."""
        self._events.clear()
        self.due = None


class RecordingScreen:
    """A screen that remembers what it shows, and passes it on."""

    def __init__(self, pass_on: Callable[[View], None]) -> None:
        self._pass_on = pass_on
        self.view: View | None = None

    def show(self, view: View) -> None:
        self.view = view
        self._pass_on(view)


class RecordingBuzzer:
    """A buzzer that remembers what it played at any volume, also at 0, and passes it on."""

    def __init__(self, pass_on: Callable[[Sound, int], None]) -> None:
        self._pass_on = pass_on
        self.played: list[Sound] = []

    def play(self, sound: Sound, volume: int) -> None:
        self.played.append(sound)
        self._pass_on(sound, volume)


class SimBoard:
    """All the parts, on a clock that runs no further than the horizon."""

    def __init__(self, clock: SimClock, watch: Watcher = ignore) -> None:
        self._watch = watch
        self.clock = clock
        self.horizon = clock.now()
        self.slots = {slot: SimSlot(slot, clock) for slot in Slot}
        self.keypad = SimKeypad(clock)
        self._inputs: tuple[SimSlot | SimKeypad, ...] = (self.keypad, *self.slots.values())
        self.screen = RecordingScreen(self.note)
        self.buzzer = RecordingBuzzer(lambda sound, _volume: self.note(sound))

    def note(self, thing: Happening) -> None:
        self._watch(self.clock.now(), thing)

    def restart(self) -> None:
        """The power is back."""
        for part in self._inputs:
            part.restart()

    @property
    def pending(self) -> bool:
        """Whether something is left to report."""
        return any(part.pending for part in self._inputs)

    def idle(self, deadline: Instant | None) -> bool:
        """Whether nothing is left to report, and nothing is due up to the horizon."""
        dues = (deadline, self.keypad.due)
        return not self.pending and all(due is None or due > self.horizon for due in dues)

    def rest(self, asleep: bool) -> None:
        """Nothing to do."""

    def poll(self) -> Sequence[Event]:
        """Return what happened."""
        events = [event for part in self._inputs for event in part.poll()]
        for event in events:
            self.note(event)
        return events

    def wait(self, until: Instant | None) -> Sequence[Event]:
        """Return what happened; if nothing did, let time pass."""
        events = self.poll()
        if not events:
            ends = (until, self.keypad.due, self.horizon)
            self.clock.pass_until(min(end for end in ends if end is not None))
        return events
