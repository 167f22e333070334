"""An idle box writes nothing to its disk and does not grow in memory."""

import gc
import tracemalloc
from pathlib import Path

import pytest

from firmware.app import App
from firmware.bank import edition as editions
from firmware.bank.ledger import Ledger
from firmware.storage.ledger_file import opened_by_box
from hal.events import SECOND, Instant, Slot
from sim.board.stock import STOCK, players
from tests.drivers.harness import Bench, bench

MINUTE = 60 * SECOND
BANKING = editions.load("banking")


def run(b: Bench, app: App, duration: int) -> None:
    end = Instant(b.now + duration)
    while b.now < end:
        b.board.horizon = end
        app.turn()


def file_states(folder: Path) -> dict[str, tuple[int, int]]:
    """Return the size and the modification time of every file."""
    return {file.name: (file.stat().st_size, file.stat().st_mtime_ns) for file in folder.iterdir()}


HOUR = [pytest.mark.long, pytest.mark.timeout(300)]


@pytest.mark.parametrize(
    ("cards", "minutes"),
    [
        pytest.param(True, 6, id="some minutes, a card in each slot"),
        pytest.param(True, 50, id="an hour, a card in each slot", marks=HOUR),
        pytest.param(False, 50, id="an hour, empty slots", marks=HOUR),
    ],
)
def test_idle_box_writes_nothing_and_does_not_grow(
    tmp_path: Path, cards: bool, minutes: int
) -> None:
    with opened_by_box(tmp_path / "box.db") as store, bench() as b:
        ledger = Ledger(store, BANKING)
        ledger.know(players(BANKING))
        app = App(b.board, ledger)
        for slot, uid in zip(Slot, STOCK, strict=False):
            if cards:
                b.put(slot, uid)
        run(b, app, 5 * MINUTE)  # asleep, with all caches filled
        before = file_states(tmp_path)
        gc.collect()
        tracemalloc.start()
        run(b, app, 5 * MINUTE)
        gc.collect()
        early, _ = tracemalloc.get_traced_memory()
        run(b, app, minutes * MINUTE)
        gc.collect()
        late, _ = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert app.box.asleep
        assert file_states(tmp_path) == before
        # One leaked object per scan would be 150 a minute, of about sixty bytes each.
        assert late - early < min(20_000, 4_000 * minutes)
