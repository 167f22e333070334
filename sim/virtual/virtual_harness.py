"""A box on the virtual board: the real drivers, on models of the chips.

A hand takes time here. A card is noticed at the next look, a key when its contact closes,
and the picture travels over a bus. A script knows nothing of that: its waiting counts from
the moment at which the box had shown what the line before did.
"""

from collections.abc import Callable

from hal.events import (
    MILLISECOND,
    SECOND,
    CardIn,
    CardOut,
    CardsClash,
    Event,
    Instant,
    Key,
    KeyDown,
    KeyUp,
    ReaderBack,
    ReaderLost,
    Slot,
    SlotEvent,
)
from hal.picture import draw
from hal.sounds import Sound
from hal.view import View
from hal.wiring import READERS
from sim.chips.picc import Picc
from sim.fault import Fault, KeyStuck, Mishap, Noise, ReaderDead
from sim.running import Running, Start
from sim.stand import PowerGone
from sim.trace import Watcher, ignore
from sim.virtual import Hardware, VirtualAlarm, drivers
from sim.wall_alarm import WallAlarm

NANOS = 1_000
"""Nanoseconds of the world's time in a microsecond of the box's."""

QUICKEST_FINGER = 30 * MILLISECOND
"""Nobody lets go of a key and presses it again in less; the debouncing relies on it."""

SETTLE = 20 * MILLISECOND
SETTLE_WHEN_STUCK = 100 * MILLISECOND
"""In which a key that was stuck is seen to be free."""

PATIENCE = 5 * SECOND
"""What a driver may take to notice something before the stand gives up."""

BOUNCING = 15 * MILLISECOND
"""How long a contact bounces that does; membranes take up to twenty."""

POWER_PAD = "3.3V"
"""The wire that comes loose when a reader dies."""

BREAKS_AFTER = 2
"""Bytes of a transfer that arrive before it breaks off: the address, and one more."""


