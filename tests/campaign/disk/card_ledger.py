"""A ledger on an SD card that can fail, opened as the firmware opens it.

What is on the card outlives the power, and only that. The firmware is stopped by the first
thing that it asks of its ledger when the power has gone: it never gets to show anything.
"""

import shutil
import tempfile
from collections.abc import Callable
from contextlib import ExitStack, redirect_stderr
from io import StringIO
from pathlib import Path
from random import Random
from typing import TypeVar

from firmware import ledger_file
from firmware.edition import Edition
from firmware.ledger import Ledger
from firmware.ledger_check import JOURNAL, LOG, LedgerRefused
from firmware.left_log import COPY
from firmware.records import Journal, JournalFailed, Record, Replay
from firmware.store import Store
from sim.disk.card import SdCard
from sim.disk.faults import DiskFault
from sim.fault import DiskCut, DiskFails, Fault
from sim.stand import PowerGone

T = TypeVar("T")
NAME = "ledger.db"
_ENDINGS = ("", LOG, LOG + COPY, JOURNAL)


class PoweredJournal:
    """The firmware's journal, for as long as there is power."""

    def __init__(self, journal: Journal, card: SdCard) -> None:
        self._journal = journal
        self._card = card

    def append(self, *records: Record) -> None:
        self._while_powered(lambda: self._journal.append(*records))

    def replay(self, game: int | None = None) -> Replay:
        return self._while_powered(lambda: self._journal.replay(game))

    def changed_elsewhere(self) -> bool:
        return self._while_powered(self._journal.changed_elsewhere)

    @property
    def in_doubt(self) -> bool:
        return self._while_powered(lambda: self._journal.in_doubt)

    def _while_powered(self, act: Callable[[], T]) -> T:
        """Whatever came of it, without power nobody gets to know."""
        try:
            answer = act()
        except Exception:
            self._must_have_power()
            raise
        self._must_have_power()
        return answer

    def _must_have_power(self) -> None:
        if not self._card.powered:
            raise PowerGone


class CardLedger:
    """Fits ``sim.kept_ledger.KeptLedger``."""

    def __init__(
        self, folder: Path | None, dice: Random | None, wall_clock: Callable[[], float]
    ) -> None:
        """In a folder of its own, if none is named; what becomes of what was not safe is diced."""
        self._wall_clock = wall_clock
        self._everything = ExitStack()
        if folder is None:
            made = tempfile.TemporaryDirectory(prefix="tellerbox-")
            folder = Path(self._everything.enter_context(made))
        self.path = folder / NAME
        self.card = self._everything.enter_context(SdCard(folder, dice or Random(0)))
        self._open = self._everything.enter_context(ExitStack())
        self._cut_at: int | None = None
        """Of the operations of the next start."""

    def switch_on(self) -> Journal:
        if not self.card.powered:
            self.cut_power()  # it may have gone by itself
            self.card.restore()
            if self._cut_at is not None:
                self.card.cut_after(self._cut_at)
            self._cut_at = None
        try:
            # What the firmware has to say of a sick disk the script knows.
            with redirect_stderr(StringIO()):
                held = ledger_file.held_by_box(self.path, self._wall_clock)
                store = self._open.enter_context(held)
        except Exception as error:
            # Without power it does not matter any more what the firmware makes of its disk.
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
        """From a copy: nobody who looks may change what happens on the card."""
        if not self.card.powered:
            self.card.cut()  # what survived is not written down before
        with tempfile.TemporaryDirectory(prefix="tellerbox-") as folder:
            copy = Path(folder) / NAME
            for ending in _ENDINGS:
                if self.path.with_name(NAME + ending).exists():
                    shutil.copyfile(f"{self.path}{ending}", f"{copy}{ending}")
            with ledger_file.reading(copy) as connection:
                return Ledger(Store(connection), edition)

    def cause(self, fault: Fault) -> None:
        match fault:
            case DiskFails(trouble):
                self.card.fail(DiskFault[trouble.name])
            case DiskCut(operation) if self.card.powered:
                self.card.cut_after(operation)
            case DiskCut(operation):
                self._cut_at = operation

    def mend(self, fault: Fault) -> None:
        if isinstance(fault, DiskFails):
            self.card.fail(None)

    def put_away(self) -> None:
        self.cut_power()
        self._everything.close()
