"""The harness of a box that is controlled over its console.

With `hands wire` the console creates the events of cards and keys itself. With `hands box` a person
uses the real parts; the harness waits for their events while the bank's clock is stopped.
"""

from collections import deque
from collections.abc import Callable

from hal.display.view import View
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
)
from hal.last_known import LastKnown
from sim.board.fault import Fault, not_here, script_words
from sim.board.harness import Harness
from sim.board.trace import event_words
from sim.console.console_board import ConsoleBoard
from sim.script.player import Unmet
from sim.script.words import ScriptError

LINE_TIMEOUT = 1 * SECOND
"""How long the bank's time stands still for the next line of a script."""
PERSON_TIMEOUT = 300 * SECOND
"""How long it stands still for a person."""


class ConsoleHarness(Harness):
    """A box on a ``ConsoleBoard``."""

    def __init__(self, board: ConsoleBoard, listen: Callable[[], Instant | None]) -> None:
        """``listen`` is called between two waits and says when to call it again; it may raise."""
        super().__init__(board.clock, board.buzzer.played)
        self.board = board
        self._listen = listen
        self._cards: dict[Slot, bytes] = {}
        """The cards that the line has put in."""
        self.by_hand = False
        self.took: list[int] = []
        """Microseconds from each input by hand until the screen was updated."""
        self._own_events: deque[Event] = deque()
        """Events of the box's own parts that have not been passed to the bank yet."""
        self._go_on_at = board.wall.now()

    def _switch_on_board(self) -> ConsoleBoard:
        return self.board

    def _switch_off_board(self) -> None:
        self.board.inputs.clear()
        self.board.screen.go_dark()

    def _settle(self) -> None:
        """Report the cards that are in, the left one first (P3). Raises the ledger's refusal."""
        if self._refusal:
            raise self._refusal
        known = LastKnown()
        for event in self.board.last_known.again(self.now):
            known.update(event)
        for slot, uid in self._cards.items():
            known.update(CardIn(self.now, slot, uid))
        self._tell(*known.again(self.now))

    def _cause(self, fault: Fault) -> None:
        raise ScriptError(not_here(fault))

    def _mend(self, fault: Fault) -> None:
        raise AssertionError(f"{script_words(fault)} was never broken")

    def clear(self) -> None:
        """Empty the slots and drop pending events, without telling the bank."""
        self._cards.clear()
        self._occupied.clear()
        self._own_events.clear()

    # Input

    def _put(self, slot: Slot, uid: bytes) -> None:
        if self.by_hand:
            seen = self._await(f"a card in the {slot.value} slot", lambda e: _is_put(e, slot))
            if isinstance(seen, CardIn) and seen.uid != uid:
                raise Unmet(f"expected another card in the {slot.value} slot, got {seen.uid.hex()}")
        else:
            self._cards[slot] = uid
            self._tell(CardIn(self.now, slot, uid))

    def _take(self, slot: Slot) -> None:
        if self.by_hand:
            what = f"the card out of the {slot.value} slot"
            self._await(what, lambda e: isinstance(e, CardOut) and e.slot is slot)
        else:
            self._cards.pop(slot, None)
            self._tell(CardOut(self.now, slot))

    def _hold(self, key: Key, duration: int) -> None:
        if not self.by_hand:
            self._tell(KeyDown(self.now, key))
            try:
                self._pass_time(duration)
            finally:
                # Also when the line is interrupted: no key may stay down.
                self._tell(KeyUp(self.now, key))
            return
        self._await(f"key {key.value} down", lambda e: isinstance(e, KeyDown) and e.key is key)
        self._pass_time(duration)
        # A person may press the next key before releasing this one.
        released = f"key {key.value} up"
        self._await(released, lambda e: isinstance(e, KeyUp) and e.key is key, early=KeyDown)

    def await_card(self) -> bytes:
        """Wait for any card in any slot, and return its UID; the bank is not told."""
        while True:
            event = self._next_own()
            if isinstance(event, CardIn):
                return event.uid

    def await_empty_slots(self) -> None:
        while self.board.last_known.occupied:
            self._show(self._next_own())

    def _await(
        self,
        what: str,
        wanted: Callable[[Event], bool],
        early: type[Event] | tuple[()] = (),
    ) -> Event:
        """Wait until the own parts report the wanted event. Raises Unmet at any other input.

        Events of the type ``early`` are kept for the next call.
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
        """Wait for the next event of the own parts; the bank's time stands still."""
        give_up = Instant(self.board.wall.now() + PERSON_TIMEOUT)
        while not self._own_events:
            again = self._listen()
            self._own_events += self.board.look(min(again or give_up, give_up))
            if self.board.wall.now() >= give_up:
                seconds = PERSON_TIMEOUT // SECOND
                raise Unmet(f"expected an input at the box, got nothing for {seconds} s")
        return self._own_events.popleft()

    def _show(self, event: Event) -> None:
        self._tell(event._replace(at=self.now))

    def _tell(self, *events: Event) -> None:
        """Let the bank handle these events at once, unless the power is off."""
        if self._runner and events:
            self.board.inputs += events
            self._turn()

    # Time

    def _pass_time(self, duration: int) -> None:
        end = Instant(self.now + duration)
        self.board.clock.run(end)
        self.board.told.clear()
        while self.now < end:
            self._turn_until(self._listen())
            for event in self.board.told if self.by_hand else ():
                if _is_done_by_hand(event) or isinstance(event, KeyUp):
                    raise Unmet(f"expected nothing yet, got {_words(event)}")
        self.board.clock.hold()

    def catch_up(self) -> None:
        """A line begins: stop the bank's time."""
        self.board.clock.hold()
        if not self.by_hand:
            self._pass_on()
            self._turn_until(None)

    def pause(self) -> None:
        """A line is done."""
        self.board.clock.hold()
        timeout = PERSON_TIMEOUT if self.by_hand else LINE_TIMEOUT
        self._go_on_at = Instant(self.board.wall.now() + timeout)

    def idle(self, until: Instant | None) -> None:
        """Wait between two lines; after the timeout the bank's time goes on.

        An event of the own parts ends the timeout, unless the script is played by hand:
        then the event belongs to the next line.
        """
        if self.board.clock.stop is None:
            self._turn_until(until)
        elif self.board.wall.now() < self._go_on_at:
            self._own_events += self.board.look(min(until or self._go_on_at, self._go_on_at))
            if self._own_events and not self.by_hand:
                self._go_on_at = self.board.wall.now()
        else:
            self.by_hand = False
            self.board.clock.run(None)
            self._pass_on()

    def _pass_on(self) -> None:
        """Tell the bank what the own parts have reported while its time stood still."""
        while self._own_events:
            self._show(self._own_events.popleft())

    def _turn_until(self, until: Instant | None) -> None:
        self.board.latest = until
        if self._runner:
            self._turn()
        else:
            self.board.wait(None)
        self.board.latest = None

    @property
    def _view(self) -> View | None:
        return self.board.screen.view


def _is_put(event: Event, slot: Slot) -> bool:
    return isinstance(event, CardIn | CardsClash) and event.slot is slot


def _is_done_by_hand(event: Event) -> bool:
    return isinstance(event, KeyDown | CardIn | CardsClash | CardOut)


def _words(event: Event) -> str:
    """Describe an event; the trace has it in columns."""
    return " ".join(event_words(event).split())
