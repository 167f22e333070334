"""The virtual board behind the panel: the real drivers, on models that hands work on.

The picture is read off the glass of the screen's model, and not off what the drivers were told.
"""

import select
from collections.abc import Callable, Sequence

from PIL import Image

from hal.events import MILLISECOND, Event, Instant, Key, Slot
from hal.pages import packed
from hal.parts import StandingBoard
from hal.picture import SIZE
from hal.sounds import Sound
from hal.view import View, dark
from hal.wiring import READERS, Wiring
from sim.chips.picc import Picc
from sim.panel.actions import Done, Fault, Press, Put, Release, SetFault, SetPace, Skip, Take
from sim.panel.link import Link
from sim.panel.messages import Start
from sim.panel.pace import A_MINUTE, PacedWaiter
from sim.panel.steady_hands import SteadyHands
from sim.stock import STOCK
from sim.virtual import MICRO, Hardware, drivers
from sim.wall_alarm import WallAlarm

BOUNCE = 15 * MILLISECOND * MICRO
NOISE = 0.01
"""The chance of each bit on the air to arrive wrong."""
DEAD_READERS = {Fault.LEFT: READERS[Slot.LEFT], Fault.RIGHT: READERS[Slot.RIGHT]}


class WatchfulAlarm(WallAlarm):
    """Has somebody look before each wait: drivers do things of themselves, in the midst of one."""

    def __init__(self, hardware: Hardware, waiter: PacedWaiter, look: Callable[[], None]) -> None:
        super().__init__(hardware, waiter)
        self._look = look

    def wait(self, until: Instant | None) -> bool:
        self._look()
        return super().wait(until)


class ChipBoard:
    """Fits ``hal.parts.StandingBoard``: a Pi's board, with a hand on each of its parts."""

    def __init__(self, link: Link, start: Start, wiring: Wiring) -> None:
        self._link = link
        self._hardware = Hardware(wiring)
        self._waiter = PacedWaiter()
        self._alarm = WatchfulAlarm(self._hardware, self._waiter, self._look_at_the_glass)
        module = drivers(self._hardware)
        self._hands = SteadyHands()
        self._cards: dict[int, tuple[Slot, Picc]] = {}
        self._bounce = 0
        self._view = dark(0, "")
        self._told: list[bytes] | None = None
        self._looked_at: tuple[int, bool] | None = None
        self._begin(start)
        self._real: StandingBoard = module.board_on(self._hardware, self._alarm, wiring)
        self._waiter.listen(link.ear)
        self.clock = self._real.clock
        self.screen = module.WatchedScreen(self._real.screen, self)
        self.rest = self._real.rest
        self.interrupt = self._real.interrupt
        self.listen = self._real.listen
        self.deafen = self._real.deafen
        self.inventory = self._real.inventory

    def _begin(self, start: Start) -> None:
        """As everything stood before the power came."""
        self._waiter.run(start.pace)
        for fault in start.faults:
            self._break(Fault(fault), broken=True)
        for slot, card in ((Slot.LEFT, start.left), (Slot.RIGHT, start.right)):
            if card is not None:
                self._cards[card] = slot, Picc(STOCK[card - 1])
                self._hardware.put(*self._cards[card])
        for key in start.down:
            self._hardware.press(Key(key), self._bounce)

    @property
    def buzzer(self) -> "ChipBoard":
        return self

    def play(self, sound: Sound, volume: int) -> None:
        self._real.buzzer.play(sound, volume)
        self._link.sound(sound, volume)

    def showed(self, view: View) -> None:
        """The drivers have sent a view; what the glass makes of it is another matter."""
        self._view = view
        self._look_at_the_glass()

    def wait(self, until: Instant | None) -> Sequence[Event]:
        self._obey_all()
        self._hands.work(self._alarm.now())
        due = self._hands.due
        ends = [end for end in (until, due) if end is not None]
        events = self._real.wait(min(ends, default=None))
        while not self._link.stop.asked and select.select([self._link.ear], [], [], 0)[0]:
            self._link.listen()
        self._obey_all()
        self._look_at_the_glass()
        return events

    def _obey_all(self) -> None:
        """What was told may have come with the start already, with nothing more to read."""
        self._alarm.now()  # what hands do is done now, and not when the models last looked
        while (done := self._link.next()) is not None:
            self._obey(done)

    def _obey(self, done: Done) -> None:
        match done:
            case Press(key):
                self._hands.press(key, lambda: self._hardware.press(key, self._bounce))
            case Release(key):
                self._hands.let_go(key, lambda: self._hardware.let_go(key, self._bounce))
            case Put(card, slot):
                put = self._cards[card] = slot, Picc(STOCK[card - 1])
                self._hands.move_card(lambda: self._hardware.put(*put))
            case Take(card):
                taken = self._cards.pop(card)
                self._hands.move_card(lambda: self._hardware.take(*taken))
            case SetPace(rate):
                self._waiter.run(rate)
            case Skip():
                self._waiter.skip(A_MINUTE)
            case SetFault(fault, broken):
                self._break(fault, broken)

    def _break(self, fault: Fault, broken: bool) -> None:
        match fault:
            case Fault.SCREEN:
                self._hardware.plug_screen(not broken)
            case Fault.BOUNCE:
                self._bounce = BOUNCE if broken else 0
            case Fault.NOISE:
                self._hardware.air.bit_errors = NOISE if broken else 0.0
            case Fault.LEFT | Fault.RIGHT:
                change = self._hardware.cut if broken else self._hardware.mend
                change(DEAD_READERS[fault], "3.3V")

    def _look_at_the_glass(self) -> None:
        """Only where something may have changed: the models' picture is drawn in Python."""
        state = self._hardware.i2c_bytes, self._hardware.oled_plugged
        if state == self._looked_at:
            return
        self._looked_at = state
        pages = packed(self._picture())
        if pages != self._told:
            self._told = pages
            lit = any(any(page) for page in pages)
            view = self._view if lit else dark(self._view.volume, self._view.edition)
            self._link.show(view, pages, asleep=not self._view.lit)

    def _picture(self) -> Image.Image:
        return (
            self._hardware.oled.picture() if self._hardware.oled_plugged else Image.new("1", SIZE)
        )
