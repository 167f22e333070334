"""The evenings after each of whose disk operations the power goes."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from sim.disk.surface import Image, Kept
from tests.faults import aftermath, evening
from tests.faults.chronicle import Chronicle, lived
from tests.faults.evening import LEDGER, Evening

FORMAT_1 = Path(__file__).parents[1] / "unit" / "ledgers" / "format-1.db"
KEPT = "ledger.format-1.db"
LEFT_AFTER = 8
"""Appends: a log of some forty pages, none of which is in the ledger yet."""


class Story(NamedTuple):
    """What is on the disk at first, and what is done then."""

    words: str
    prepare: Callable[[Path], None]
    play: Callable[[Evening], None]
    shares_memory: bool = True
    kept: str = ""
    """What must be beside the ledger once a box has opened it."""

    def told(self) -> Chronicle:
        with aftermath.folder() as folder:
            self.prepare(folder)
            return lived(folder, self.play, shares_memory=self.shares_memory)


def _new(_: Path) -> None:
    """A box that was never switched on."""


def _a_game(table: Evening) -> None:
    evening.play(table, rounds=12)


def _old(folder: Path) -> None:
    shutil.copyfile(FORMAT_1, folder / LEDGER)


def _migrate(table: Evening) -> None:
    """It is brought to the newest format, then played with, then opened once more."""
    with table.box():
        evening.rents(table, 1, 2)
    with table.box():
        table.put(left=1)
        table.press("20K")


def interrupted(folder: Path) -> None:
    """The power went a while ago: the newest moves are in the log, which is long by now."""
    chronicle = Story("a round", _new, lambda table: evening.play(table, rounds=1)).told()
    survived = chronicle.recording.image_after(chronicle.appended[LEFT_AFTER], Kept())
    aftermath.lay_out(folder, survived)


def _go_on(table: Evening) -> None:
    with table.box():
        table.put(left=1)
        table.press("20K")


STORIES = {
    # A log is written back into the ledger after a hundred pages: again and again.
    "wal": Story("a game, SQLite with its log", _new, _a_game),
    # Without a log each move is a longer way, and fewer moves are enough.
    "delete": Story("a game, SQLite without a log", _new, _a_game, shares_memory=False),
    "left-log": Story(
        "a start on the log that an earlier cut has left, which is written anew, and a move",
        interrupted,
        _go_on,
    ),
    "migration": Story("a ledger of format 1 is brought up to date", _old, _migrate, kept=KEPT),
    "migration-delete": Story(
        "the same without a log", _old, _migrate, shares_memory=False, kept=KEPT
    ),
}


def starting_again(image: Image, *, shares_memory: bool) -> Chronicle:
    """A box is switched on where the power went, and somebody turns its volume."""

    def play(table: Evening) -> None:
        with table.box():
            table.press(",")

    def prepare(folder: Path) -> None:
        aftermath.lay_out(folder, image)

    return Story("a start", prepare, play, shares_memory).told()
