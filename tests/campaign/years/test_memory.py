"""A box that is never stopped: however long it is played with, it takes no more memory.

What is in memory is looked at twice, after so much play that everything which may fill up is
full, and after much more: how many blocks of memory Python has in use, and how much is in each
collection, so that a failure says which one grows.
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
from sim.clocks import VirtualClock
from sim.software_stand import SoftwareStand
from sim.virtual_stand import VirtualStand
from tests.long.box import on_stand, opened
from tests.long.hands import Hands
from tests.long.memory import collections_in
from tests.long.people import People
from tests.long.year import Games, Way, Year, in_memory

SEED = 7
FILLED = 4
"""Evenings after which whatever may fill up is full."""
MORE = 2
SPARE = 100
"""How much more may be in a collection by chance; one thing a move would be thousands."""
SPARE_BLOCKS = 800
"""More than a thousand moves are made between the looks."""
LARGEST_LOG = 5_000_000
"""Bytes; SQLite writes its log back into the file at a thousand pages."""


class Seen(NamedTuple):
    """What is in memory at one moment."""

    blocks: int
    collections: Counter[str]

    def grown(self, before: "Seen") -> dict[str, tuple[int, int]]:
        """Every collection that holds more than it did before."""
        return {
            name: (before.collections[name], size)
            for name, size in self.collections.items()
            if size > before.collections[name] + SPARE
        }


def look(box: object) -> Seen:
    gc.collect()
    # Counted first: what the walk through the collections needs is not the box's.
    return Seen(sys.getallocatedblocks(), collections_in(box, "box"))


@pytest.fixture
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(dir=in_memory()) as made:
        yield Path(made)


@pytest.mark.parametrize("games", Games, ids=lambda games: games.value)
def test_evenings_without_end_take_no_more_memory(folder: Path, games: Games) -> None:
    stand = SoftwareStand(VirtualClock())
    people, hands = People(SEED), Hands(stand)
    log = folder / "box.db-wal"
    with opened(folder / "box.db") as found, on_stand(stand, found):
        people.sit_down(hands)
        for evening in range(FILLED + MORE):
            if evening == FILLED:
                before = look((stand, found))
            if games is Games.MANY:
                people.begin_again(hands)
            people.arrive(hands)
            people.play(hands)
            assert log.stat().st_size < LARGEST_LOG
        after = look((stand, found))
    assert after.grown(before) == {}
    assert after.blocks - before.blocks < SPARE_BLOCKS


@pytest.mark.parametrize("games", Games, ids=lambda games: games.value)
def test_starts_without_end_take_no_more_memory(folder: Path, games: Games) -> None:
    """In one process: a ledger is also opened anew after a failed write, or read again."""
    year = Year(folder / "box.db", games, Way.PEN)
    for evening in range(20 + 40):
        if evening == 20:
            before = look(None)
        year.evening(60)
    after = look(None)
    # Ten things a start.
    assert after.blocks - before.blocks < 400


def test_the_drivers_take_no_more_memory(folder: Path) -> None:
    """On the virtual board, where a move costs more time; of the bank we know already."""
    stand = VirtualStand()
    wear_in(stand)
    people, hands = People(SEED), Hands(stand, turn=1 * SECOND)
    with opened(folder / "box.db") as found, on_stand(stand, found):
        people.sit_down(hands)
        people.play(hands, 45)
        before = look(stand)
        people.play(hands, 50)
        after = look(stand)
    grown = {name for name in after.grown(before) if "._app." not in name}
    assert grown == set()
    # In these six minutes an object a look would be many thousands; the bank's moves are some.
    assert after.blocks - before.blocks < 2_000


def wear_in(stand: VirtualStand) -> None:
    """Press every key more often than the model of its contact remembers."""
    world = stand.hardware.world
    for key in Key:
        for finger in (stand.hardware.press, stand.hardware.let_go) * 60:
            finger(key)
            world.pass_until(world.now + 1_000_000)
