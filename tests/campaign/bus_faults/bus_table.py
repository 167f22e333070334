"""A short evening with everything in it, on a box whose calls into the kernel may fail.

The input does not depend on the box. Afterwards all calls succeed, and the box must work fully.
"""

from collections.abc import Callable

from firmware.app import App
from firmware.bank import edition as editions
from firmware.bank.ledger import Ledger
from firmware.storage.audit import audit
from firmware.storage.store import Store
from hal.display.renderer import draw
from hal.display.view import View
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
from sim.board import stock
from sim.chips.picc import Picc
from sim.virtual.hardware import MICRO, VirtualAlarm, drivers
from tests.campaign.bus_faults.failing_hardware import Call, FailingHardware, FailureMode

LEFT, RIGHT = Slot.LEFT, Slot.RIGHT
EDITION = editions.load("banking")
ONE, TWO = 1, 2
"""The cards that are played with."""
M = 1_000_000
SLEEP_AFTER = 350 * MILLISECOND
"""Instead of a minute, which would take fifty thousand polls of the readers."""
SCREEN_POLL = 2200 * MILLISECOND
"""The interval at which a screen is polled for power loss."""
KEY_TIME = 35 * MILLISECOND
"""How long a key is down, and then up."""


class CheckFailed(Exception):
    """The box did something wrong."""


