"""The rig: a box on a stand, its ledger, and the switch of its power supply."""

from firmware.edition import Edition
from firmware.house import BY_THE_BOOK, House
from firmware.ledger import Ledger
from firmware.store import Store
from hal.events import SECOND, Instant, Key, Slot
from hal.sounds import Sound
from hal.view import View
from sim import stock
from sim.clocks import VirtualClock
from sim.software_stand import SoftwareStand
from sim.stand import Stand
from sim.trace import Watcher, ignore

EPOCH = 1_000_000_000
"""What the calendar says when a virtual clock starts: any fixed instant will do."""


class Rig:
    """A box, switched on, with empty slots. It owns what outlives the firmware."""

    def __init__(
        self, store: Store, edition: Edition, stand: Stand, house: House = BY_THE_BOOK
    ) -> None:
        self._store = store
        self._edition = edition
        self._house = house
        self._stand = stand
        self._powered = False
        self.power_on()

    @classmethod
    def new(
        cls,
        edition: Edition,
        *,
        stock_known: bool,
        house: House = BY_THE_BOOK,
        watch: Watcher = ignore,
    ) -> "Rig":
        """A new box for a script: on the software board, in memory, in virtual time."""
        stand = SoftwareStand(VirtualClock(), watch)
        return cls.on(stand, edition, stock_known=stock_known, house=house)

    @classmethod
    def on(
        cls, stand: Stand, edition: Edition, *, stock_known: bool, house: House = BY_THE_BOOK
    ) -> "Rig":
        """A new box on a stand, with a store in memory."""
        store = Store.in_memory(lambda: EPOCH + stand.now // SECOND)
        if stock_known:
            Ledger(store, edition).know(stock.players(edition))
        return cls(store, edition, stand, house)

    # Hands

    def insert(self, slot: Slot, uid: bytes) -> None:
        self._begin_input()
        assert not self._stand.holds(slot), f"the {slot.value} slot holds a card"
        self._stand.put(slot, uid)

    def remove(self, slot: Slot) -> None:
        self._begin_input()
        assert self._stand.holds(slot), f"the {slot.value} slot is empty"
        self._stand.take(slot)

    def press(self, keys: tuple[Key, ...]) -> None:
        self._begin_input()
        for key in keys:
            self._stand.hold(key, 0)

    def hold(self, key: Key, duration: int) -> None:
        self._begin_input()
        self._stand.hold(key, duration)

    def wait(self, duration: int) -> None:
        self._begin_input()
        self._stand.pass_time(duration)

    def power_off(self) -> None:
        assert self._powered, "the power is off"
        self._begin_input()
        self._stand.stop()
        self._powered = False

    def power_on(self) -> None:
        assert not self._powered, "the power is on"
        self._begin_input()
        self._powered = True
        self._stand.start(self.ledger, self._edition, self._house)

    def put_away(self) -> None:
        """The script is over: pull the plug if it is still in."""
        if self._powered:
            self.power_off()

    def use(self, store: Store) -> None:
        """The same ledger, opened anew."""
        self._store = store

    def catch_up(self) -> None:
        """On a wall clock: let the box live through the time since the last line."""
        self._stand.catch_up()

    def _begin_input(self) -> None:
        self._stand.played.clear()

    # Eyes and ears

    @property
    def now(self) -> Instant:
        return self._stand.now

    def occupied(self, slot: Slot) -> bool:
        return self._stand.holds(slot)

    @property
    def view(self) -> View | None:
        """What the screen shows; None without power."""
        return self._stand.view

    @property
    def sound(self) -> Sound | None:
        """The last sound since the last input, but for key clicks."""
        played = [sound for sound in self._stand.played if sound is not Sound.KEY]
        return played[-1] if played else None

    @property
    def asleep(self) -> bool:
        return self._stand.asleep

    @property
    def ledger(self) -> Ledger:
        """What is in the store, read anew and not taken from the firmware's memory."""
        return Ledger(self._store, self._edition)

    def balance(self, card: int) -> int | None:
        """The ledger's balance of a card; None for a card it does not know."""
        ledger = self.ledger
        return ledger.balance(card) if card in ledger.cards else None

    def worth(self, card: int) -> int | None:
        """What a card has come to in the final count; None for one that was not counted."""
        return self.ledger.current.worth(card)
