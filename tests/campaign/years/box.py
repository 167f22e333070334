"""The box as ``tellerbox run`` starts it, on the software board."""

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from firmware import bank
from firmware.bank import Bank
from firmware.config import Config
from firmware.house import BY_THE_BOOK
from firmware.ledger_file import Owner
from sim.running import Start
from sim.stand import Stand


@contextmanager
def opened(ledger: Path) -> Iterator[Bank]:
    """The bank, opened as ``tellerbox run --ledger FILE`` does it."""
    words = argparse.Namespace(
        ledger=ledger, edition=None, config=None, language=None, new_game=False
    )
    with bank.opened(words, Config(), Owner.BOX) as found:
        yield found


@contextmanager
def on_stand(stand: Stand, found: Bank) -> Iterator[None]:
    """The power is on."""
    stand.start(Start(lambda: found.ledger, found.next_edition, BY_THE_BOOK))
    try:
        yield
    finally:
        stand.stop()
