"""The panel's software board: input comes over the link, screens and sounds go back.

The box's clock does not advance between two waits, so the result depends only on the input and its
time.
"""

from collections.abc import Sequence
from typing import NamedTuple

from hal.display.pages import packed
from hal.display.renderer import draw
from hal.display.sounds import Sound
from hal.display.view import View, dark
from hal.events import MILLISECOND, CardIn, CardOut, Event, Instant, Key, KeyDown, KeyUp, Slot
from sim.board.clocks import VirtualClock
from sim.board.stock import STOCK
from sim.panel import actions
from sim.panel.actions import PanelFault
from sim.panel.box.link import Link
from sim.panel.box.pace import PacedWaiter
from sim.panel.messages import BoxStart


class PanelScreen:
    """A screen that sends its picture over the link, and can be unplugged."""

    def __init__(self, link: Link, *, plugged: bool, test: bool) -> None:
        self._link = link
        self._plugged = plugged
        self._test = test
        self._sent: View | None = None
        self.view = dark(0, "")

    def show(self, view: View) -> None:
        self.view = view._replace(test=self._test)
        self._send()

    def plug(self, plugged: bool) -> None:
        self._plugged = plugged
        self._send()

    def _send(self) -> None:
        lit = self._plugged and self.view.lit
        shown = self.view if lit else dark(self.view.volume, self.view.edition)
        if shown != self._sent:
            self._sent = shown
            self._link.show(shown, packed(draw(shown)), asleep=not self.view.lit)


class LinkedBuzzer(NamedTuple):
    """Sends sounds over the link, and remembers them."""

    link: Link
    played: list[Sound]

    def play(self, sound: Sound, volume: int) -> None:
        self.played.append(sound)
        self.link.sound(sound, volume)


class PanelBoard:
    """A ``hal.parts.RunnableBoard``; a wait returns the events of at most one action."""

    def __init__(self, link: Link, start: BoxStart, waiter: PacedWaiter | None = None) -> None:
        self._link = link
        self._waiter = waiter or PacedWaiter()
        self._waiter.set_rate(start.pace)
        self._waiter.listen(link.input_fd)
        self.clock = VirtualClock()
        unplugged = PanelFault.SCREEN.value in start.faults
        self.screen = PanelScreen(link, plugged=not unplugged, test=start.recording)
        self.buzzer = LinkedBuzzer(link, [])
        self._slots: dict[int, Slot] = {}
        cards = ((Slot.LEFT, start.left), (Slot.RIGHT, start.right))
        self._first = [self._put(card, slot) for slot, card in cards if card is not None]
        self.listen = self._waiter.listen
        self.deafen = self._waiter.deafen
        self.interrupt = self._waiter.interrupt

    def connect(self) -> None:
        """Nothing to do."""

    def rest(self, asleep: bool) -> None:
        """Nothing to do."""

    def wait(self, until: Instant | None) -> Sequence[Event]:
        """A timeout that is due comes before the next input (G4)."""
        first, self._first = self._first, []
        if first:
            return first
        while not self._link.stop.asked:
            now = self._current_time()
            if until is not None and until <= now:
                self.clock.pass_until(until)
                return ()
            action = self._link.next_action()
            if action is None:
                if self._waiter.wait(None if until is None else self._waiter_time(until)):
                    self._link.receive()
                continue
            self.clock.pass_until(now)
            if events := self._apply(action):
                return events
        return ()

    def _current_time(self) -> Instant:
        return Instant(self._waiter.now() // MILLISECOND * MILLISECOND)

    def _waiter_time(self, moment: Instant) -> Instant:
        """The waiter's time at a moment of the box's time."""
        return moment

    def _apply(self, action: actions.BoxAction) -> Sequence[Event]:
        match action:
            case actions.PressKey(key):
                return self._press(key)
            case actions.ReleaseKey(key):
                return self._release(key)
            case actions.PutCard(card, slot):
                return [self._put(card, slot)]
            case actions.TakeCard(card):
                return [CardOut(self.clock.now(), self._slots.pop(card))]
            case actions.SetPace(rate):
                self._waiter.set_rate(rate)
            case actions.Skip():
                self._waiter.skip_minute()
            case actions.SetFault(PanelFault.SCREEN, broken):
                self.screen.plug(not broken)
            case actions.SetFault():
                raise AssertionError(f"the software board has no fault {action.fault}")
        return ()

    def _press(self, key: Key) -> Sequence[Event]:
        return [KeyDown(self.clock.now(), key)]

    def _release(self, key: Key) -> Sequence[Event]:
        return [KeyUp(self.clock.now(), key)]

    def _put(self, card: int, slot: Slot) -> Event:
        self._slots[card] = slot
        return CardIn(self.clock.now(), slot, STOCK[card - 1])

    def inventory(self) -> Sequence[str]:
        return ("software only",)
