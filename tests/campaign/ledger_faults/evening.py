"""An evening that a disk lives through: everything that a box ever writes, several times.

A box of the real parts from the loop down to the file: only the slots, the keypad and the
clock are simulated. Who watches is told whenever something was made durable, and whenever
the screen changed.
"""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, cast

from firmware import edition as editions
from firmware.house import House
from firmware.ledger import Ledger
from firmware.ledger_file import LedgerRefused, held_by_box, shared_for_changes
from firmware.records import Journal, JournalFailed, Record
from hal.events import MINUTE, SECOND, Instant, Key, Slot
from hal.sounds import Sound
from hal.view import View
from sim.clocks import VirtualClock
from sim.running import Start
from sim.software_stand import SoftwareStand
from sim.stock import STOCK
from sim.trace import Happening

BANKING = editions.load("banking")
LEDGER = "ledger.db"
POT = House(pot=True)
EPOCH = 1_000_000_000
"""What the calendar says, all the time."""


class Witness:
    """A journal, and somebody who sees what was appended to it."""

    def __init__(self, journal: Journal, saw: Callable[[tuple[Record, ...]], None]) -> None:
        self._journal = journal
        self._saw = saw

    def append(self, *records: Record) -> None:
        self._journal.append(*records)
        self._saw(records)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._journal, name)


def witnessed(journal: Journal, saw: Callable[[tuple[Record, ...]], None]) -> Journal:
    return cast(Journal, Witness(journal, saw))


def nobody(_: object) -> None:
    """Who does not look."""


class Evening:
    """A box, and the hands at it."""

    def __init__(
        self,
        folder: Path,
        *,
        appended: Callable[[tuple[Record, ...]], None] = nobody,
        shown: Callable[[View], None] = nobody,
    ) -> None:
        self._path = folder / LEDGER
        self._appended = appended
        self._shown = shown
        self._stand = SoftwareStand(VirtualClock(), self._watch)
        self._open = ExitStack()
        self.ledger: Ledger

    @contextmanager
    def box(self) -> Iterator[None]:
        """Switched on, and at the end stopped in good order."""
        with ExitStack() as self._open:
            self._stand.start(Start(self._opened, BANKING, POT))
            try:
                yield
            finally:
                self._stand.stop()

    def _opened(self) -> Ledger:
        """As a start of the firmware opens it, and each start after one that was refused."""
        self._open.close()
        try:
            store = self._open.enter_context(held_by_box(self._path, lambda: EPOCH))
        except LedgerRefused as refusal:
            raise JournalFailed(str(refusal)) from None
        self.ledger = Ledger(witnessed(store, self._appended), BANKING)
        return self.ledger

    def _watch(self, _at: Instant, thing: Happening) -> None:
        if isinstance(thing, View):
            self._shown(thing)

    # Hands

    @property
    def view(self) -> View:
        view = self._stand.view
        assert view is not None, "the power is off"
        return view

    @property
    def sounds(self) -> list[Sound]:
        """Those of the last hand."""
        return [sound for sound in self._stand.played if sound is not Sound.KEY]

    def put(self, left: int | None = None, right: int | None = None) -> None:
        """These cards are in, and no others."""
        self._stand.played.clear()
        for slot in Slot:
            if self._stand.holds(slot):
                self._stand.take(slot)
        for slot, card in ((Slot.LEFT, left), (Slot.RIGHT, right)):
            if card is not None:
                self._stand.put(slot, STOCK[card - 1])

    def press(self, keys: str) -> None:
        self._stand.played.clear()
        for key in keys.replace(" ", ""):
            self._stand.hold(Key(key), 0)

    def hold_c(self) -> None:
        self._stand.played.clear()
        self._stand.hold(Key.CANCEL, 3 * SECOND)

    def replace(self, card: int) -> None:
        """By the command line, beside the running box."""
        with shared_for_changes(self._path) as store:
            Ledger(witnessed(store, self._appended), BANKING).ask_replacement(card)

    def wait(self, duration: int) -> None:
        self._stand.played.clear()
        self._stand.pass_time(duration)


def rents(table: Evening, owner: int, payer: int) -> None:
    """Between two players, taken back, and done again."""
    table.put(left=owner, right=payer)
    table.press("20K")
    table.press("30K")
    table.press("C")
    table.press("C")
    table.press("40K")
    table.press("F4 7K M")
    table.press("F7 M")


def bank(table: Evening, card: int) -> None:
    """From the bank, to the bank, and to the pot."""
    table.put(left=card)
    table.press("G")
    table.press("1,5M")
    table.press("F6 200K M")
    table.put(right=card)
    table.press("100K")
    table.press("F2 100K M")
    table.press("F3 100K M")
    table.press("F5 M")
    table.press("F F2 30K M")
    table.press("F8 G M M")
    table.put(left=card)
    table.press("F F2 M")
    table.put()
    table.press(",")


def cards(table: Evening, stranger: int, known: int) -> None:
    """A new card, forgotten by C; again, and forgotten by its number; then it replaces one."""
    table.put()
    table.put(left=stranger)
    table.press("C")
    table.put()
    table.put(left=stranger)
    table.press("50K")
    number = table.ledger.number_of(STOCK[stranger - 1])
    table.press(f"F05 {number}M")
    table.replace(known)
    table.put(left=stranger)
    table.press("20K")
    table.replace(known)
    table.put(right=known)
    table.press("20K")


def counts(table: Evening, first: int, second: int) -> None:
    """The final count: opened, left, gone on with, and played on after."""
    table.put(left=first)
    table.press("F9M")
    table.press("1M")
    table.press("C")
    table.press("F9M")
    table.put(left=second)
    table.press("2,5M")
    table.put()
    table.press("C")


def games(table: Evening, card: int) -> None:
    """A fast game, one against the clock, another edition; and back."""
    table.put()
    table.press("F02")
    table.hold_c()
    table.put(right=card)
    table.press("F1M")
    table.press("C")
    table.put()
    table.press("F03 2M")
    table.hold_c()
    table.put(left=card)
    table.press("G")
    table.wait(1 * MINUTE + 1 * SECOND)
    table.press("C")
    table.press("1M")
    table.put()
    table.press("F01 F04 3")
    table.hold_c()
    table.put(left=card, right=card % 4 + 1)
    table.press("F F1 10M M")
    table.put()
    table.press("F06 M")
    table.press("F04 1")
    table.wait(2 * MINUTE)
    table.press("C C")
    table.press("F06 M F06 M")


def play(table: Evening, rounds: int) -> None:
    """With so many rounds of rents and the rest; a box that is put away, and comes back."""
    with table.box():
        for card in range(1, 5):
            table.put(left=card)
            table.press("G")
        for number in range(rounds):
            one_round(table, number)
    with table.box():
        rents(table, 1, 2)
        games(table, 2)
        bank(table, 3)


def one_round(table: Evening, number: int) -> None:
    owner, payer = number % 4 + 1, (number + 1 + number // 4 % 3) % 4 + 1
    rents(table, owner, payer)
    bank(table, payer)
    if number % 4 == 0:
        cards(table, 5, owner)
    if number % 4 == 1:
        counts(table, owner, payer)
    if number % 4 == 2:
        games(table, payer)
    if number % 6 == 5:
        table.put()
        table.hold_c()
