"""The harness of a box on the virtual board: the real drivers on models of the chips.

Here an input takes time: a card is noticed by the next scan, a key when its contact closes, and
the picture is sent over a bus. A script does not count that time: its waits begin when the box
shows the effect of the line before.
"""

import logging
from collections.abc import Callable
from typing import TYPE_CHECKING

from hal.display.renderer import draw
from hal.display.sounds import Sound
from hal.display.view import View
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
from hal.wiring import READERS, Wiring
from sim.board.fault import Fault, KeyStuck, Mishap, Noise, ReaderDead
from sim.board.harness import Harness
from sim.board.trace import Watcher, ignore
from sim.chips.picc import Picc
from sim.virtual.hardware import MICRO, Hardware, VirtualAlarm, drivers
from sim.virtual.wall_board import WallAlarm

if TYPE_CHECKING:
    from sim.virtual.pi_on_chips import WatchedBoard

QUICKEST_REPEAT = 30 * MILLISECOND
"""Between two presses of a key; debouncing relies on it."""

SETTLE = 20 * MILLISECOND
SETTLE_WHEN_STUCK = 100 * MILLISECOND
"""Until the driver has seen that a stuck key is released."""

NOTICE_TIMEOUT = 5 * SECOND
"""A driver that has not noticed an input by then is wrong."""

BOUNCING = 15 * MILLISECOND
"""How long a contact bounces; membranes take up to 20 ms."""

POWER_PAD = "3.3V"
"""The wire that a dead reader has lost."""

BREAKS_AFTER = 2
"""Bytes of an interrupted transfer that arrive: the address, and one more."""


