"""The ledger of a simulated box, which stays when its power is cut."""

from firmware.bank.edition import Edition
from firmware.bank.ledger import Ledger
from firmware.bank.records import Journal
from firmware.storage.store import Store
from sim.board.fault import Fault


class KeptLedger:
    """A store that stays open all the time; a ledger on a failing disk is a subclass."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def switch_on(self) -> Journal:
        """Open it for the firmware. Raises JournalFailed or PowerGone."""
        return self._store

    def cut_power(self) -> None:
        """Close what the firmware has opened."""

    def read(self, edition: Edition) -> Ledger:
        """Read it from the store, and not from the firmware's memory."""
        return Ledger(self._store, edition)

    def cause(self, fault: Fault) -> None:
        """Break its disk, if it has one that can fail."""

    def mend(self, fault: Fault) -> None: ...

    def put_away(self) -> None: ...
