"""Where the ledger of a simulated box is kept, whatever its power does."""

from typing import Protocol

from firmware.edition import Edition
from firmware.ledger import Ledger
from firmware.records import Journal
from firmware.store import Store
from sim.fault import Fault


class KeptLedger(Protocol):
    """A ledger that outlives the firmware."""

    def switch_on(self) -> Journal:
        """The firmware opens it; raises JournalFailed, or PowerGone."""
        ...

    def cut_power(self) -> None:
        """What the firmware knew of it is gone."""
        ...

    def read(self, edition: Edition) -> Ledger:
        """What is in it, read anew and not taken from the firmware's memory."""
        ...

    def cause(self, fault: Fault) -> None: ...

    def mend(self, fault: Fault) -> None: ...

    def put_away(self) -> None: ...


class OpenStore:
    """One that stays open all the time: in memory, or for others to open and close."""

    def __init__(self, store: Store) -> None:
        self.store = store

    def switch_on(self) -> Journal:
        return self.store

    def cut_power(self) -> None:
        """A store in memory stands for a disk that has lost nothing."""

    def read(self, edition: Edition) -> Ledger:
        return Ledger(self.store, edition)

    def cause(self, fault: Fault) -> None:
        """It has no disk that could fail."""

    def mend(self, fault: Fault) -> None: ...

    def put_away(self) -> None: ...
