"""A box that nobody touches: an hour costs the disk nothing and the memory nothing."""

import gc
import tracemalloc
from pathlib import Path

import pytest

from firmware import edition as editions
from firmware.app import App
from firmware.ledger import Ledger
from firmware.ledger_file import held_by_box
from hal.events import SECOND, Instant, Slot
from sim.stock import STOCK, players
from tests.drivers.harness import Bench, bench

MINUTE = 60 * SECOND
BANKING = editions.load("banking")


def run(b: Bench, app: App, duration: int) -> None:
    end = Instant(b.now + duration)
    while b.now < end:
        b.board.horizon = end
        app.turn()


def traces(folder: Path) -> dict[str, tuple[int, int]]:
    """Every file of the ledger: its size, and when it was last written."""
    return {file.name: (file.stat().st_size, file.stat().st_mtime_ns) for file in folder.iterdir()}


@pytest.mark.parametrize("cards", [False, True], ids=["empty slots", "a card in each"])
def test_an_idle_hour_leaves_the_ledger_untouched_and_grows_no_memory(
    tmp_path: Path, cards: bool
) -> None:
    with held_by_box(tmp_path / "box.db") as store, bench() as b:
        ledger = Ledger(store, BANKING)
        ledger.know(players(BANKING))
        app = App(b.board, ledger)
        for slot, uid in zip(Slot, STOCK, strict=False):
            if cards:
                b.put(slot, uid)
        run(b, app, 5 * MINUTE)  # long asleep; everything that is cached is cached
        before = traces(tmp_path)
        gc.collect()
        tracemalloc.start()
        run(b, app, 5 * MINUTE)
        gc.collect()
        early, _ = tracemalloc.get_traced_memory()
        run(b, app, 50 * MINUTE)
        gc.collect()
        late, _ = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert app.box.asleep
        assert traces(tmp_path) == before
        # One object a look would be nine thousand of them, half a megabyte.
        assert late - early < 20_000
