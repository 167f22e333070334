"""A box that is never stopped must not use more and more memory.

Memory is measured twice: once everything that may fill up is full, and after much more play. The
number of memory blocks is compared, and the size of each collection, so that a failure names the
one that grows.
"""

import gc
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from hal.events import SECOND, Key
from sim.board.clocks import VirtualClock
from sim.board.software_harness import SoftwareHarness
from sim.virtual.virtual_harness import VirtualHarness
from tests.campaign.years.box import opened, running_on
from tests.campaign.years.box_interface import BoxInterface
from tests.campaign.years.memory import collections_in
from tests.campaign.years.players import Players
from tests.campaign.years.year import Games, Way, Year, in_memory

SEED = 7
FILLED = 4
"""Evenings after which everything that may fill up is full."""
MORE = 2
SPARE = 100
"""Allowed growth of a collection; one item per move would be thousands."""
SPARE_BLOCKS = 800
"""More than a thousand moves are made between the measurements."""
LARGEST_LOG = 5_000_000
"""Bytes; SQLite checkpoints its log at a thousand pages."""


class MemoryUse(NamedTuple):
    """The memory in use at one moment."""

    blocks: int
    collections: Counter[str]

    def grown(self, before: "MemoryUse") -> dict[str, tuple[int, int]]:
        """The collections that have grown."""
        return {
            name: (before.collections[name], size)
            for name, size in self.collections.items()
            if size > before.collections[name] + SPARE
        }


def measure(box: object) -> MemoryUse:
    gc.collect()
    # Counted first, because collections_in allocates memory itself.
    return MemoryUse(sys.getallocatedblocks(), collections_in(box, "box"))


@pytest.fixture
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(dir=in_memory()) as made:
        yield Path(made)


@pytest.mark.parametrize("games", [Games.ONE, pytest.param(Games.MANY, marks=pytest.mark.long)])
def test_evenings_do_not_grow_memory(folder: Path, games: Games) -> None:
    harness = SoftwareHarness(VirtualClock())
    players, box = Players(SEED), BoxInterface(harness)
    log = folder / "box.db-wal"
    with opened(folder / "box.db") as found, running_on(harness, found):
        players.join(box)
        for evening in range(FILLED + MORE):
            if evening == FILLED:
                before = measure((harness, found))
            players.begin_evening(box)
            if games is Games.MANY:
                players.start_game(box)
            players.play(box)
            assert log.stat().st_size < LARGEST_LOG
        after = measure((harness, found))
    assert after.grown(before) == {}
    assert after.blocks - before.blocks < SPARE_BLOCKS


@pytest.mark.parametrize("games", Games, ids=lambda games: games.value)
def test_starts_do_not_grow_memory(folder: Path, games: Games) -> None:
    """Starts in one process: a ledger is also reopened after a failed write."""
    year = Year(folder / "box.db", games, Way.LEDGER)
    for evening in range(20 + 40):
        if evening == 20:
            before = measure(None)
        year.evening(60)
    after = measure(None)
    # Ten blocks per start.
    assert after.blocks - before.blocks < 400


@pytest.mark.long
def test_drivers_do_not_grow_memory(folder: Path) -> None:
    """On the virtual board, with few moves; the bank is covered above."""
    harness = VirtualHarness()
    warm_up(harness)
    players, box = Players(SEED), BoxInterface(harness, turn=1 * SECOND)
    with opened(folder / "box.db") as found, running_on(harness, found):
        players.join(box)
        players.play(box, 45)
        before = measure(harness)
        players.play(box, 50)
        after = measure(harness)
    grown = {name for name in after.grown(before) if "._app." not in name}
    assert grown == set()
    # An object per poll would be many thousands in these six minutes.
    assert after.blocks - before.blocks < 2_000


def warm_up(harness: VirtualHarness) -> None:
    """Press every key until the model of its contact is full."""
    time = harness.hardware.time
    for key in Key:
        for finger in (harness.hardware.press, harness.hardware.let_go) * 60:
            finger(key)
            time.pass_until(time.now + 1_000_000)
