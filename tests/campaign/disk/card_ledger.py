"""A ledger on an SD card that can fail, opened as the firmware opens it.

Only what is on the card survives a power cut. After a cut the firmware's next access to its ledger
raises PowerGone, so it cannot show anything more.
"""

import shutil
import tempfile
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack, redirect_stderr
from io import StringIO
from pathlib import Path
from random import Random
from typing import TypeVar

from firmware.bank.edition import Edition
from firmware.bank.ledger import Ledger
from firmware.bank.records import Journal, JournalFailed, Record
from firmware.storage import ledger_file
from firmware.storage.ledger_check import JOURNAL, LOG, LedgerRefused
from firmware.storage.store import Store
from firmware.storage.wal_recovery import COPY
from sim.board.fault import DiskCut, DiskFails, Fault
from sim.board.harness import PowerGone
from sim.board.kept_ledger import KeptLedger
from tests.campaign.disk.card import SdCard
from tests.campaign.disk.faults import DiskFault

T = TypeVar("T")
NAME = "ledger.db"
_ENDINGS = ("", LOG, LOG + COPY, JOURNAL)


class PoweredJournal:
    """The firmware's journal, until the power is cut."""

    def __init__(self, journal: Journal, card: SdCard) -> None:
        self._journal = journal
        self._card = card

    def append(self, *records: Record) -> None:
        self._while_powered(lambda: self._journal.append(*records))

    def without_other_writers(self) -> AbstractContextManager[None]:
        return self._while_powered(self._journal.without_other_writers)

    def replay(self, game: int | None = None) -> tuple[Record, ...]:
        return self._while_powered(lambda: self._journal.replay(game))

    def changed_elsewhere(self) -> bool:
        return self._while_powered(self._journal.changed_elsewhere)

    @property
    def in_doubt(self) -> bool:
        return self._while_powered(lambda: self._journal.in_doubt)

    def _while_powered(self, action: Callable[[], T]) -> T:
        """Without power, raise PowerGone whatever the result was."""
        try:
            result = action()
        except Exception:
            self._check_power()
            raise
        self._check_power()
        return result

    def _check_power(self) -> None:
        if not self._card.powered:
            raise PowerGone


class CardLedger(KeptLedger):
    """A ledger on a card."""

    def __init__(
        self, folder: Path | None, rng: Random | None, wall_clock: Callable[[], float]
    ) -> None:
        """Uses a temporary folder if none is given; ``rng`` decides what survives a power cut."""
        self._wall_clock = wall_clock
        self._resources = ExitStack()
        if folder is None:
            temporary = tempfile.TemporaryDirectory(prefix="tellerbox-")
            folder = Path(self._resources.enter_context(temporary))
        self.path = folder / NAME
        self.card = self._resources.enter_context(SdCard(folder, rng or Random(0)))
        self._open = self._resources.enter_context(ExitStack())
        self._cut_at: int | None = None
        """The operation of the next start at which the power is cut."""

    def switch_on(self) -> Journal:
        if not self.card.powered:
            self.cut_power()  # the card may have lost power before
            self.card.restore()
            if self._cut_at is not None:
                self.card.cut_after(self._cut_at)
            self._cut_at = None
        try:
            # The script caused the disk fault, so the firmware's warnings are noise.
            with redirect_stderr(StringIO()):
                held = ledger_file.opened_by_box(self.path, self._wall_clock)
                store = self._open.enter_context(held)
        except Exception as error:
            # Without power the firmware's own error does not matter.
            if not self.card.powered:
                raise PowerGone from None
            if isinstance(error, LedgerRefused):
                raise JournalFailed(str(error)) from None
            raise
        return PoweredJournal(store, self.card)

    def cut_power(self) -> None:
        self.card.cut()
        self._open.close()

    def read(self, edition: Edition) -> Ledger:
        """Read from a copy, so that reading does not change the card."""
        if not self.card.powered:
            self.card.cut()  # writes what survived to the files
        with tempfile.TemporaryDirectory(prefix="tellerbox-") as folder:
            copy = Path(folder) / NAME
            for ending in _ENDINGS:
                if self.path.with_name(NAME + ending).exists():
                    shutil.copyfile(f"{self.path}{ending}", f"{copy}{ending}")
            with ledger_file.reading(copy) as connection:
                return Ledger(Store(connection), edition)

    def cause(self, fault: Fault) -> None:
        match fault:
            case DiskFails(kind):
                self.card.fail(DiskFault[kind.name])
            case DiskCut(operation) if self.card.powered:
                self.card.cut_after(operation)
            case DiskCut(operation):
                self._cut_at = operation

    def mend(self, fault: Fault) -> None:
        if isinstance(fault, DiskFails):
            self.card.fail(None)

    def put_away(self) -> None:
        self.cut_power()
        self._resources.close()
