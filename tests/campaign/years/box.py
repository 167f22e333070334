"""The box as ``tellerbox run`` starts it, on the software board."""

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from firmware.app import OpenedLedger, Settings
from firmware.commands import startup
from firmware.commands.startup import Bank
from firmware.config import Config
from firmware.storage.ledger_file import Owner
from sim.board.harness import Harness


@contextmanager
def opened(ledger: Path) -> Iterator[Bank]:
    """The bank, opened as ``tellerbox run --ledger FILE`` opens it."""
    words = argparse.Namespace(
        ledger=ledger, edition=None, config=None, language=None, new_game=False
    )
    with startup.opened(words, Config(), Owner.BOX) as found:
        yield found


@contextmanager
def running_on(harness: Harness, found: Bank) -> Iterator[None]:
    """The bank's box, running on this harness."""
    harness.start(lambda _: OpenedLedger(found.ledger, found.next_edition), Settings())
    try:
        yield
    finally:
        harness.stop()
