"""Short scenes of a game, for failing disk calls."""

import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from hal.events import MINUTE, SECOND
from tests.campaign.disk.card import SdCard
from tests.campaign.disk.surface import Image, Kept
from tests.campaign.ledger_faults import recovery
from tests.campaign.ledger_faults.evening import LEDGER, Evening
from tests.campaign.ledger_faults.workloads import FORMAT_1, interrupted


class Scene(NamedTuple):
    """What is on disk at first, and what is played then."""

    play: Callable[[Evening], None]
    prepare: Callable[[Path], None]
    from_the_start: bool = False
    """Whether calls fail while the box opens its ledger, instead of after."""
    needs_log: bool = False
    """Whether it needs a write-ahead log."""

    def prepared(self, *, shares_memory: bool) -> Image:
        with recovery.folder() as folder:
            rng = random.Random(0)
            with SdCard(folder, rng, shares_memory=shares_memory) as card:
                self.prepare(folder)
                files = card.record()
            return files.image_after(0, Kept())


def _two_games(folder: Path) -> None:
    """Four cards, some moves, and a previous game."""
    table = Evening(folder)
    with table.box():
        for card in (1, 2, 3, 4):
            table.put(left=card)
            table.press("G")
        table.hold_c()
        table.put(left=1, right=2)
        table.press("1M")


def _new(_: Path) -> None:
    """A box that was never switched on."""


def _old(folder: Path) -> None:
    shutil.copyfile(FORMAT_1, folder / LEDGER)


def _moves(table: Evening) -> None:
    table.put(left=1, right=2)
    table.press("20K")
    table.press("C")
    table.press("30K")
    table.put(left=3)
    table.press("G")
    table.put(right=3)
    table.press("F5M")
    table.press("F8 M M")
    table.press("C")


def _cards(table: Evening) -> None:
    table.put(left=5)
    table.press("C")
    table.put()
    table.put(left=5)
    table.press("20K")
    table.press("F05 5M M")
    table.put(left=1)


def _count(table: Evening) -> None:
    table.put(left=1)
    table.press("F9M")
    table.press("1M")
    table.put(left=2)
    table.press("C")


def _games(table: Evening) -> None:
    table.put(left=1)
    table.press("F02")
    table.hold_c()
    table.press("20K")
    table.press("F06M")
    table.press("30K")


def _clock(table: Evening) -> None:
    table.put()
    table.press("F03 2M F04 3")
    table.hold_c()
    table.wait(1 * MINUTE + 1 * SECOND)
    table.press(",")
    table.press(",")
    table.wait(1 * MINUTE)
    table.press("C")


def _bankrupt(table: Evening) -> None:
    table.put(right=2)
    table.bankrupt()
    table.press("C")
    table.press("F F2 20K M")
    table.put(left=2)
    table.press("F F2 M")


def _one_move(table: Evening) -> None:
    table.put(left=1)
    table.press("20K")


SCENES = {
    "moves": Scene(_moves, _two_games),
    "cards": Scene(_cards, _two_games),
    "count": Scene(_count, _two_games),
    "games": Scene(_games, _two_games),
    "clock": Scene(_clock, _two_games),
    "bankrupt": Scene(_bankrupt, _two_games),
    "opening": Scene(_one_move, _two_games, from_the_start=True),
    "left log": Scene(_one_move, interrupted, from_the_start=True, needs_log=True),
    "new ledger": Scene(_one_move, _new, from_the_start=True),
    "migration": Scene(_one_move, _old, from_the_start=True),
}
