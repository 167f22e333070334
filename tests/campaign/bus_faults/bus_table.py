"""A short evening with everything in it, at a box whose calls into the kernel may fail.

The hands do the same whatever the box does. Afterwards everything is in order again, and
the box has to show and bank as if nothing had been.
"""

from collections.abc import Callable

from firmware import edition as editions
from firmware.app import App
from firmware.audit import audit
from firmware.ledger import Ledger
from firmware.store import Store
from hal.events import (
    MILLISECOND,
    SECOND,
    CardIn,
    Event,
    Instant,
    Key,
    KeyDown,
    KeyUp,
    Slot,
)
from hal.picture import draw
from hal.view import View
from sim import stock
from sim.chips.picc import Picc
from sim.virtual import MICRO, VirtualAlarm, drivers
from tests.drivers.harness import LIBRARY
from tests.faults.failing_hardware import Call, FailingHardware, How

LEFT, RIGHT = Slot.LEFT, Slot.RIGHT
EDITION = editions.load("banking")
ONE, TWO = 1, 2
"""The cards that are played with."""
M = 1_000_000
SLEEP_AFTER = 350 * MILLISECOND
"""Instead of a minute, in which the readers are asked fifty thousand times."""
LOOKED_AFTER = 2200 * MILLISECOND
"""Within which a screen is asked whether it is on."""
FINGER = 35 * MILLISECOND
"""How long a key is down, and up again before the next."""


class Broken(Exception):
    """The box did not do what it has to."""


