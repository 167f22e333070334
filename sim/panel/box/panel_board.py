"""The software board behind the page: input comes over the link, screens and sounds go back.

The box's clock does not advance between two waits, so the result depends only on the input and its
time.
"""

from collections.abc import Sequence

from hal.display.pages import packed
from hal.display.renderer import draw
from hal.display.view import View, dark
from hal.events import MILLISECOND, Event, Instant, Key, Slot
from sim.board.clocks import VirtualClock
from sim.board.software_board import RecordingBuzzer, RecordingScreen, SimBoard
from sim.board.stock import STOCK
from sim.panel import actions
from sim.panel.actions import PanelFault
from sim.panel.box.link import Link
from sim.panel.box.pace import PacedWaiter
from sim.panel.messages import BoxStart


class PanelScreen(RecordingScreen):
    """A screen that sends its picture over the link, and can be unplugged."""

    view: View

    def __init__(self, link: Link, *, plugged: bool, test: bool) -> None:
        super().__init__(self._send)
        self._link = link
        self._plugged = plugged
        self._test = test
        self._sent: View | None = None
        self.view = dark(0, "")

    def show(self, view: View) -> None:
        super().show(view._replace(test=self._test))

    def plug(self, plugged: bool) -> None:
        self._plugged = plugged
        self._send(self.view)

    def _send(self, view: View) -> None:
        shown = view if self._plugged and view.lit else dark(view.volume, view.edition)
        if shown != self._sent:
            self._sent = shown
            self._link.show(shown, packed(draw(shown)), asleep=not view.lit)


class PanelBoard(SimBoard):
    """A ``hal.parts.RunnableBoard``; a wait returns the events of at most one action."""

    screen: PanelScreen

    def __init__(self, link: Link, start: BoxStart, waiter: PacedWaiter | None = None) -> None:
        super().__init__(VirtualClock())
        self._link = link
        self._waiter = waiter or PacedWaiter()
        self._waiter.set_rate(start.pace)
        self._waiter.listen(link.input_fd)
        unplugged = PanelFault.SCREEN.value in start.faults
        self.screen = PanelScreen(link, plugged=not unplugged, test=start.recording)
        self.buzzer = RecordingBuzzer(link.sound)
        for slot, card in ((Slot.LEFT, start.left), (Slot.RIGHT, start.right)):
            if card is not None:
                self.slots[slot].card = STOCK[card - 1]
        self.listen = self._waiter.listen
        self.deafen = self._waiter.deafen
        self.interrupt = self._waiter.interrupt

    def connect(self) -> None:
        """Nothing to do."""

    def wait(self, until: Instant | None) -> Sequence[Event]:
        """A timeout that is due comes before the next input (G4)."""
        while not (events := self.poll()) and not self._link.stop.asked:
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
            self._apply(action)
        return events

    def _current_time(self) -> Instant:
        return Instant(self._waiter.now() // MILLISECOND * MILLISECOND)

    def _waiter_time(self, moment: Instant) -> Instant:
        """The waiter's time at a moment of the box's time."""
        return moment

    def _apply(self, action: actions.BoxAction) -> None:
        match action:
            case actions.PressKey(key):
                self._press(key)
            case actions.ReleaseKey(key):
                self._release(key)
            case actions.PutCard(card, slot):
                self.slots[slot].card = STOCK[card - 1]
            case actions.TakeCard(card):
                self.slots[self._slot_of(card)].card = None
            case actions.SetPace(rate):
                self._waiter.set_rate(rate)
            case actions.Skip():
                self._waiter.skip_minute()
            case actions.SetFault(PanelFault.SCREEN, broken):
                self.screen.plug(not broken)
            case actions.SetFault():
                raise AssertionError(f"the software board has no fault {action.fault}")

    def _press(self, key: Key) -> None:
        self.keypad.press(key)

    def _release(self, key: Key) -> None:
        self.keypad.let_go(key)

    def _slot_of(self, card: int) -> Slot:
        return next(slot for slot in Slot if self.slots[slot].card == STOCK[card - 1])

    def inventory(self) -> Sequence[str]:
        return ("software only",)