class VirtualHarness(Harness):
    """The firmware runs in virtual time until it has noticed each input."""

    def __init__(
        self, watch: Watcher = ignore, *, realtime: bool = False, wiring: Wiring | None = None
    ) -> None:
        self.hardware = Hardware(wiring)
        self._alarm = (WallAlarm if realtime else VirtualAlarm)(self.hardware)
        super().__init__(self._alarm, [], watch)
        self._cards: dict[Slot, Picc] = {}
        self._moment = self._alarm.now()
        self._free_at: dict[Key, Instant] = {}
        self._seen: list[Event] = []
        self._effect_at: Instant | None = None
        """When a key was released in this turn, if no sound followed."""
        self._told_at = self._moment
        """When the last sound began: the screen shows the effect of an input by then."""
        self._dead: set[Slot] = set()
        self._stuck: Key | None = None
        self._down: set[Key] = set()
        """The keys that the drivers have reported as down."""
        self._bounce = 0
        self._full: set[Slot] = set()
        """The slots that hold a card, as the drivers have reported."""
        self._due: Instant | None = None
        self._shown: list[tuple[Instant, View]] = []
        """The last two views, each with the instant of its cause."""

    def _switch_on_board(self) -> "WatchedBoard":
        self._full.clear()
        self._down.clear()
        board: WatchedBoard = drivers(self.hardware).WatchedBoard(self.hardware, self._alarm, self)
        self._board = board
        return board

    def _switch_off_board(self) -> None:
        self._shown.clear()
        self._board.cut_power()

    def _settle(self) -> None:
        self._run_until(self._slots_are_seen)
        self._moment = self._alarm.now()
        # The keypad, too, must be scanned once before a key is pressed.
        self._run_to(Instant(self._moment + SETTLE))

    # Faults

    def _cause(self, fault: Fault) -> None:
        """Cause it, and wait until the drivers have noticed it, if they can."""
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

    def _mend(self, fault: Fault) -> None:
        match fault:
            case ReaderDead(slot):
                self._dead.discard(slot)
                self.hardware.mend(READERS[slot], POWER_PAD)
                self._notice(lambda e: isinstance(e, ReaderBack) and e.slot is slot)
                self._wait_for(self._slots_are_seen)
            case KeyStuck(key):
                self._stuck = None
                self._unstick(key)
            case Noise():
                self.hardware.air.bit_errors = 0
                self._wait_for(self._slots_are_seen)
            case Mishap.SCREEN:
                self.hardware.plug_screen(True)
                self._wait_for(self._picture_is_back, look_every=MILLISECOND)
            case Mishap.BOUNCE:
                self._bounce = 0

    def _unstick(self, key: Key) -> None:
        """Release the key; the drivers report that only if they have reported it as down."""
        if key in self._down:
            self._open(key, self._alarm.now(), 0)
            return
        self.hardware.let_go(key)
        self._free_at[key] = Instant(self._alarm.now() + SETTLE_WHEN_STUCK)

    def _wait_for(self, done: Callable[[], bool], look_every: int = NOTICE_TIMEOUT) -> None:
        """Give the drivers time to find what is back."""
        self._run_until(done, look_every=look_every)
        self._moment = max(self._moment, self._alarm.now())

    def _slots_are_seen(self) -> bool:
        """Whether the drivers have reported all cards where the reader works, and no others."""
        return self._full - self._dead == self._cards.keys() - self._dead

    def _picture_is_back(self) -> bool:
        wanted = self.newest_view
        glass = self.hardware.oled.picture().tobytes()
        return wanted is None or glass == draw(wanted).tobytes()

    # Input

    def _put(self, slot: Slot, uid: bytes) -> None:
        self._cards[slot] = Picc(uid)
        self.hardware.put(slot, self._cards[slot])
        self._notice_slot(slot, lambda e: isinstance(e, CardIn | CardsClash) and e.slot is slot)

    def _take(self, slot: Slot) -> None:
        self.hardware.take(slot, self._cards.pop(slot))
        self._notice_slot(slot, lambda e: isinstance(e, CardOut) and e.slot is slot)

    def _notice_slot(self, slot: Slot, noticed: Callable[[Event], bool]) -> None:
        """Wait for the event, unless the reader is dead, or noise has caused it already."""
        if slot not in self._dead and (slot in self._full) != (slot in self._cards):
            self._notice(noticed)

    def _hold(self, key: Key, duration: int) -> None:
        if key is self._stuck:
            self._pass_time(duration)
            return
        went_down = self._close(key)
        # Only for C it matters how long it is held; any other key acts when it is pressed.
        since = went_down if key is Key.CANCEL else self._moment
        self._open(key, Instant(since + duration), duration)

    def _close(self, key: Key) -> Instant:
        """Press a key; return when the box noticed."""
        self._run_to(self._free_at.get(key, self._moment))
        began = self._alarm.now()
        self.hardware.press(key, self._bounce * MICRO)
        self._notice(lambda e: isinstance(e, KeyDown))
        # Beside a stuck key there is no edge: the next scan finds the key, a moment later.
        return max((e.at for e in self._seen if isinstance(e, KeyDown)), default=began)

    def _open(self, key: Key, release: Instant, duration: int) -> None:
        """Release a key; a tap is as short as the box can notice."""
        # The release does not wait for the box: it happens in the middle of a turn.
        moment = max(release, self._alarm.now())
        bounce = self._bounce * MICRO
        self.hardware.time.plan(moment * MICRO, lambda: self.hardware.let_go(key, bounce))
        self._notice(lambda e: isinstance(e, KeyUp), timeout=duration + NOTICE_TIMEOUT)
        self._run_to(self._moment)
        self._free_at[key] = Instant(self._alarm.now() + QUICKEST_REPEAT + 2 * self._bounce)

    # Time

    def _pass_time(self, duration: int) -> None:
        """The time that an input took counts as part of the wait."""
        self._moment = Instant(self._moment + duration)
        self._run_to(self._moment)

    def catch_up(self) -> None:
        self._run_to(self._alarm.now())

    # Output

    @property
    def moment(self) -> Instant:
        """The script's time; the box may be past it."""
        return self._moment

    @property
    def _view(self) -> View | None:
        """What showed at the script's moment; a scan of a slot may have taken the box past it."""
        newest = self._shown[-1][1] if self._shown else None
        return next((v for at, v in reversed(self._shown) if at <= self._moment), newest)

    @property
    def newest_view(self) -> View | None:
        """What the screen shows by now."""
        return self._shown[-1][1] if self._shown and self.hardware.oled_plugged else None

    @property
    def asleep(self) -> bool:
        return self._view is not None and not self._view.lit

    # Reports of the board

    def saw(self, event: Event) -> None:
        self._seen.append(event)
        if isinstance(event, SlotEvent):
            self._full.discard(event.slot)
            if isinstance(event, CardIn | CardsClash):
                self._full.add(event.slot)
        elif isinstance(event, KeyDown):
            self._down.add(event.key)
        elif isinstance(event, KeyUp):
            self._down.discard(event.key)
        # The effect of a release begins with the release, unless a sound follows; any other effect
        # begins when it shows.
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

    # Waiting

    def _notice(self, noticed: Callable[[Event], bool], timeout: int = NOTICE_TIMEOUT) -> None:
        """Run until the event was reported; the new moment is when its effect shows."""
        if self._runner is None:
            return
        self._seen.clear()
        self._told_at = self._moment
        self._run_until(lambda: any(noticed(event) for event in self._seen), timeout)
        self._moment = max(self._told_at, self._effect_at or self._alarm.now())

    def _run_until(
        self,
        done: Callable[[], bool],
        timeout: int = NOTICE_TIMEOUT,
        look_every: int = NOTICE_TIMEOUT,
    ) -> None:
        """Run until it is done; ask after each event, and at least every ``look_every``."""
        give_up = self._alarm.now() + timeout
        while self._runner and not done():
            if self._alarm.now() >= give_up:
                # With noise it is right that a driver notices nothing.
                assert self.hardware.air.bit_errors, "the drivers did not notice the input"
                return
            self._turn_until(Instant(min(give_up, self._alarm.now() + look_every)))

    def _run_to(self, moment: Instant) -> None:
        while self._alarm.now() < moment:
            if self._runner is None:
                self._alarm.wait(moment)
            else:
                self._turn_until(moment)

    def _turn_until(self, horizon: Instant) -> None:
        assert self._runner, "there is no power"
        self._board.horizon = horizon
        self._effect_at = None
        self._due = self._runner.deadline
        self._turn()


def for_script(watch: Watcher, realtime: bool) -> VirtualHarness:
    # The drivers log the faults of a script, which are expected.
    logging.getLogger("tellerbox").addHandler(logging.NullHandler())
    return VirtualHarness(watch, realtime=realtime)