class Table:
    """The box, and the hands at it."""

    def __init__(self, hardware: FailingHardware) -> None:
        self.hardware = hardware
        self.alarm = VirtualAlarm(self.hardware)
        self.store = Store.in_memory(lambda: self.alarm.now() // SECOND)
        Ledger(self.store, EDITION).know(stock.players(EDITION))
        self.events: list[Event] = []
        self.view: View | None = None
        self._in: dict[Slot, Picc] = {}
        self.board = drivers(self.hardware, LIBRARY).WatchedBoard(self.hardware, self.alarm, self)
        self.app = App(self.board, Ledger(self.store, EDITION), EDITION)

    # What the board tells

    def saw(self, event: Event) -> None:
        self.events.append(event)

    def showed(self, view: View) -> None:
        self.view = view

    def heard(self, sound: object) -> None:
        """Nothing to keep: the buzzer is listened to."""

    # Hands

    def run(self, duration: int) -> None:
        end = Instant(self.alarm.now() + duration)
        while self.alarm.now() < end:
            self.board.horizon = end
            self.app.turn()

    def run_until(self, done: Callable[[], bool], patience: int) -> bool:
        """Whether it came about in time."""
        end = self.alarm.now() + patience
        while not done() and self.alarm.now() < end:
            self.run(10 * MILLISECOND)
        return done()

    def press(self, keys: str) -> None:
        for letter in keys:
            self.hold(Key(letter), FINGER)

    def hold(self, key: Key, duration: int) -> None:
        """A finger does not wait for a box that hangs."""
        world = self.hardware.world
        self.hardware.press(key)
        world.plan(world.now + duration * MICRO, lambda: self.hardware.let_go(key))
        self.run(duration + FINGER)

    def put(self, slot: Slot, card: int, patience: int) -> bool:
        before = len(self.events)
        self._in[slot] = Picc(stock.STOCK[card - 1])
        self.hardware.put(slot, self._in[slot])
        return self.run_until(
            lambda: any(isinstance(e, CardIn) and e.slot is slot for e in self.events[before:]),
            patience,
        )

    def take(self, slot: Slot) -> None:
        if slot in self._in:
            self.hardware.take(slot, self._in.pop(slot))
        self.run(250 * MILLISECOND)

    def holds(self, slot: Slot) -> bool:
        return slot in self._in

    # Eyes

    def balances(self) -> tuple[int, int]:
        """As they are in the store, and not in the firmware's memory."""
        ledger = Ledger(self.store, EDITION)
        return ledger.balance(ONE), ledger.balance(TWO)

    def keys(self, since: int = 0) -> str:
        """``+1 -1``: key 1 went down, then up; of all events, or of those since one."""
        return " ".join(
            ("+" if isinstance(event, KeyDown) else "-") + event.key.value
            for event in self.events[since:]
            if isinstance(event, KeyDown | KeyUp)
        )

    def must(self, holds: bool, what: str) -> None:
        if not holds:
            raise Broken(f"{what} ({self.alarm.now() / SECOND:.3f} s)")

    def glass_is_right(self) -> bool:
        glass = self.hardware.oled.picture().tobytes()
        assert self.view
        return glass == (draw(self.view).tobytes() if self.view.lit else bytes(len(glass)))

    def must_show(self, field: str) -> None:
        self.must(self.glass_is_right(), "the glass shows something else than the box")
        assert self.view
        self.must(self.view.field == field, f"{self.view.field} shows instead of {field}")

    def verify(self) -> None:
        faults = [fault for found in audit(self.store._connection) for fault in found.faults]
        self.must(not faults, f"the ledger: {faults}")


def evening(t: Table) -> None:
    """Everything that the parts are made for, once."""
    patience = 1500 * MILLISECOND
    t.run(100 * MILLISECOND)
    t.put(LEFT, ONE, patience)
    t.press("G")
    t.put(RIGHT, TWO, patience)
    t.press("5M")
    t.press("G")
    t.take(RIGHT)
    t.press("C")
    t.run(SLEEP_AFTER + 500 * MILLISECOND)
    t.press("2M")
    t.take(LEFT)
    t.press(",")
    t.run(150 * MILLISECOND)


KEYS = "+G -G +5 -5 +M -M +G -G +C -C +2 -2 +M -M +, -,"
"""What the fingers do in the evening."""
AFTER_THE_EVENING = (15 + 2 + 5 + 2) * M, (15 - 5) * M
"""The salary, 5M from card 2, and 2M from the bank; the second G and C are refused."""


def closing(t: Table) -> None:
    """Nothing fails any more: after a while every part is as it should be."""
    failure = t.hardware.failure
    hung = failure is not None and failure.how is How.HANGS
    # A screen that did not tell how it is, or hung over it, is not asked any more.
    asked = not hung and not (failure and failure.call is Call.I2C_READ)
    come_back(t, (32 if hung else 3) * SECOND, asked=asked)


def come_back(t: Table, after: int, *, asked: bool) -> None:
    """All parts work, after a while in which nobody touches them."""
    t.hardware.in_order = True
    for slot in Slot:
        t.take(slot)
    t.run(after)
    one, two = t.balances()
    t.must(t.hardware.piezo.duty == 0, "the buzzer sounds on")
    t.must(not t.hardware.oled.lit, "the glass is lit while the box sleeps")
    before = len(t.events)
    t.press("G")  # wakes it, and does nothing else
    t.must_show("-----")
    t.press("1K90")  # every row and every column
    t.must(t.keys(before) == "+G -G +1 -1 +K -K +9 -9 +0 -0", f"keys: {t.keys(before)}")
    t.must(t.put(LEFT, TWO, SECOND), "the left reader did not come back")
    t.press("1M")
    t.must(t.balances() == (one, two + M), "1M from the bank did not arrive")
    t.must_show(shown(two + M))
    t.must(t.put(RIGHT, ONE, SECOND), "the right reader did not come back")
    t.press("1M")
    t.must(t.balances() == (one - M, two + 2 * M), "1M did not go from card to card")
    t.must_show(shown(one - M))
    t.press("C")
    t.must(t.balances() == (one, two + M), "C did not take it back")
    for slot in Slot:
        t.take(slot)
    t.must_show("-----")
    t.verify()
    if asked:
        t.hardware.oled.power_cycle()
        end = t.alarm.now() + LOOKED_AFTER
        while not t.hardware.oled.lit and t.alarm.now() < end:
            t.press("1")
            t.run(200 * MILLISECOND)
        t.must(t.hardware.oled.lit and t.glass_is_right(), "the screen is not looked after")


def shown(amount: int) -> str:
    """Of whole millions."""
    return f"{amount // M}M"
