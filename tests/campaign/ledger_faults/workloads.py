"""The workloads whose disk operations are interrupted by power cuts."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from tests.campaign.disk.surface import Image, Kept
from tests.campaign.ledger_faults import evening, recovery
from tests.campaign.ledger_faults.evening import LEDGER, Evening
from tests.campaign.ledger_faults.recorded_run import RecordedRun, record_run

FORMAT_1 = Path(__file__).parents[2] / "unit" / "ledgers" / "format-1.db"
BACKUP = "ledger.format-1.db"
LEFT_AFTER = 8
"""Appends; leaves a log of about forty pages that are not in the ledger yet."""


class Workload(NamedTuple):
    """What is on disk at first, and what is played then."""

    description: str
    prepare: Callable[[Path], None]
    play: Callable[[Evening], None]
    shares_memory: bool = True
    backup: str = ""
    """The file that must exist beside the ledger once a box has opened it."""

    def record(self) -> RecordedRun:
        with recovery.folder() as folder:
            self.prepare(folder)
            return record_run(folder, self.play, shares_memory=self.shares_memory)


def _new(_: Path) -> None:
    """A box that was never switched on."""


def _a_game(table: Evening) -> None:
    evening.play(table, rounds=12)


def _old(folder: Path) -> None:
    shutil.copyfile(FORMAT_1, folder / LEDGER)


def _migrate(table: Evening) -> None:
    """The ledger is migrated, played with, and opened again."""
    with table.box():
        evening.rents(table, 1, 2)
    with table.box():
        table.put(left=1)
        table.press("20K")


def interrupted(folder: Path) -> None:
    """The power was cut earlier: the newest moves are in a long log."""
    run = Workload("a round", _new, lambda table: evening.play(table, rounds=1)).record()
    survived = run.recording.image_after(run.appended[LEFT_AFTER], Kept())
    recovery.write_image(folder, survived)


def _go_on(table: Evening) -> None:
    with table.box():
        table.put(left=1)
        table.press("20K")


WORKLOADS = {
    # The log is checkpointed every hundred pages, so several times.
    "wal": Workload("a game with SQLite's log", _new, _a_game),
    "delete": Workload("a game without a log", _new, _a_game, shares_memory=False),
    "left-log": Workload(
        "a start on the log that an earlier cut left behind, and a move",
        interrupted,
        _go_on,
    ),
    "migration": Workload("the migration of a ledger of format 1", _old, _migrate, backup=BACKUP),
    "migration-delete": Workload(
        "the same without a log", _old, _migrate, shares_memory=False, backup=BACKUP
    ),
}


def starting_again(image: Image, *, shares_memory: bool) -> RecordedRun:
    """A box starts after a power cut, and its volume is changed."""

    def play(table: Evening) -> None:
        with table.box():
            table.press(",")

    def prepare(folder: Path) -> None:
        recovery.write_image(folder, image)

    return Workload("a start", prepare, play, shares_memory).record()
