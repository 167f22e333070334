"""The rig: a box on a stand, its ledger, and the switch of its power supply."""

from contextlib import ExitStack
from typing import TYPE_CHECKING

from firmware.edition import Edition
from firmware.house import BY_THE_BOOK, House
from firmware.ledger import Ledger
from firmware.store import Store
from hal.events import SECOND, Instant, Key, Slot
from hal.sounds import Sound
from hal.view import View
from sim import stock
from sim.clocks import VirtualClock
from sim.fault import ClockJump, Fault
from sim.kept_ledger import KeptLedger, OpenStore
from sim.running import Start
from sim.script import Script
from sim.software_stand import SoftwareStand
from sim.stand import Stand
from sim.trace import Watcher, ignore

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random

EPOCH = 1_000_000_000
"""What the calendar says when a virtual clock starts: any fixed instant will do."""


class Calendar:
    """What day it is, for people who read the ledger; nothing may depend on it being right."""

    def __init__(self, stand: Stand) -> None:
        self._stand = stand
        self._ahead = 0

    def __call__(self) -> float:
        return EPOCH + (self._stand.now + self._ahead) // SECOND

    def jump(self, by: int) -> None:
        self._ahead += by


class Rig:
    """A box, switched on, with empty slots. It owns what outlives the firmware."""

    def __init__(
        self,
        kept: KeptLedger,
        edition: Edition,
        stand: Stand,
        house: House = BY_THE_BOOK,
        calendar: Calendar | None = None,
    ) -> None:
        self.kept = kept
        self._edition = edition
        self._house = house
        self._stand = stand
        self._calendar = calendar
        self._switched_on = False
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
        calendar = Calendar(stand)
        store = Store.in_memory(calendar)
        if stock_known:
            Ledger(store, edition).know(stock.players(edition))
        return cls(OpenStore(store), edition, stand, house, calendar)

    @classmethod
    def on_card(
        cls,
        stand: Stand,
        edition: Edition,
        *,
        stock_known: bool,
        house: House = BY_THE_BOOK,
        folder: "Path | None" = None,
        dice: "Random | None" = None,
    ) -> "Rig":
        """A new box on a stand, with a ledger on an SD card that can fail.

        What the dice decide is the same every time, if nobody brings others.
        """
        # Loaded only now: it takes SQLite apart, and few scripts need it.
        from sim.card_ledger import CardLedger

        calendar = Calendar(stand)
        with ExitStack() as undo:
            kept = CardLedger(folder, dice, calendar)
            undo.callback(kept.put_away)
            ledger = Ledger(kept.switch_on(), edition)
            if stock_known:
                ledger.know(stock.players(edition))
            kept.cut_power()
            rig = cls(kept, edition, stand, house, calendar)
            undo.pop_all()
            return rig

    @classmethod
    def for_script(cls, script: Script, stand: Stand) -> "Rig":
        """The box that a script begins with."""
        begin = cls.on_card if script.needs_disk else cls.on
        return begin(stand, script.edition, stock_known=script.stock_known, house=script.house)

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
        """Also when the power has gone by itself, and nobody has looked at the plug since."""
        assert self._switched_on, "the power is off"
        self._begin_input()
        self._switched_on = False
        self._stand.stop()
        self.kept.cut_power()

    def power_on(self) -> None:
        assert not self.powered, "the power is on"
        self._begin_input()
        self._switched_on = True
        self._stand.start(Start(self._opened, self._edition, self._house))

    def _opened(self) -> Ledger:
        return Ledger(self.kept.switch_on(), self._edition)

    def cause(self, fault: Fault) -> None:
        self._begin_input()
        if isinstance(fault, ClockJump) and self._calendar:
            self._calendar.jump(fault.by)
        self.kept.cause(fault)
        self._stand.cause(fault)

    def mend(self, fault: Fault) -> None:
        self._begin_input()
        self.kept.mend(fault)
        self._stand.mend(fault)

    def put_away(self) -> None:
        """The script is over: pull the plug if it is still in."""
        if self._switched_on:
            self.power_off()
        self.kept.put_away()

    def use(self, store: Store) -> None:
        """The same ledger, opened anew."""
        self.kept = OpenStore(store)

    def catch_up(self) -> None:
        """On a wall clock: let the box live through the time since the last line."""
        self._stand.catch_up()

    def _begin_input(self) -> None:
        self._stand.played.clear()

    # Eyes and ears

    @property
    def powered(self) -> bool:
        """Whether the box has power; it may have gone by itself."""
        return self._stand.running

    @property
    def now(self) -> Instant:
        return self._stand.now

    def occupied(self, slot: Slot) -> bool:
        return self._stand.holds(slot)

    @property
    def view(self) -> View | None:
        """What the screen shows; None without power, or when it is unplugged."""
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
        return self.kept.read(self._edition)

    def balance(self, card: int) -> int | None:
        """The ledger's balance of a card; None for a card it does not know."""
        ledger = self.ledger
        return ledger.balance(card) if card in ledger.cards else None

    def worth(self, card: int) -> int | None:
        """What a card has come to in the final count; None for one that was not counted."""
        return self.ledger.current.worth(card)
