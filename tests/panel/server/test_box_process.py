"""The firmware's process is started, stopped and killed."""

import asyncio
import signal
from pathlib import Path
from typing import Any

import pytest

from firmware.bank import edition as editions
from firmware.bank.ledger import Ledger
from firmware.storage.ledger_file import opened_by_box
from hal.events import Slot
from sim.board import stock
from sim.panel.actions import PutCard
from sim.panel.box_process import BoxProcess
from sim.panel.messages import BoxStart
from tests.panel.server.page_connection import run

BANKING = editions.load("banking")


@pytest.fixture
def start(tmp_path: Path) -> BoxStart:
    path = tmp_path / "ledger.db"
    with opened_by_box(path) as store:
        Ledger(store, BANKING).know(stock.players(BANKING))
    return BoxStart(
        ledger=str(path),
        edition=None,
        config=None,
        language="en",
        board="software",
        recording=False,
        left=None,
        right=3,
        faults=[],
        down=[],
        pace=1,
    )


class Box:
    """A process, its messages, and how often it exited unexpectedly."""

    def __init__(self) -> None:
        self.messages: list[dict[str, Any]] = []
        self.exits = 0
        self.process = BoxProcess(self.messages.append, self._exited)

    def _exited(self) -> None:
        self.exits += 1

    async def until_shown(self, field: str) -> None:
        async with asyncio.timeout(10):
            while not any(each.get("screen", {}).get("field") == field for each in self.messages):
                await asyncio.sleep(0.01)


def test_a_power_cut_is_a_kill(start: BoxStart) -> None:
    async def work() -> None:
        box = Box()
        await box.process.start(lambda: start)
        await box.until_shown("3")  # a card in the slot counts as just put in (P3)
        process = box.process._process
        assert process
        await box.process.kill()
        assert process.returncode == -signal.SIGKILL
        assert box.exits == 0, "a kill was reported as an exit"
        box.process.send(PutCard(1, Slot.LEFT))  # ignored without power

    run(work())


def test_a_stopped_box_exits_cleanly(start: BoxStart) -> None:
    async def work() -> None:
        box = Box()
        await box.process.start(lambda: start)
        await box.until_shown("3")
        process = box.process._process
        assert process
        await box.process.stop()
        assert process.returncode == 0

    run(work())


def test_an_unexpected_exit_is_reported_and_the_box_restarts(start: BoxStart) -> None:
    async def work() -> None:
        box = Box()
        await box.process.start(lambda: start)
        await box.until_shown("3")
        assert box.process._process
        box.process._process.kill()
        async with asyncio.timeout(10):
            while not box.exits:
                await asyncio.sleep(0.01)
        box.messages.clear()
        await box.process.start(lambda: start)
        await box.until_shown("3")
        await box.process.kill()

    run(work())


def test_a_refused_ledger_shows_on_the_screen(start: BoxStart, tmp_path: Path) -> None:
    (tmp_path / "bad.db").write_text("not a ledger")
    bad = start._replace(ledger=str(tmp_path / "bad.db"), language="fr")

    async def work() -> None:
        box = Box()
        await box.process.start(lambda: bad)
        await box.until_shown("-----")
        assert box.messages[-1]["screen"]["message"] == "ERREUR REGISTRE"
        await box.process.kill()

    run(work())
