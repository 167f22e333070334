"""A box on the software board, in virtual or wall time."""

from hal.events import Instant, Key, Slot
from hal.language import Language
from hal.sounds import Sound
from hal.view import View
from sim.board import SimBoard
from sim.clocks import SimClock
from sim.fault import Fault, KeyStuck, Mishap, ReaderDead
from sim.running import Running, Start
from sim.stand import PowerGone
from sim.trace import Watcher, ignore


class SoftwareStand:
    """The firmware runs whenever something was done, until it has nothing more to do."""

    def __init__(
        self,
        clock: SimClock,
        watch: Watcher = ignore,
        language: Language = Language.ENGLISH,
    ) -> None:
        self._language = language
        self._board = SimBoard(clock, watch)
        self._running: Running | None = None
        self._unplugged = False

    def start(self, start: Start) -> None:
        self._board.note("power  on")
        self._board.restart()
        try:
            self._running = Running(self._board, start._replace(language=self._language))
        except PowerGone:
            self._go_dark()
        self._settle()

    def stop(self) -> None:
        if self._running:
            self._go_dark()

    def _go_dark(self) -> None:
        self._board.note("power  off")
        self._running = None
        self._board.screen.view = None

    # Faults

    def cause(self, fault: Fault) -> None:
        self._board.note(f"fault  {fault.words}")
        match fault:
            case ReaderDead(slot):
                self._board.slots[slot].dead = True
            case KeyStuck(key):
                self._board.keypad.stick(key)
            case Mishap.SCREEN:
                self._unplugged = True
        self._settle()

    def mend(self, fault: Fault) -> None:
        self._board.note(f"mend   {fault.words}")
        match fault:
            case ReaderDead(slot):
                self._board.slots[slot].dead = False
            case KeyStuck():
                self._board.keypad.unstick()
            case Mishap.SCREEN:
                self._unplugged = False
        self._settle()

    # Hands

    def put(self, slot: Slot, uid: bytes) -> None:
        self._board.slots[slot].card = uid
        self._settle()

    def take(self, slot: Slot) -> None:
        self._board.slots[slot].card = None
        self._settle()

    def holds(self, slot: Slot) -> bool:
        return self._board.slots[slot].card is not None

    def hold(self, key: Key, duration: int) -> None:
        self._board.keypad.press(key)
        self._settle()
        if duration:
            self.pass_time(duration)
        self._board.keypad.let_go(key)
        self._settle()

    # Time

    def pass_time(self, duration: int) -> None:
        self._board.horizon = Instant(self._board.clock.now() + duration)
        self._settle()
        self._board.clock.pass_until(self._board.horizon)

    def catch_up(self) -> None:
        self._board.horizon = self._board.clock.now()
        self._settle()

    def _settle(self) -> None:
        try:
            while self._running and not self._board.idle(self._running.deadline):
                self._running.turn()
        except PowerGone:
            self._go_dark()

    # Eyes and ears

    @property
    def running(self) -> bool:
        return self._running is not None

    @property
    def now(self) -> Instant:
        return self._board.clock.now()

    @property
    def view(self) -> View | None:
        return None if self._unplugged else self._board.screen.view

    @property
    def asleep(self) -> bool:
        return self._running is not None and self._running.asleep

    @property
    def played(self) -> list[Sound]:
        return self._board.buzzer.played
