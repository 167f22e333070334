"""A box on the software board, in virtual or wall time."""

from hal.display.view import View
from hal.events import Instant, Key, Slot
from sim.board.clocks import SimClock, VirtualClock, WallClock
from sim.board.fault import Fault, KeyStuck, ReaderDead
from sim.board.harness import Harness
from sim.board.software_board import SimBoard
from sim.board.trace import Watcher, ignore


class SoftwareHarness(Harness):
    """After each input, the firmware runs until it has nothing more to do."""

    def __init__(self, clock: SimClock | None = None, watch: Watcher = ignore) -> None:
        self._board = SimBoard(clock or VirtualClock(), watch)
        super().__init__(self._board.clock, self._board.buzzer.played, watch)

    def _switch_on_board(self) -> SimBoard:
        self._board.restart()
        return self._board

    def _switch_off_board(self) -> None:
        self._board.screen.view = None

    def _cause(self, fault: Fault) -> None:
        match fault:
            case ReaderDead(slot):
                self._board.slots[slot].dead = True
            case KeyStuck(key):
                self._board.keypad.stick(key)
        self._settle()

    def _mend(self, fault: Fault) -> None:
        match fault:
            case ReaderDead(slot):
                self._board.slots[slot].dead = False
            case KeyStuck():
                self._board.keypad.unstick()
        self._settle()

    def _put(self, slot: Slot, uid: bytes) -> None:
        self._board.slots[slot].card = uid
        self._settle()

    def _take(self, slot: Slot) -> None:
        self._board.slots[slot].card = None
        self._settle()

    def _hold(self, key: Key, duration: int) -> None:
        self._board.keypad.press(key)
        self._settle()
        if duration:
            self._pass_time(duration)
        self._board.keypad.let_go(key)
        self._settle()

    def _pass_time(self, duration: int) -> None:
        self._board.horizon = Instant(self.now + duration)
        self._settle()
        self._board.clock.pass_until(self._board.horizon)

    def catch_up(self) -> None:
        self._board.horizon = self.now
        self._settle()

    def _settle(self) -> None:
        while self._runner and not self._board.idle(self._runner.deadline):
            self._turn()

    @property
    def _view(self) -> View | None:
        return self._board.screen.view


def for_script(watch: Watcher, realtime: bool) -> SoftwareHarness:
    return SoftwareHarness(WallClock() if realtime else VirtualClock(), watch)
