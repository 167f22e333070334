"""A box on the virtual board: the real drivers, on models of the chips.

A hand takes time here. A card is noticed at the next look, a key when its contact closes,
and the picture travels over a bus. A script knows nothing of that: its waiting counts from
the moment at which the box had shown what the line before did.
"""

from collections.abc import Callable

from firmware.app import App
from firmware.edition import Edition
from firmware.house import BY_THE_BOOK, House
from firmware.ledger import Ledger
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
    Slot,
)
from hal.sounds import Sound
from hal.view import View
from sim.chips.picc import Picc
from sim.trace import Watcher, ignore
from sim.virtual import Hardware, VirtualAlarm, drivers
from sim.wall_alarm import WallAlarm

NANOS = 1_000
"""Nanoseconds of the world's time in a microsecond of the box's."""

QUICKEST_FINGER = 30 * MILLISECOND
"""Nobody lets go of a key and presses it again in less; the debouncing relies on it."""

SETTLE = 20 * MILLISECOND

PATIENCE = 5 * SECOND
"""What a driver may take to notice something before the stand gives up."""


class VirtualStand:
    """The firmware runs in virtual time, up to what the script's hands wait for."""

    def __init__(self, watch: Watcher = ignore, *, realtime: bool = False) -> None:
        self._watch = watch
        self.hardware = Hardware()
        self._alarm = (WallAlarm if realtime else VirtualAlarm)(self.hardware)
        self._app: App | None = None
        self._cards: dict[Slot, Picc] = {}
        self._moment = self._alarm.now()
        self._free_at: dict[Key, Instant] = {}
        self._seen: list[Event] = []
        self._effect_at: Instant | None = None
        self.played: list[Sound] = []
        self._changed_at = self._moment
        """When the glass last changed."""
        self._due: Instant | None = None
        self._shown: list[tuple[Instant, View]] = []
        """The last two views, each with the instant of what made the box show it."""

    def start(self, ledger: Ledger, edition: Edition, house: House = BY_THE_BOOK) -> None:
        self._note("power  on")
        self._board = drivers(self.hardware).WatchedBoard(self.hardware, self._alarm, self)
        self._seen.clear()
        self._app = App(self._board, ledger, edition, house=house)
        expected = set(self._cards)
        self._run_until(lambda: expected <= {e.slot for e in self._seen if isinstance(e, CardIn)})
        self._moment = self._alarm.now()
        # The keypad, too, has to have been looked at once before a finger comes.
        self._run_to(Instant(self._moment + SETTLE))

    def stop(self) -> None:
        self._note("power  off")
        self._app = None
        self._shown.clear()
        self._board.cut_power()

    def put(self, slot: Slot, uid: bytes) -> None:
        self._cards[slot] = Picc(uid)
        self.hardware.put(slot, self._cards[slot])
        self._notice(lambda e: isinstance(e, CardIn | CardsClash) and e.slot is slot)

    def take(self, slot: Slot) -> None:
        self.hardware.take(slot, self._cards.pop(slot))
        self._notice(lambda e: isinstance(e, CardOut) and e.slot is slot)

    def holds(self, slot: Slot) -> bool:
        return slot in self._cards

    def hold(self, key: Key, duration: int) -> None:
        self._run_to(self._free_at.get(key, self._moment))
        self.hardware.press(key)
        release = Instant(self._alarm.now() + duration)
        # A tap is as short as the box can notice: a script's has no length at all.
        self._notice(lambda e: isinstance(e, KeyDown))
        shown = self._moment
        # A finger does not wait for the box: it lets go in the middle of whatever that does.
        moment = max(release, self._alarm.now())
        self.hardware.world.plan(moment * NANOS, lambda: self.hardware.let_go(key))
        self._notice(lambda e: isinstance(e, KeyUp), patience=duration + PATIENCE)
        self._moment = max(self._moment, Instant(shown + duration))
        self._run_to(self._moment)
        self._free_at[key] = Instant(self._alarm.now() + QUICKEST_FINGER)

    def pass_time(self, duration: int) -> None:
        """What the hands took counts as part of the wait."""
        self._moment = Instant(self._moment + duration)
        self._run_to(self._moment)

    def catch_up(self) -> None:
        self._run_to(self._alarm.now())

    @property
    def now(self) -> Instant:
        return self._alarm.now()

    @property
    def view(self) -> View | None:
        """What showed at the script's moment: a look into a slot may have taken the box past it."""
        return next((v for at, v in reversed(self._shown) if at <= self._moment), self.newest_view)

    @property
    def newest_view(self) -> View | None:
        """What the glass shows by now."""
        return self._shown[-1][1] if self._shown else None

    @property
    def asleep(self) -> bool:
        return self.view is not None and not self.view.lit

    # What the board tells

    def saw(self, event: Event) -> None:
        self._seen.append(event)
        # A key that is let go counts from the finger; everything else when it has been shown.
        self._effect_at = event.at if isinstance(event, KeyUp) else None
        self._watch(self._alarm.now(), event)

    def showed(self, view: View) -> None:
        now = self._changed_at = self._alarm.now()
        cause = now if self._due is None else min(self._due, now)
        self._shown = [*self._shown[-1:], (cause, view)]
        self._effect_at = None
        self._watch(self._alarm.now(), view)

    def heard(self, sound: Sound) -> None:
        self.played.append(sound)
        self._watch(self._alarm.now(), sound)

    def _note(self, what: str) -> None:
        self._watch(self._alarm.now(), what)

    # Time

    def _notice(self, noticed: Callable[[Event], bool], patience: int = PATIENCE) -> None:
        """Run until the box has been told; what it shows of that is the new moment."""
        if self._app is None:
            return
        self._seen.clear()
        self._changed_at = self._moment
        self._run_until(lambda: any(noticed(event) for event in self._seen), patience)
        self._moment = max(self._changed_at, self._effect_at or self._alarm.now())

    def _run_until(self, done: Callable[[], bool], patience: int = PATIENCE) -> None:
        give_up = self._alarm.now() + patience
        while not done():
            assert self._alarm.now() < give_up, "the drivers did not notice what a hand did"
            self._turn(Instant(self._alarm.now() + MILLISECOND))

    def _run_to(self, moment: Instant) -> None:
        while self._alarm.now() < moment:
            if self._app is None:
                self._alarm.wait(moment)
            else:
                self._turn(moment)

    def _turn(self, horizon: Instant) -> None:
        assert self._app, "there is no power"
        self._board.horizon = horizon
        self._due = self._app.box.deadline
        self._app.turn()
