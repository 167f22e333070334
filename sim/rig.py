"""The rig: a box on the software board, and the hands, eyes and ears of a script.

The rig owns what outlives the firmware: the cards in the slots, the ledger, and
the switch of the power supply.
"""

from firmware.app import App
from firmware.edition import Edition
from firmware.ledger import Ledger
from firmware.store import Store
from hal.events import Instant, Key, Slot
from hal.sounds import Sound
from hal.view import View
from sim import stock
from sim.board import SimBoard
from sim.clocks import SimClock, VirtualClock
from sim.trace import Watcher, ignore

EPOCH = 1_000_000_000
"""What the calendar says when a virtual clock starts: any fixed instant will do."""


class Rig:
    """A box, switched on, with empty slots."""

    def __init__(
        self, store: Store, edition: Edition, clock: SimClock, watch: Watcher = ignore
    ) -> None:
        self._store = store
        self._edition = edition
        self._board = SimBoard(clock, watch)
        self._app: App | None = None
        self.power_on()

    @classmethod
    def new(cls, edition: Edition, *, stock_known: bool, watch: Watcher = ignore) -> "Rig":
        """A new box for a script: in memory, in virtual time."""
        clock = VirtualClock()
        store = Store.in_memory(lambda: EPOCH + clock.now() // 1_000_000)
        if stock_known:
            Ledger(store, edition).know(stock.players(edition))
        return cls(store, edition, clock, watch)

    # Hands

    def insert(self, slot: Slot, uid: bytes) -> None:
        self._begin_input()
        assert self._board.slots[slot].card is None, f"the {slot.value} slot holds a card"
        self._board.slots[slot].card = uid
        self._settle()

    def remove(self, slot: Slot) -> None:
        self._begin_input()
        assert self._board.slots[slot].card is not None, f"the {slot.value} slot is empty"
        self._board.slots[slot].card = None
        self._settle()

    def press(self, keys: tuple[Key, ...]) -> None:
        self._begin_input()
        for key in keys:
            self._board.keypad.press(key)
            self._settle()
            self._board.keypad.let_go(key)
            self._settle()

    def hold(self, key: Key, duration: int) -> None:
        self._begin_input()
        self._board.keypad.press(key)
        self._settle()
        self._pass(duration)
        self._board.keypad.let_go(key)
        self._settle()

    def wait(self, duration: int) -> None:
        self._begin_input()
        self._pass(duration)

    def power_off(self) -> None:
        """Cut the power: the firmware is gone, without a chance to tidy up."""
        assert self._app, "the power is off"
        self._begin_input()
        self._board.note("power  off")
        self._app = None
        self._board.screen.view = None

    def power_on(self) -> None:
        assert self._app is None, "the power is on"
        self._begin_input()
        self._board.note("power  on")
        for slot in self._board.slots.values():
            slot.restart()
        self._app = App(self._board, Ledger(self._store, self._edition), self._edition)
        self._settle()

    def catch_up(self) -> None:
        """On a wall clock: let the box live through the time since the last line."""
        self._board.horizon = self._board.clock.now()
        self._settle()

    # Eyes and ears

    @property
    def now(self) -> Instant:
        return self._board.clock.now()

    def occupied(self, slot: Slot) -> bool:
        return self._board.slots[slot].card is not None

    @property
    def view(self) -> View | None:
        """What the screen shows; None without power."""
        return self._board.screen.view

    @property
    def sound(self) -> Sound | None:
        """The last sound since the last input, but for key clicks."""
        played = [sound for sound in self._board.buzzer.played if sound is not Sound.KEY]
        return played[-1] if played else None

    @property
    def asleep(self) -> bool:
        return self._app is not None and self._app.box.asleep

    @property
    def ledger(self) -> Ledger:
        """What is in the store, read anew and not taken from the firmware's memory."""
        return Ledger(self._store, self._edition)

    def balance(self, card: int) -> int | None:
        """The ledger's balance of a card; None for a card it does not know."""
        ledger = self.ledger
        return ledger.balance(card) if card in ledger.cards else None

    # The world's time

    def _begin_input(self) -> None:
        self._board.buzzer.played.clear()

    def _pass(self, duration: int) -> None:
        self._board.horizon = Instant(self._board.clock.now() + duration)
        self._settle()
        self._board.clock.pass_until(self._board.horizon)

    def _settle(self) -> None:
        """Run the firmware until it has nothing more to do before the horizon."""
        while self._app and not self._board.idle(self._app.box.deadline):
            self._app.turn()
