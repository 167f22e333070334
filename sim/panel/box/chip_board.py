"""The panel's virtual board: the real drivers on models of the chips.

The picture comes from the model of the OLED, not from the view that the drivers were given.
"""

import select
from collections.abc import Callable, Sequence

from PIL import Image

from hal.display.pages import packed
from hal.display.renderer import SIZE
from hal.display.sounds import Sound
from hal.display.view import View, dark
from hal.events import MILLISECOND, Event, Instant, Key, Slot
from hal.parts import RunnableBoard
from hal.wiring import READERS, Wiring
from sim.board.stock import STOCK
from sim.chips.picc import Picc
from sim.panel import actions
from sim.panel.actions import PanelFault
from sim.panel.box.input_queue import InputQueue
from sim.panel.box.link import Link
from sim.panel.box.pace import PacedWaiter
from sim.panel.messages import BoxStart
from sim.virtual.hardware import MICRO, Hardware, drivers
from sim.virtual.wall_board import WallAlarm

BOUNCE = 15 * MILLISECOND * MICRO
NOISE = 0.01
"""The error rate of each bit between card and reader."""
DEAD_READERS = {PanelFault.LEFT: READERS[Slot.LEFT], PanelFault.RIGHT: READERS[Slot.RIGHT]}


class ObservedAlarm(WallAlarm):
    """Calls back before each wait, because drivers may change the screen during one."""

    def __init__(
        self, hardware: Hardware, waiter: PacedWaiter, observe: Callable[[], None]
    ) -> None:
        super().__init__(hardware, waiter)
        self._observe = observe

    def wait(self, until: Instant | None) -> bool:
        self._observe()
        return super().wait(until)


class ChipBoard:
    """A ``hal.parts.RunnableBoard``: a Pi's board whose hardware the link operates."""

    def __init__(self, link: Link, start: BoxStart, wiring: Wiring) -> None:
        self._link = link
        self._hardware = Hardware(wiring)
        self._waiter = PacedWaiter()
        self._alarm = ObservedAlarm(self._hardware, self._waiter, self._send_picture)
        module = drivers(self._hardware)
        self._inputs = InputQueue()
        self._cards: dict[int, tuple[Slot, Picc]] = {}
        self._bounce = 0
        self._view = dark(0, "")
        self._sent: list[bytes] | None = None
        self._drawn_state: tuple[int, bool] | None = None
        self._restore(start)
        self._real: RunnableBoard = module.board_on(self._hardware, self._alarm, wiring)
        self._waiter.listen(link.input_fd)
        self.clock = self._real.clock
        self.screen = self.buzzer = self
        self.connect = self._real.connect
        self.rest = self._real.rest
        self.interrupt = self._real.interrupt
        self.listen = self._real.listen
        self.deafen = self._real.deafen
        self.inventory = self._real.inventory

    def _restore(self, start: BoxStart) -> None:
        """Set pace, faults, cards and keys before the firmware starts."""
        self._waiter.set_rate(start.pace)
        for fault in start.faults:
            self._set_fault(PanelFault(fault), broken=True)
        for slot, card in ((Slot.LEFT, start.left), (Slot.RIGHT, start.right)):
            if card is not None:
                self._cards[card] = slot, Picc(STOCK[card - 1])
                self._hardware.put(*self._cards[card])
        for key in start.down:
            self._hardware.press(Key(key), self._bounce)

    def play(self, sound: Sound, volume: int) -> None:
        self._real.buzzer.play(sound, volume)
        self._link.sound(sound, volume)

    def show(self, view: View) -> None:
        """Show a view, and send the OLED's picture of it, which may differ."""
        self._real.screen.show(view)
        self._view = view
        self._send_picture()

    def wait(self, until: Instant | None) -> Sequence[Event]:
        self._apply_all()
        self._inputs.run_due(self._alarm.now())
        ends = [end for end in (until, self._inputs.due) if end is not None]
        events = self._real.wait(min(ends, default=None))
        while not self._link.stop.asked and select.select([self._link.input_fd], [], [], 0)[0]:
            self._link.receive()
        self._apply_all()
        self._send_picture()
        return events

    def _apply_all(self) -> None:
        """Apply all queued actions; some may have arrived together with the start message."""
        self._alarm.now()  # advances the models to the present
        while (action := self._link.next_action()) is not None:
            self._apply(action)

    def _apply(self, action: actions.BoxAction) -> None:
        match action:
            case actions.PressKey(key):
                self._inputs.press(key, lambda: self._hardware.press(key, self._bounce))
            case actions.ReleaseKey(key):
                self._inputs.release(key, lambda: self._hardware.let_go(key, self._bounce))
            case actions.PutCard(card, slot):
                put = self._cards[card] = slot, Picc(STOCK[card - 1])
                self._inputs.move_card(lambda: self._hardware.put(*put))
            case actions.TakeCard(card):
                taken = self._cards.pop(card)
                self._inputs.move_card(lambda: self._hardware.take(*taken))
            case actions.SetPace(rate):
                self._waiter.set_rate(rate)
            case actions.Skip():
                self._waiter.skip_minute()
            case actions.SetFault(fault, broken):
                self._set_fault(fault, broken)

    def _set_fault(self, fault: PanelFault, broken: bool) -> None:
        match fault:
            case PanelFault.SCREEN:
                self._hardware.plug_screen(not broken)
            case PanelFault.BOUNCE:
                self._bounce = BOUNCE if broken else 0
            case PanelFault.NOISE:
                self._hardware.air.bit_errors = NOISE if broken else 0.0
            case PanelFault.LEFT | PanelFault.RIGHT:
                change = self._hardware.cut if broken else self._hardware.mend
                change(DEAD_READERS[fault], "3.3V")

    def _send_picture(self) -> None:
        """Draw only if something may have changed: the model draws slowly, in Python."""
        state = self._hardware.i2c_bytes, self._hardware.oled_plugged
        if state == self._drawn_state:
            return
        self._drawn_state = state
        plugged = self._hardware.oled_plugged
        pages = packed(self._hardware.oled.picture() if plugged else Image.new("1", SIZE))
        if pages != self._sent:
            self._sent = pages
            lit = any(any(page) for page in pages)
            view = self._view if lit else dark(self._view.volume, self._view.edition)
            self._link.show(view, pages, asleep=not self._view.lit)


def on_page(link: Link, start: BoxStart, wiring: Wiring) -> ChipBoard:
    return ChipBoard(link, start, wiring)
