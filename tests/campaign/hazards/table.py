"""A box on the software board: it plays lines of a script, and lends itself for trying keys."""

from collections.abc import Iterable

from firmware.app import Settings
from firmware.bank import edition as editions
from firmware.bank.ledger import Ledger
from firmware.table.box import Box
from hal.display.view import View, dark
from hal.events import Instant, Key, KeyDown, KeyUp
from sim.board import stock
from sim.board.fault import Fault, KeyStuck, ReaderDead
from sim.board.software_harness import SoftwareHarness
from sim.script.language import (
    Cause,
    Hold,
    Insert,
    Mend,
    Power,
    Press,
    Remove,
    ScriptAction,
    ScriptReader,
)
from sim.script.player import perform
from tests.campaign.hazards.copying import copy_of
from tests.campaign.hazards.journal import SharedJournal, SharedLedger
from tests.campaign.hazards.step import Step, What

FORGETS = "# another program forgets card "
REPLACES = "# another program replaces card "
"""Lines that no script can express; they are comments there."""
NO_POWER = dark(0, "")


class Table:
    """A box with a ledger in memory."""

    def __init__(self, given: Iterable[str]) -> None:
        self._reader = ScriptReader(editions.load(editions.DEFAULT))
        for line in given:
            self._reader.read(line)
        edition, known = self._reader.edition, self._reader.stock_known
        self._kept = SharedLedger()
        if known:
            Ledger(self._kept.switch_on(), edition).know(stock.players(edition))
        self.harness = SoftwareHarness()
        self.harness.begin(self._kept, edition, Settings(house=self._reader.house))

    # Playing

    def play(self, line: str) -> Step:
        """Play a line with at most one key. Raises ScriptError."""
        before, journal = self.view, self._kept.journal
        began = self.harness.now
        journal.written.clear()
        action = self._reader.read(line)
        if line.startswith((FORGETS, REPLACES)):
            self._change_from_outside(line)
        if action is None:
            return Step(What.OTHER_PROGRAM, before, self.view, (), ())
        assert isinstance(action, ScriptAction), f"{line!r} does nothing to a box"
        perform(self.harness, action)
        step = Step(
            What.TIME,
            before,
            self.view,
            tuple(self.harness.played),
            tuple(journal.written),
            self.harness.now - began,
        )
        return _classified(step, action)

    def _change_from_outside(self, line: str) -> None:
        """Forget or replace a card, if it is known, as ``tellerbox cards`` does."""
        edition, number = self._reader.edition, int(line.split()[-1])
        if number not in self._kept.read(edition).cards:
            return
        ledger = self._kept.change_from_outside(edition)
        if line.startswith(FORGETS):
            ledger.forget(number)
        else:
            ledger.ask_replacement(number)

    @property
    def view(self) -> View:
        return self.harness.view or NO_POWER

    @property
    def powered(self) -> bool:
        return self.harness.powered

    # Trying

    def try_key(self, key: Key, held: int = 0) -> Step:
        """Press a key on a copy of the box, and let go of it."""
        box = copy_of(self._box)
        journal = box._ledger._journal
        assert isinstance(journal, SharedJournal), "the box has a journal of its own"
        now = self.harness.now
        up = Instant(now + held)
        sounds = box.handle(KeyDown(now, key))
        if held:
            sounds += box.advance(up)
        sounds += box.handle(KeyUp(up, key))
        records = tuple(journal.written)
        return Step(What.KEY, self.view, box.view, sounds, records, held, key, held)

    @property
    def _box(self) -> Box:
        runner = self.harness._runner
        assert runner, "the power is off"
        assert runner._app, "the ledger was refused"
        return runner._app.box


def _classified(step: Step, action: ScriptAction) -> Step:
    """Name what has happened."""
    match action:
        case Press((key,)):
            return step._replace(what=What.KEY, key=key)
        case Hold(key, duration):
            return step._replace(what=What.KEY, key=key, held=duration)
        case Insert(slot):
            return step._replace(what=What.CARD_IN, slot=slot)
        case Remove(slot):
            return step._replace(what=What.CARD_OUT, slot=slot)
        case Power():
            return step._replace(what=What.POWER)
        case Cause(fault) | Mend(fault):
            return _of_fault(step, fault, begins=isinstance(action, Cause))
    return step


def _of_fault(step: Step, fault: Fault, *, begins: bool) -> Step:
    match fault:
        case KeyStuck(key) if begins:
            return step._replace(what=What.KEY, key=key, held=None)
        case KeyStuck(key):
            return step._replace(what=What.RELEASE, key=key)
        case ReaderDead(slot):
            what = What.READER_LOST if begins else What.READER_BACK
            return step._replace(what=what, slot=slot)
    return step._replace(what=What.DISK)