class Table:
    """A box, and methods that operate and check it."""

    def __init__(self, hardware: FailingHardware) -> None:
        self.hardware = hardware
        self.alarm = VirtualAlarm(self.hardware)
        self.store = Store.in_memory(lambda: self.alarm.now() // SECOND)
        Ledger(self.store, EDITION).know(stock.players(EDITION))
        self.events: list[Event] = []
        self.view: View | None = None
        self._in: dict[Slot, Picc] = {}
        self.board = drivers(self.hardware).WatchedBoard(self.hardware, self.alarm, self)
        self.app = App(self.board, Ledger(self.store, EDITION), EDITION)

    # Callbacks of the board

    def saw(self, event: Event) -> None:
        self.events.append(event)

    def showed(self, view: View) -> None:
        self.view = view

    def heard(self, sound: object) -> None: ...

    # Input

    def run(self, duration: int) -> None:
        end = Instant(self.alarm.now() + duration)
        while self.alarm.now() < end:
            self.board.horizon = end
            self.app.turn()

    def run_until(self, done: Callable[[], bool], timeout: int) -> bool:
        """Whether it happened in time."""
        end = self.alarm.now() + timeout
        while not done() and self.alarm.now() < end:
            self.run(10 * MILLISECOND)
        return done()

    def press(self, keys: str) -> None:
        for letter in keys:
            self.hold(Key(letter), KEY_TIME)

    def hold(self, key: Key, duration: int) -> None:
        """The key is released in time even if the box hangs."""
        time = self.hardware.time
        self.hardware.press(key)
        time.plan(time.now + duration * MICRO, lambda: self.hardware.let_go(key))
        self.run(duration + KEY_TIME)

    def put(self, slot: Slot, card: int, timeout: int) -> bool:
        before = len(self.events)
        self._in[slot] = Picc(stock.STOCK[card - 1])
        self.hardware.put(slot, self._in[slot])
        return self.run_until(
            lambda: any(isinstance(e, CardIn) and e.slot is slot for e in self.events[before:]),
            timeout,
        )

    def take(self, slot: Slot) -> None:
        if slot in self._in:
            self.hardware.take(slot, self._in.pop(slot))
        self.run(250 * MILLISECOND)

    def holds(self, slot: Slot) -> bool:
        return slot in self._in

    # Checks

    def balances(self) -> tuple[int, int]:
        """The balances in the store, not in the firmware's memory."""
        ledger = Ledger(self.store, EDITION)
        return ledger.balance(ONE), ledger.balance(TWO)

    def keys(self, since: int = 0) -> str:
        """Key events such as ``+1 -1``, for key 1 down and up; all, or those since an index."""
        return " ".join(
            ("+" if isinstance(event, KeyDown) else "-") + event.key.value
            for event in self.events[since:]
            if isinstance(event, KeyDown | KeyUp)
        )

    def check(self, holds: bool, what: str) -> None:
        if not holds:
            raise CheckFailed(f"{what} ({self.alarm.now() / SECOND:.3f} s)")

    def screen_is_right(self) -> bool:
        shown_pixels = self.hardware.oled.picture().tobytes()
        assert self.view
        return shown_pixels == (
            draw(self.view).tobytes() if self.view.lit else bytes(len(shown_pixels))
        )

    def check_shows(self, field: str) -> None:
        self.check(self.screen_is_right(), "the screen does not show the box's view")
        assert self.view
        self.check(self.view.field == field, f"{self.view.field} shows instead of {field}")

    def verify(self) -> None:
        faults = [fault for found in audit(self.store._connection) for fault in found.faults]
        self.check(not faults, f"the ledger has faults: {faults}")


def evening(t: Table) -> None:
    """Use every part once."""
    timeout = 1500 * MILLISECOND
    t.run(100 * MILLISECOND)
    t.put(LEFT, ONE, timeout)
    t.press("G")
    t.put(RIGHT, TWO, timeout)
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
"""The key events of the evening."""
AFTER_THE_EVENING = (15 + 2 + 5 + 2) * M, (15 - 5) * M
"""The salary, 5M from card 2, and 2M from the bank; the second G and C are refused."""


def finish(t: Table) -> None:
    """Nothing fails any more: after a while every part must work."""
    failure = t.hardware.failure
    hung = failure is not None and failure.mode is FailureMode.HANGS
    # The driver stops polling a screen that could not be read or hung.
    screen_polled = not hung and not (failure and failure.call is Call.I2C_READ)
    check_recovery(t, (32 if hung else 3) * SECOND, screen_polled=screen_polled)


def check_recovery(t: Table, after: int, *, screen_polled: bool) -> None:
    """Check that all parts work after a while without input."""
    t.hardware.healthy = True
    for slot in Slot:
        t.take(slot)
    t.run(after)
    one, two = t.balances()
    t.check(t.hardware.piezo.duty == 0, "the buzzer still sounds")
    t.check(not t.hardware.oled.lit, "the screen is lit while the box sleeps")
    before = len(t.events)
    t.press("G")  # only wakes the box
    t.check_shows("-----")
    t.press("1K90")  # every row and every column
    t.check(t.keys(before) == "+G -G +1 -1 +K -K +9 -9 +0 -0", f"wrong keys: {t.keys(before)}")
    t.check(t.put(LEFT, TWO, SECOND), "the left reader did not recover")
    t.press("1M")
    t.check(t.balances() == (one, two + M), "1M from the bank did not arrive")
    t.check_shows(shown(two + M))
    t.check(t.put(RIGHT, ONE, SECOND), "the right reader did not recover")
    t.press("1M")
    t.check(t.balances() == (one - M, two + 2 * M), "1M did not go from card to card")
    t.check_shows(shown(one - M))
    t.press("C")
    t.check(t.balances() == (one, two + M), "C did not undo the move")
    for slot in Slot:
        t.take(slot)
    t.check_shows("-----")
    t.verify()
    if screen_polled:
        t.hardware.oled.power_cycle()
        end = t.alarm.now() + SCREEN_POLL
        while not t.hardware.oled.lit and t.alarm.now() < end:
            t.press("1")
            t.run(200 * MILLISECOND)
        t.check(t.hardware.oled.lit and t.screen_is_right(), "the screen was not restored")


def shown(amount: int) -> str:
    """An amount of a million or more, by M2 and M3: five digits, truncated."""
    millions, rest = divmod(amount, M)
    digits = f"{millions},{rest // 1000:03}"[:6]
    return digits.rstrip("0").rstrip(",") + "M"
