"""The plug: a pulled one kills the process at once, a switched-off box ends by itself."""

import asyncio
import signal
from pathlib import Path
from typing import Any

import pytest

from firmware import edition as editions
from firmware.ledger import Ledger
from firmware.ledger_file import held_by_box
from hal.events import Slot
from sim import stock
from sim.panel.actions import Put
from sim.panel.messages import Start
from sim.panel.plug import Plug

BANKING = editions.load("banking")


@pytest.fixture
def start(tmp_path: Path) -> Start:
    path = tmp_path / "ledger.db"
    with held_by_box(path) as store:
        Ledger(store, BANKING).know(stock.players(BANKING))
    return Start(
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


class Heard:
    """What a box tells, and whether it died."""

    def __init__(self) -> None:
        self.told: list[dict[str, Any]] = []
        self.died = 0
        self.plug = Plug(self.told.append, self._die)

    def _die(self) -> None:
        self.died += 1

    async def until_shown(self, field: str) -> None:
        async with asyncio.timeout(10):
            while not any(said.get("screen", {}).get("field") == field for said in self.told):
                await asyncio.sleep(0.01)


def test_a_pulled_plug_is_a_kill(start: Start) -> None:
    async def work() -> None:
        heard = Heard()
        await heard.plug.put_in(lambda: start)
        await heard.until_shown("3")  # the card that was in counts as just put in (P3)
        process = heard.plug._process
        assert process
        await heard.plug.pull()
        assert process.returncode == -signal.SIGKILL
        assert heard.died == 0, "it did not die by itself"
        heard.plug.tell(Put(1, Slot.LEFT))  # nobody notices

    asyncio.run(work())


def test_a_box_that_is_switched_off_ends_by_itself(start: Start) -> None:
    async def work() -> None:
        heard = Heard()
        await heard.plug.put_in(lambda: start)
        await heard.until_shown("3")
        process = heard.plug._process
        assert process
        await heard.plug.switch_off()
        assert process.returncode == 0

    asyncio.run(work())


def test_a_box_that_dies_is_noticed_and_can_be_started_again(start: Start) -> None:
    async def work() -> None:
        heard = Heard()
        await heard.plug.put_in(lambda: start)
        await heard.until_shown("3")
        assert heard.plug._process
        heard.plug._process.kill()
        async with asyncio.timeout(10):
            while not heard.died:
                await asyncio.sleep(0.01)
        heard.told.clear()
        await heard.plug.put_in(lambda: start)
        await heard.until_shown("3")
        await heard.plug.pull()

    asyncio.run(work())


def test_a_ledger_that_is_refused_shows_on_the_glass(start: Start, tmp_path: Path) -> None:
    (tmp_path / "bad.db").write_text("not a ledger at all, just some words in a file")
    bad = start._replace(ledger=str(tmp_path / "bad.db"), language="fr")

    async def work() -> None:
        heard = Heard()
        await heard.plug.put_in(lambda: bad)
        await heard.until_shown("-----")
        assert heard.told[-1]["screen"]["message"] == "ERREUR REGISTRE"
        await heard.plug.pull()

    asyncio.run(work())
