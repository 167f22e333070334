"""A box that is worked over its console, as a stand that scripts can be played on.

Its hands are those of the wire: a card that is put in appears above the reader. Or they
are a person's: the stand then waits until the box's own parts have seen what the script
says, and time stands still for as long as the person takes.
"""

from collections import deque
from collections.abc import Callable

from firmware.app import App
from hal.events import (
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
    SlotEvent,
)
from hal.sounds import Sound
from hal.view import View
from sim.console_board import ConsoleBoard
from sim.fault import Fault, not_here
from sim.player import Unmet
from sim.running import Start
from sim.script_words import ScriptError
from sim.trace import event_words

GRACE = 1 * SECOND
"""For how long the bank's time stands still between two lines of a script."""
PATIENCE = 300 * SECOND
"""For how long it stands still for a person; then that person, or the host, has left."""


class ConsoleStand:
    """Fits ``sim.stand.Stand``. Between two steps of anything it lets somebody listen."""

    def __init__(self, board: ConsoleBoard, listen: Callable[[], Instant | None]) -> None:
        self.board = board
        self._listen = listen
        """Tells when it wants to be called again; may raise, to end a line that was begun."""
        self._app: App | None = None
        self._cards: dict[Slot, bytes] = {}
        """Those that the wire has put in."""
        self._full: set[Slot] = set()
        """The slots that hold a card by the script, whoever has put it in."""
        self.by_hand = False
        self.took: list[int] = []
        """Microseconds from what a hand did to what the screen made of it."""
        self._own_events: deque[Event] = deque()
        """What the own parts have seen, and the bank not yet."""
        self._go_on_at = board.wall.now()

    def start(self, start: Start) -> None:
        """Cards that are in count as just put in, the left one first (P3)."""
        seen = {_slot_of(event): event for event in self.board.standing.again(self.now)}
        seen |= {slot: CardIn(self.now, slot, uid) for slot, uid in self._cards.items()}
        before = [seen[slot] for slot in (None, *Slot) if slot in seen]
        self._app = App(self.board, start.opened(), start.edition, before, house=start.house)

    def stop(self) -> None:
        self._app = None
        self.board.forget_coming()
        self.board.screen.go_dark()

    @property
    def running(self) -> bool:
        return self._app is not None

    def cause(self, fault: Fault) -> None:
        raise ScriptError(not_here(fault))

    def mend(self, fault: Fault) -> None:
        raise AssertionError(f"{fault.words} was never broken")

    def clear(self) -> None:
        """Take out what the wire has put in, and forget what a hand did; nobody is told."""
        self._cards.clear()
        self._full.clear()
        self._own_events.clear()

    # Hands

    def put(self, slot: Slot, uid: bytes) -> None:
        if self.by_hand:
            seen = self._await(f"a card in the {slot.value} slot", lambda e: _is_put(e, slot))
            if isinstance(seen, CardIn) and seen.uid != uid:
                raise Unmet(f"expected another card in the {slot.value} slot, got {seen.uid.hex()}")
        else:
            self._cards[slot] = uid
            self._tell(CardIn(self.now, slot, uid))
        self._full.add(slot)

    def take(self, slot: Slot) -> None:
        if self.by_hand:
            what = f"the card out of the {slot.value} slot"
            self._await(what, lambda e: isinstance(e, CardOut) and e.slot is slot)
        else:
            self._cards.pop(slot, None)
            self._tell(CardOut(self.now, slot))
        self._full.discard(slot)

    def holds(self, slot: Slot) -> bool:
        return slot in self._full

    def hold(self, key: Key, duration: int) -> None:
        if not self.by_hand:
            self._tell(KeyDown(self.now, key))
            try:
                self.pass_time(duration)
            finally:
                # Also when the line is ended early: no key stays down for ever.
                self._tell(KeyUp(self.now, key))
            return
        self._await(f"key {key.value} down", lambda e: isinstance(e, KeyDown) and e.key is key)
        self.pass_time(duration)
        # Quick fingers press the next key before they let go of this one.
        let_go = f"key {key.value} up"
        self._await(let_go, lambda e: isinstance(e, KeyUp) and e.key is key, early=KeyDown)

    def await_card(self) -> bytes:
        """Any card in any slot, for a box that is to learn it; the bank is not told."""
        while True:
            event = self._next_own()
            if isinstance(event, CardIn):
                return event.uid

    def await_empty_slots(self) -> None:
        while self.board.standing.occupied:
            self._show(self._next_own())

    def _await(
        self,
        what: str,
        wanted: Callable[[Event], bool],
        early: type[Event] | tuple[()] = (),
    ) -> Event:
        """Until the own parts have seen it; anything else that they see is not what was asked.

        But for what may come early, which is kept for whoever asks for it.
        """
        came_early: list[Event] = []
        while not wanted(event := self._next_own()):
            if isinstance(event, early):
                came_early.append(event)
                continue
            self._show(event)
            if _is_done_by_hand(event):
                raise Unmet(f"expected {what}, got {_words(event)}")
        self._own_events.extendleft(reversed(came_early))
        self._show(event)
        self.took.append(self.board.wall.now() - event.at)
        return event

    def _next_own(self) -> Event:
        """What the own parts see next; the bank's time stands still meanwhile."""
        give_up = Instant(self.board.wall.now() + PATIENCE)
        while not self._own_events:
            again = self._listen()
            self._own_events += self.board.look(min(again or give_up, give_up))
            if self.board.wall.now() >= give_up:
                raise Unmet(f"expected somebody at the box, got nothing for {PATIENCE // SECOND} s")
        return self._own_events.popleft()

    def _show(self, event: Event) -> None:
        self._tell(event._replace(at=self.now))

    def _tell(self, *events: Event) -> None:
        """The bank takes it in at once, unless the power is off."""
        if self._app:
            self.board.bring(*events)
            self._app.turn()

    # Time

    def pass_time(self, duration: int) -> None:
        end = Instant(self.now + duration)
        self.board.clock.run(end)
        self.board.told.clear()
        while self.now < end:
            self._turn(self._listen())
            if self.by_hand:
                self._nothing_by_hand()
        self.board.clock.hold()

    def _nothing_by_hand(self) -> None:
        for event in self.board.told:
            if _is_done_by_hand(event) or isinstance(event, KeyUp):
                raise Unmet(f"expected nothing yet, got {_words(event)}")

    def catch_up(self) -> None:
        """A line begins: the bank's time stands still from here on."""
        self.board.clock.hold()
        if not self.by_hand:
            self._pass_on()
            self._turn()

    def pause(self) -> None:
        """A line is done."""
        self.board.clock.hold()
        grace = PATIENCE if self.by_hand else GRACE
        self._go_on_at = Instant(self.board.wall.now() + grace)

    def idle(self, until: Instant | None) -> None:
        """Nobody says anything: after a while the bank's time goes on by itself.

        What somebody does at the box ends that while, unless the script is played by hand:
        then it belongs to the next line.
        """
        if self.board.clock.stop is None:
            self._turn(until)
        elif self.board.wall.now() < self._go_on_at:
            self._own_events += self.board.look(min(until or self._go_on_at, self._go_on_at))
            if self._own_events and not self.by_hand:
                self._go_on_at = self.board.wall.now()
        else:
            self.by_hand = False
            self.board.clock.run(None)
            self._pass_on()

    def _pass_on(self) -> None:
        """Tell the bank what its own parts have seen while its time stood still."""
        while self._own_events:
            self._show(self._own_events.popleft())

    def _turn(self, until: Instant | None = None) -> None:
        self.board.latest = until
        if self._app:
            self._app.turn()
        else:
            self.board.wait(None)
        self.board.latest = None

    # Eyes and ears

    @property
    def now(self) -> Instant:
        return self.board.clock.now()

    @property
    def view(self) -> View | None:
        return self.board.screen.view

    @property
    def asleep(self) -> bool:
        return self._app is not None and self._app.box.asleep

    @property
    def played(self) -> list[Sound]:
        return self.board.buzzer.played


def _slot_of(event: Event) -> Slot | None:
    return event.slot if isinstance(event, SlotEvent) else None


def _is_put(event: Event, slot: Slot) -> bool:
    return isinstance(event, CardIn | CardsClash) and event.slot is slot


def _is_done_by_hand(event: Event) -> bool:
    return isinstance(event, KeyDown | CardIn | CardsClash | CardOut)


def _words(event: Event) -> str:
    """What somebody did; the trace has it in columns."""
    return " ".join(event_words(event).split())
