"""A journal in memory that can fail, that another program can write to, and that can be shared."""

from contextlib import AbstractContextManager, nullcontext

from firmware.bank.edition import Edition
from firmware.bank.ledger import Ledger
from firmware.bank.records import Journal, JournalFailed, Record
from firmware.storage.store import Store
from sim.board.fault import DiskFails, DiskRefusal, Fault
from sim.board.kept_ledger import KeptLedger


class SharedJournal:
    """The journal of a box, in front of its store."""

    def __init__(self, store: Store | None) -> None:
        self._store = store
        self.written: list[Record] = []
        """What the box has written since it was last cleared."""
        self.disk_refusal: DiskRefusal | None = None
        self.changed = False
        """Whether another program has written something that the box has not read."""
        self.in_doubt = False
        self._origin: SharedJournal | None = None

    def detached(self) -> "SharedJournal":
        """A journal that reads the same, and keeps to itself what is written."""
        journal = SharedJournal(None)
        journal.disk_refusal, journal.changed = self.disk_refusal, self.changed
        journal.in_doubt, journal._origin = self.in_doubt, self
        return journal

    def append(self, *records: Record) -> None:
        if self.disk_refusal is not None:
            self.in_doubt = self.disk_refusal is DiskRefusal.SYNC
            raise JournalFailed(f"disk {self.disk_refusal.value}")
        if self._store:
            self._store.append(*records)
        self.written += records

    def without_other_writers(self) -> AbstractContextManager[None]:
        return nullcontext()

    def replay(self, game: int | None = None) -> tuple[Record, ...]:
        if self.disk_refusal is DiskRefusal.SYNC:
            raise JournalFailed("the disk does not say what is on it")
        if game is None:
            self.changed = self.in_doubt = False
        store = self._store or (self._origin and self._origin._store)
        assert store, "a journal without a store"
        return store.replay(game)

    def changed_elsewhere(self) -> bool:
        return self.changed or self.in_doubt


class SharedLedger(KeptLedger):
    """The journal of a simulated box, which stays when its power is cut."""

    def __init__(self) -> None:
        super().__init__(Store.in_memory())
        self.journal = SharedJournal(self._store)

    def switch_on(self) -> Journal:
        self.journal.changed = False
        return self.journal

    def cause(self, fault: Fault) -> None:
        if isinstance(fault, DiskFails):
            self.journal.disk_refusal = fault.refusal

    def mend(self, fault: Fault) -> None:
        if isinstance(fault, DiskFails):
            self.journal.disk_refusal = None

    def change_from_outside(self, edition: Edition) -> Ledger:
        """The ledger as another program sees it, which is about to change it."""
        self.journal.changed = True
        return Ledger(self._store, edition)
