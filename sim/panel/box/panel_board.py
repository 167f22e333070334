"""The software board behind the panel: hands come over the link, pictures and sounds go back.

The box's time stands still while the box works: an instant lasts until the next wait. So
what happens depends on what hands did and when, and on nothing else.
"""

from collections.abc import Sequence
from typing import NamedTuple

from hal.events import (
    MILLISECOND,
    CardIn,
    CardOut,
    Event,
    Instant,
    Key,
    KeyDown,
    KeyUp,
    Slot,
)
from hal.pages import packed
from hal.picture import draw
from hal.sounds import Sound
from hal.view import View, dark
from sim.panel.actions import Done, Fault, Press, Put, Release, SetFault, SetPace, Skip, Take
from sim.panel.link import Link
from sim.panel.messages import Start
from sim.panel.pace import A_MINUTE, PacedWaiter
from sim.stock import STOCK


class Moment:
    """A clock that is told what time it is."""

    def __init__(self) -> None:
        self.reached = Instant(0)

    def now(self) -> Instant:
        return self.reached


class Glass:
    """A screen that may be unplugged; what it shows it also tells."""

    def __init__(self, link: Link, *, plugged: bool, test: bool) -> None:
        self._link = link
        self._plugged = plugged
        self._test = test
        self._told: View | None = None
        self.view = dark(0, "")

    def show(self, view: View) -> None:
        self.view = view._replace(test=self._test)
        self._tell()

    def plug(self, plugged: bool) -> None:
        self._plugged = plugged
        self._tell()

    def _tell(self) -> None:
        lit = self._plugged and self.view.lit
        shown = self.view if lit else dark(self.view.volume, self.view.edition)
        if shown != self._told:
            self._told = shown
            self._link.show(shown, packed(draw(shown)), asleep=not self.view.lit)


class LinkedBuzzer(NamedTuple):
    """A buzzer at the other end of the link; remembers what was played."""

    link: Link
    played: list[Sound]

    def play(self, sound: Sound, volume: int) -> None:
        self.played.append(sound)
        self.link.sound(sound, volume)


class SoftwareBoard:
    """Fits ``hal.parts.StandingBoard``. A wait brings one thing that a hand did, or none."""

    def __init__(self, link: Link, start: Start, waiter: PacedWaiter | None = None) -> None:
        self._link = link
        self._waiter = waiter or PacedWaiter()
        self._waiter.run(start.pace)
        self._waiter.listen(link.ear)
        self.clock = Moment()
        unplugged = Fault.SCREEN.value in start.faults
        self.screen = Glass(link, plugged=not unplugged, test=start.recording)
        self.buzzer = LinkedBuzzer(link, [])
        self._slots: dict[int, Slot] = {}
        cards = ((Slot.LEFT, start.left), (Slot.RIGHT, start.right))
        self._first = [self._put(card, slot) for slot, card in cards if card is not None]
        self.listen = self._waiter.listen
        self.deafen = self._waiter.deafen
        self.interrupt = self._waiter.interrupt

    def rest(self, asleep: bool) -> None:
        """Software needs no rest."""

    def wait(self, until: Instant | None) -> Sequence[Event]:
        """Time comes first, then hands: what falls due before they move is done before (G4)."""
        first, self._first = self._first, []
        if first:
            return first
        while not self._link.stop.asked:
            now = self._coming()
            if until is not None and until <= now:
                self.clock.reached = until
                return ()
            done = self._next()
            if done is None:
                if self._waiter.wait(None if until is None else self._when_comes(until)):
                    self._link.listen()
                continue
            self.clock.reached = now
            if events := self._obey(done):
                return events
        return ()

    def _coming(self) -> Instant:
        """What time it is by now."""
        return Instant(self._waiter.now() // MILLISECOND * MILLISECOND)

    def _when_comes(self, moment: Instant) -> Instant:
        """What the waiter's clock says when it is that moment for the box."""
        return moment

    def _next(self) -> Done | None:
        return self._link.next()

    def _obey(self, done: Done) -> Sequence[Event]:
        """Do it; what of it the box's parts notice."""
        match done:
            case Press(key):
                return self._press(key)
            case Release(key):
                return self._release(key)
            case Put(card, slot):
                return [self._put(card, slot)]
            case Take(card):
                return [CardOut(self.clock.now(), self._slots.pop(card))]
            case SetPace(rate):
                self._waiter.run(rate)
            case Skip():
                self._waiter.skip(A_MINUTE)
            case SetFault(Fault.SCREEN, broken):
                self.screen.plug(not broken)
            case SetFault():
                raise AssertionError(f"{done.fault} cannot break on the software board")
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