class VirtualStand:
    """The firmware runs in virtual time, up to what the script's hands wait for."""

    def __init__(self, watch: Watcher = ignore, *, realtime: bool = False) -> None:
        self._watch = watch
        self.hardware = Hardware()
        self._alarm = (WallAlarm if realtime else VirtualAlarm)(self.hardware)
        self._running: Running | None = None
        self._cards: dict[Slot, Picc] = {}
        self._moment = self._alarm.now()
        self._free_at: dict[Key, Instant] = {}
        self._seen: list[Event] = []
        self._effect_at: Instant | None = None
        """When a key was let go just now, of which nothing has been heard."""
        self._told_at = self._moment
        """When the last sound began: what the box had to say was on the glass by then."""
        self._dead: set[Slot] = set()
        self._stuck: Key | None = None
        self._down: set[Key] = set()
        """The keys that the drivers take to be down."""
        self._bounce = 0
        self._full: dict[Slot, bool] = dict.fromkeys(Slot, False)
        """Whether the drivers believe that there is a card."""
        self.played: list[Sound] = []
        self._due: Instant | None = None
        self._shown: list[tuple[Instant, View]] = []
        """The last two views, each with the instant of what made the box show it."""

    def start(self, start: Start) -> None:
        self._note("power  on")
        self._board = drivers(self.hardware).WatchedBoard(self.hardware, self._alarm, self)
        self._full = dict.fromkeys(Slot, False)
        self._down.clear()
        try:
            self._running = Running(self._board, start)
        except PowerGone:
            self._go_dark()
        self._run_until(self._slots_are_seen)
        self._moment = self._alarm.now()
        # The keypad, too, has to have been looked at once before a finger comes.
        self._run_to(Instant(self._moment + SETTLE))

    def stop(self) -> None:
        if self._running:
            self._go_dark()

    def _go_dark(self) -> None:
        self._note("power  off")
        self._running = None
        self._shown.clear()
        self._board.cut_power()

    @property
    def running(self) -> bool:
        return self._running is not None

    # Faults

    def cause(self, fault: Fault) -> None:
        """A box that notices it has noticed it on return."""
        self._note(f"fault  {fault.words}")
        match fault:
            case ReaderDead(slot):
                self._dead.add(slot)
                self.hardware.cut(READERS[slot], POWER_PAD)
                self._notice(lambda e: isinstance(e, ReaderLost) and e.slot is slot)
            case KeyStuck(key):
                self._stuck = key
                self._close(key)
            case Noise(bits):
                self.hardware.air.bit_errors = bits / 100
            case Mishap.SCREEN:
                self.hardware.plug_screen(False)
            case Mishap.BUS:
                self.hardware.i2c_breaks_after = BREAKS_AFTER
            case Mishap.BOUNCE:
                self._bounce = BOUNCING

    def mend(self, fault: Fault) -> None:
        self._note(f"mend   {fault.words}")
        match fault:
            case ReaderDead(slot):
                self._dead.discard(slot)
                self.hardware.mend(READERS[slot], POWER_PAD)
                self._notice(lambda e: isinstance(e, ReaderBack) and e.slot is slot)
                self._settle(self._slots_are_seen)
            case KeyStuck(key):
                self._stuck = None
                self._unstick(key)
            case Noise():
                self.hardware.air.bit_errors = 0
                self._settle(self._slots_are_seen)
            case Mishap.SCREEN:
                self.hardware.plug_screen(True)
                self._settle(self._picture_is_back)
            case Mishap.BOUNCE:
                self._bounce = 0

    def _unstick(self, key: Key) -> None:
        """The box is told of it only where it took the key for one that is down."""
        if key in self._down:
            self._open(key, self._alarm.now(), 0)
            return
        self.hardware.let_go(key)
        self._free_at[key] = Instant(self._alarm.now() + SETTLE_WHEN_STUCK)

    def _settle(self, done: Callable[[], bool]) -> None:
        """Give the drivers the time that they take to find what is back."""
        self._run_until(done)
        self._moment = max(self._moment, self._alarm.now())

    def _slots_are_seen(self) -> bool:
        """Whether the drivers know of all cards in slots that they can look into, and no other."""
        return all(self._full[slot] == (slot in self._cards) for slot in set(Slot) - self._dead)

    def _picture_is_back(self) -> bool:
        wanted = self.newest_view
        glass = self.hardware.oled.picture().tobytes()
        return wanted is None or glass == draw(wanted).tobytes()

    # Hands

    def put(self, slot: Slot, uid: bytes) -> None:
        self._cards[slot] = Picc(uid)
        self.hardware.put(slot, self._cards[slot])
        self._look(slot, lambda e: isinstance(e, CardIn | CardsClash) and e.slot is slot)

    def take(self, slot: Slot) -> None:
        self.hardware.take(slot, self._cards.pop(slot))
        self._look(slot, lambda e: isinstance(e, CardOut) and e.slot is slot)

    def _look(self, slot: Slot, noticed: Callable[[Event], bool]) -> None:
        """Nobody sees what happens in front of a dead reader, or what noise has hidden already."""
        if slot not in self._dead and self._full[slot] != self.holds(slot):
            self._notice(noticed)

    def holds(self, slot: Slot) -> bool:
        return slot in self._cards

    def hold(self, key: Key, duration: int) -> None:
        if key is self._stuck:
            self.pass_time(duration)
            return
        went_down = self._close(key)
        # How long C is held says what it does; any other key has done it when the finger goes up.
        since = went_down if key is Key.CANCEL else self._moment
        self._open(key, Instant(since + duration), duration)

    def _close(self, key: Key) -> Instant:
        """A finger goes down; when it did, for the box."""
        self._run_to(self._free_at.get(key, self._moment))
        began = self._alarm.now()
        self.hardware.press(key, self._bounce * NANOS)
        self._notice(lambda e: isinstance(e, KeyDown))
        # Beside a stuck key no edge tells when: the next scan finds it, a moment later.
        return max((e.at for e in self._seen if isinstance(e, KeyDown)), default=began)

    def _open(self, key: Key, release: Instant, duration: int) -> None:
        """The finger goes up; a tap is as short as the box can notice."""
        # A finger does not wait for the box: it lets go in the middle of whatever that does.
        moment = max(release, self._alarm.now())
        bounce = self._bounce * NANOS
        self.hardware.world.plan(moment * NANOS, lambda: self.hardware.let_go(key, bounce))
        self._notice(lambda e: isinstance(e, KeyUp), patience=duration + PATIENCE)
        self._run_to(self._moment)
        self._free_at[key] = Instant(self._alarm.now() + QUICKEST_FINGER + 2 * self._bounce)

    # Time

    def pass_time(self, duration: int) -> None:
        """What the hands took counts as part of the wait."""
        self._moment = Instant(self._moment + duration)
        self._run_to(self._moment)

    def catch_up(self) -> None:
        self._run_to(self._alarm.now())

    # Eyes and ears

    @property
    def now(self) -> Instant:
        return self._alarm.now()

    @property
    def moment(self) -> Instant:
        """The script's own: the box may be past it."""
        return self._moment

    @property
    def view(self) -> View | None:
        """What showed at the script's moment: a look into a slot may have taken the box past it."""
        return self._wanted if self.hardware.oled_plugged else None

    @property
    def _wanted(self) -> View | None:
        newest = self._shown[-1][1] if self._shown else None
        return next((v for at, v in reversed(self._shown) if at <= self._moment), newest)

    @property
    def newest_view(self) -> View | None:
        """What the glass shows by now."""
        return self._shown[-1][1] if self._shown and self.hardware.oled_plugged else None

    @property
    def asleep(self) -> bool:
        return self._wanted is not None and not self._wanted.lit

    # What the board tells

    def saw(self, event: Event) -> None:
        self._seen.append(event)
        if isinstance(event, SlotEvent):
            self._full[event.slot] = isinstance(event, CardIn | CardsClash)
        elif isinstance(event, KeyDown):
            self._down.add(event.key)
        elif isinstance(event, KeyUp):
            self._down.discard(event.key)
        # A key that is let go counts from the finger, if nothing is heard of it; all else from when
        # it has been shown.
        self._effect_at = event.at if isinstance(event, KeyUp) else None
        self._watch(self._alarm.now(), event)

    def showed(self, view: View) -> None:
        causes = [self._alarm.now(), self._due, self._effect_at]
        cause = min(cause for cause in causes if cause is not None)
        self._shown = [*self._shown[-1:], (cause, view)]
        self._watch(self._alarm.now(), view)

    def heard(self, sound: Sound) -> None:
        self.played.append(sound)
        self._told_at, self._effect_at = self._alarm.now(), None
        self._watch(self._alarm.now(), sound)

    def _note(self, what: str) -> None:
        self._watch(self._alarm.now(), what)

    # What is waited for

    def _notice(self, noticed: Callable[[Event], bool], patience: int = PATIENCE) -> None:
        """Run until the box has been told; what it shows of that is the new moment."""
        if self._running is None:
            return
        self._seen.clear()
        self._told_at = self._moment
        self._run_until(lambda: any(noticed(event) for event in self._seen), patience)
        self._moment = max(self._told_at, self._effect_at or self._alarm.now())

    def _run_until(self, done: Callable[[], bool], patience: int = PATIENCE) -> None:
        give_up = self._alarm.now() + patience
        while self._running and not done():
            if self._alarm.now() >= give_up:
                # Behind noise a driver may see nothing, and is right.
                assert self.hardware.air.bit_errors, "the drivers did not notice what was done"
                return
            self._turn(Instant(self._alarm.now() + MILLISECOND))

    def _run_to(self, moment: Instant) -> None:
        while self._alarm.now() < moment:
            if self._running is None:
                self._alarm.wait(moment)
            else:
                self._turn(moment)

    def _turn(self, horizon: Instant) -> None:
        assert self._running, "there is no power"
        self._board.horizon = horizon
        self._effect_at = None
        self._due = self._running.deadline
        try:
            self._running.turn()
        except PowerGone:
            self._go_dark()
