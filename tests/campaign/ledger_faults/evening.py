"""An evening that makes a box write everything it ever writes, several times.

From the loop down to the file the box is real; only the slots, the keypad and the clock are
simulated. Callbacks report each durable append and each view.
"""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, cast

from firmware.app import OpenedLedger, Settings
from firmware.bank import edition as editions
from firmware.bank.house_rules import HouseRules
from firmware.bank.ledger import Ledger
from firmware.bank.records import Journal, JournalFailed, Record
from firmware.storage.ledger_file import LedgerRefused, opened_by_box, shared_for_changes
from hal.display.sounds import Sound
from hal.display.view import View
from hal.events import MINUTE, SECOND, Instant, Key, Slot
from sim.board.clocks import VirtualClock
from sim.board.software_harness import SoftwareHarness
from sim.board.stock import STOCK
from sim.board.trace import Happening

BANKING = editions.load("banking")
LEDGER = "ledger.db"
POT = HouseRules(pot=True)
EPOCH = 1_000_000_000
"""The calendar's constant time."""


class ObservedJournal:
    """A journal that reports what was appended to it."""

    def __init__(self, journal: Journal, on_append: Callable[[tuple[Record, ...]], None]) -> None:
        self._journal = journal
        self._on_append = on_append

    def append(self, *records: Record) -> None:
        self._journal.append(*records)
        self._on_append(records)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._journal, name)


def observed(journal: Journal, on_append: Callable[[tuple[Record, ...]], None]) -> Journal:
    return cast(Journal, ObservedJournal(journal, on_append))


def ignore(_: object) -> None: ...


class Evening:
    """A box, and methods that operate it."""

    def __init__(
        self,
        folder: Path,
        *,
        appended: Callable[[tuple[Record, ...]], None] = ignore,
        shown: Callable[[View], None] = ignore,
    ) -> None:
        self._path = folder / LEDGER
        self._appended = appended
        self._shown = shown
        self._harness = SoftwareHarness(VirtualClock(), self._on_event)
        self._resources = ExitStack()
        self.ledger: Ledger

    @contextmanager
    def box(self) -> Iterator[None]:
        """The box, switched on, and stopped cleanly at the end."""
        with ExitStack() as self._resources:
            self._harness.start(self._open_ledger, Settings(house=POT))
            try:
                yield
            finally:
                self._harness.stop()

    def _open_ledger(self, _: ExitStack) -> OpenedLedger:
        """Open the ledger as each start of the firmware does."""
        self._resources.close()
        try:
            store = self._resources.enter_context(opened_by_box(self._path, lambda: EPOCH))
        except LedgerRefused as refusal:
            raise JournalFailed(str(refusal)) from None
        self.ledger = Ledger(observed(store, self._appended), BANKING)
        return OpenedLedger(self.ledger, BANKING)

    def _on_event(self, _at: Instant, thing: Happening) -> None:
        if isinstance(thing, View):
            self._shown(thing)

    # Inputs

    @property
    def view(self) -> View:
        view = self._harness.view
        assert view is not None, "the power is off"
        return view

    @property
    def sounds(self) -> list[Sound]:
        """Sounds since the last input, without key clicks."""
        return [sound for sound in self._harness.played if sound is not Sound.KEY]

    def put(self, left: int | None = None, right: int | None = None) -> None:
        """Make the slots hold exactly these cards."""
        self._harness.played.clear()
        for slot in Slot:
            if self._harness.occupied(slot):
                self._harness.remove(slot)
        for slot, card in ((Slot.LEFT, left), (Slot.RIGHT, right)):
            if card is not None:
                self._harness.insert(slot, STOCK[card - 1])

    def press(self, keys: str) -> None:
        self._harness.played.clear()
        for key in keys.replace(" ", ""):
            self._harness.hold(Key(key), 0)

    def hold_c(self) -> None:
        self._harness.played.clear()
        self._harness.hold(Key.CANCEL, 3 * SECOND)

    def bankrupt(self) -> None:
        self.press("F1")
        self._harness.hold(Key.MILLIONS, 1 * SECOND)

    @contextmanager
    def command_line(self) -> Iterator[Ledger]:
        """The ledger as `tellerbox cards` opens it, next to the running box."""
        with shared_for_changes(self._path) as store:
            yield Ledger(observed(store, self._appended), BANKING)

    def replace(self, card: int) -> None:
        with self.command_line() as ledger:
            ledger.ask_replacement(card)

    def wait(self, duration: int) -> None:
        self._harness.played.clear()
        self._harness.wait(duration)


def rents(table: Evening, owner: int, payer: int) -> None:
    """Rents between two players, undone and repeated."""
    table.put(left=owner, right=payer)
    table.press("20K")
    table.press("30K")
    table.press("C")
    table.press("C")
    table.press("40K")
    table.press("F4 7K M")
    table.press("F7 M")


def bank(table: Evening, card: int) -> None:
    """Moves from the bank, to the bank, and with the pot."""
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
    table.press("C")
    table.put(left=card)
    table.press("F F2 M")
    table.put()
    table.press(",")


def cards(table: Evening, new_card: int, known: int) -> None:
    """A new card is forgotten by C, again by its number, restored, and then replaces another."""
    table.put()
    table.put(left=new_card)
    table.press("C")
    table.put()
    table.put(left=new_card)
    table.press("50K")
    number = table.ledger.number_of(STOCK[new_card - 1])
    with table.command_line() as ledger:
        ledger.name(known, "Ana" if ledger.state.names.get(known) != "Ana" else "")
        ledger.ask_replacement(known)
        ledger.cancel_replacement()
    table.press(f"F05 {number}M M")
    table.press("C")
    table.press(f"F05 {number}M M")
    table.replace(known)
    table.put(left=new_card)
    table.press("20K")
    table.replace(known)
    table.put(right=known)
    table.press("20K")


def counts(table: Evening, first: int, second: int) -> None:
    """The final count is opened, left, resumed, ended, and left for more moves."""
    table.put(left=first)
    table.press("F9M")
    table.press("1M")
    table.press("C")
    table.press("3M")
    table.put()
    table.press("C")
    table.press("F9M")
    table.put(left=second)
    table.press("2,5M")
    table.put()
    table.press("M M")
    table.press("C")


def games(table: Evening, card: int) -> None:
    """A fast game, one against the clock, another edition, and back."""
    table.put()
    table.press("F02")
    table.hold_c()
    table.put(right=card)
    table.bankrupt()
    table.press("C")
    table.put()
    table.press("F03 2M")
    table.hold_c()
    table.put(left=card)
    table.press("G")
    table.wait(1 * MINUTE + 1 * SECOND)
    table.put()
    table.press("C")
    table.put(left=card)
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
    """Play some rounds, then restart the box and play more."""
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
