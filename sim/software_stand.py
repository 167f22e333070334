"""A box on the software board, in virtual or wall time."""

from firmware.app import App
from firmware.edition import Edition
from firmware.house import BY_THE_BOOK, House
from firmware.ledger import Ledger
from hal.events import Instant, Key, Slot
from hal.language import Language
from hal.sounds import Sound
from hal.view import View
from sim.board import SimBoard
from sim.clocks import SimClock
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
        self._app: App | None = None

    def start(self, ledger: Ledger, edition: Edition, house: House = BY_THE_BOOK) -> None:
        self._board.note("power  on")
        for slot in self._board.slots.values():
            slot.restart()
        self._app = App(self._board, ledger, edition, language=self._language, house=house)
        self._settle()

    def stop(self) -> None:
        self._board.note("power  off")
        self._app = None
        self._board.screen.view = None

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

    def pass_time(self, duration: int) -> None:
        self._board.horizon = Instant(self._board.clock.now() + duration)
        self._settle()
        self._board.clock.pass_until(self._board.horizon)

    def catch_up(self) -> None:
        self._board.horizon = self._board.clock.now()
        self._settle()

    def _settle(self) -> None:
        while self._app and not self._board.idle(self._app.box.deadline):
            self._app.turn()

    @property
    def now(self) -> Instant:
        return self._board.clock.now()

    @property
    def view(self) -> View | None:
        return self._board.screen.view

    @property
    def asleep(self) -> bool:
        return self._app is not None and self._app.box.asleep

    @property
    def played(self) -> list[Sound]:
        return self._board.buzzer.played
