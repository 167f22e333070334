"""The box of a trial, on any board: it plays lines and can be observed."""

from collections.abc import Mapping, Sequence
from enum import Enum
from pathlib import Path
from typing import Protocol

from firmware.bank.edition import Edition
from firmware.bank.house_rules import HouseRules
from hal.display.view import View
from hal.events import MILLISECOND, Instant
from sim.board.clocks import VirtualClock
from sim.board.harness import Harness
from sim.board.software_harness import SoftwareHarness
from sim.board.trace import Happening, Watcher
from sim.script.language import ScriptAction
from sim.script.player import perform
from tests.campaign.disk.card_ledger import CardLedger
from tests.campaign.storm.ledger_reader import LedgerReader
from tests.campaign.storm.observation import (
    LedgerSummary,
    Observation,
    observe_box,
    summary_of_ledger,
)


class Board(Enum):
    """The board that a box runs on."""

    SOFTWARE = "software"
    VIRTUAL = "virtual"
    CONSOLE = "console"


class Table(Protocol):
    """A box that plays lines of a script."""

    def play(self, line: str, step: ScriptAction) -> None: ...

    @property
    def powered(self) -> bool: ...

    @property
    def elapsed(self) -> int:
        """Milliseconds of the script's time."""
        ...

    @property
    def last_view(self) -> View | None:
        """The last view shown while the line was played."""
        ...

    def observe(self) -> Observation:
        """What the box shows and sounds, and what its ledger's file contains."""
        ...

    @property
    def unobservable(self) -> Sequence[str]:
        """The fields of an observation that this board cannot provide."""
        ...

    @property
    def takes_time(self) -> bool:
        """Whether its drivers take time that a script does not account for."""
        ...

    def audit(self) -> Sequence[str]:
        """All faults that an audit of the ledger finds."""
        ...

    def close(self) -> None: ...


class HarnessTable:
    """A box on a simulated board, with its ledger on a card that can fail."""

    def __init__(
        self,
        board: Board,
        folder: Path,
        edition: Edition,
        house: HouseRules,
        *,
        stock_known: bool,
        names: Mapping[int, str],
        second_reader: bool,
    ) -> None:
        self.last_view: View | None = None
        self._harness = _harness(board, self._watch)
        kept = self._harness.failing_disk(folder)
        self._harness.begin_new(
            edition, stock_known=stock_known, house=house, names=names, kept=kept
        )
        assert isinstance(kept, CardLedger), "the ledger is not on a card"
        self._card = kept.card
        self._ledger = LedgerReader(kept.path, edition, keep_open=second_reader)
        self.takes_time = board is Board.VIRTUAL
        self._has_just_started = False

    @property
    def unobservable(self) -> Sequence[str]:
        """Right after a start the box does not know yet that a reader is dead (D6)."""
        return ("message",) if self.takes_time and self._has_just_started else ()

    def _watch(self, _at: Instant, thing: Happening) -> None:
        if isinstance(thing, View):
            self.last_view = thing

    def play(self, line: str, step: ScriptAction) -> None:
        self.last_view = None
        self._has_just_started = line == "power on"
        if line == "power off":
            self._ledger.close()
        perform(self._harness, step)
        if not self.powered:
            self._ledger.close()

    @property
    def powered(self) -> bool:
        return self._harness.powered

    @property
    def elapsed(self) -> int:
        return int(getattr(self._harness, "moment", self._harness.now)) // MILLISECOND

    def observe(self) -> Observation:
        harness = self._harness
        return observe_box(harness.view, harness.sound, harness.asleep, self._summary())

    def _summary(self) -> LedgerSummary:
        if self.powered:
            return self._ledger.summary(self._card.operations)
        return summary_of_ledger(self._harness.ledger)

    def audit(self) -> Sequence[str]:
        return self._ledger.audit() if self.powered else ()

    def close(self) -> None:
        self._ledger.close()
        self._harness.put_away()


def _harness(board: Board, watch: Watcher) -> Harness:
    if board is Board.SOFTWARE:
        return SoftwareHarness(VirtualClock(), watch)
    from sim.virtual.virtual_harness import VirtualHarness

    return VirtualHarness(watch)
