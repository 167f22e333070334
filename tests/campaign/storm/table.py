"""The box of a trial, on one board or another: lines go in, and what is seen comes out."""

from collections.abc import Sequence
from enum import Enum
from pathlib import Path
from typing import Protocol

from firmware.edition import Edition
from firmware.house import House
from hal.events import MILLISECOND, Instant
from hal.view import View
from sim.card_ledger import CardLedger
from sim.clocks import VirtualClock
from sim.player import perform
from sim.rig import Rig
from sim.script import Action
from sim.software_stand import SoftwareStand
from sim.stand import Stand
from sim.storm.ledger_reader import LedgerReader
from sim.storm.seen import Books, Seen, books_of_ledger, seen_of_box
from sim.trace import Happening, Watcher


class Board(Enum):
    """What the box is made of."""

    SIM = "sim"
    VIRTUAL = "virtual"
    CONSOLE = "console"


class Table(Protocol):
    """A box that lines are played on."""

    def play(self, line: str, step: Action) -> None: ...

    @property
    def powered(self) -> bool: ...

    @property
    def moment(self) -> int:
        """Milliseconds of the script's time."""
        ...

    @property
    def last_view(self) -> View | None:
        """The last that went out while the line was played, whatever came after it."""
        ...

    def seen(self) -> Seen:
        """What the box shows and sounds, and what the ledger says, read from its file."""
        ...

    @property
    def unseen(self) -> Sequence[str]:
        """What of that cannot be seen on this board."""
        ...

    @property
    def takes_time(self) -> bool:
        """Whether its drivers take some milliseconds, which no script knows of."""
        ...

    def faults(self) -> Sequence[str]:
        """Everything that an audit of the ledger finds wrong."""
        ...

    def put_away(self) -> None: ...


class RigTable:
    """A box on a simulated board, with its ledger on a card that can fail."""

    def __init__(
        self,
        board: Board,
        folder: Path,
        edition: Edition,
        house: House,
        *,
        stock_known: bool,
        onlooker: bool,
    ) -> None:
        self._stand = _stand(board, self._watch)
        self.last_view: View | None = None
        self._rig = Rig.on_card(
            self._stand, edition, stock_known=stock_known, house=house, folder=folder
        )
        kept = self._rig.kept
        assert isinstance(kept, CardLedger), "a trial needs a card"
        self._card = kept.card
        self._ledger = LedgerReader(kept.path, edition, stays=onlooker)
        self.takes_time = board is Board.VIRTUAL
        self._has_just_started = False

    @property
    def unseen(self) -> Sequence[str]:
        """Right after a start nobody knows yet that a reader does not answer (D6)."""
        return ("message",) if self.takes_time and self._has_just_started else ()

    def _watch(self, _at: Instant, thing: Happening) -> None:
        if isinstance(thing, View):
            self.last_view = thing

    def play(self, line: str, step: Action) -> None:
        self.last_view = None
        self._has_just_started = line == "power on"
        if line == "power off":
            self._ledger.close()
        perform(self._rig, step)
        if not self.powered:
            self._ledger.close()

    @property
    def powered(self) -> bool:
        return self._rig.powered

    @property
    def moment(self) -> int:
        return int(getattr(self._stand, "moment", self._stand.now)) // MILLISECOND

    def seen(self) -> Seen:
        rig = self._rig
        return seen_of_box(rig.view, rig.sound, rig.asleep, self._books())

    def _books(self) -> Books:
        if self.powered:
            return self._ledger.books(self._card.operations)
        return books_of_ledger(self._rig.ledger)

    def faults(self) -> Sequence[str]:
        return self._ledger.faults() if self.powered else ()

    def put_away(self) -> None:
        self._ledger.close()
        self._rig.put_away()


def _stand(board: Board, watch: Watcher) -> Stand:
    if board is Board.SIM:
        return SoftwareStand(VirtualClock(), watch)
    from sim.virtual_stand import VirtualStand

    return VirtualStand(watch)
