"""Pages that are there are kept, however little they say; those that are gone are let go."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp
import pytest
from aiohttp.test_utils import TestServer

from firmware import edition as editions
from firmware.ledger import Ledger
from firmware.ledger_file import held_by_box
from sim import stock
from sim.panel import server
from sim.panel.doorkeeper import Doorkeeper
from sim.panel.room import Options, Room
from sim.panel.server import Server

HEARTBEAT = 0.2
BANKING = editions.load("banking")


@asynccontextmanager
async def served(folder: Path) -> AsyncIterator[str]:
    """A panel in this process, so that its heart can be made to beat faster."""
    path = folder / "ledger.db"
    with held_by_box(path) as store:
        Ledger(store, BANKING).know(stock.players(BANKING))
    room = Room(Options(path, None, None, "en", "software", stock_known=True))
    assert await room.open()
    door = Server(room, Doorkeeper("127.0.0.1", (), print))
    async with TestServer(door.application()) as running:
        yield str(running.make_url("/box"))
        await room.close()


async def answering(line: aiohttp.ClientWebSocketResponse) -> None:
    """As a page does that only looks."""
    async for message in line:
        if message.data == server.BEAT:
            await line.send_str('{"do":"beat"}')


def test_who_does_not_answer_is_let_go_and_who_does_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "HEARTBEAT", HEARTBEAT)

    async def work() -> None:
        async with served(tmp_path) as url, aiohttp.ClientSession() as session:
            dead = await session.ws_connect(url)
            alive = await session.ws_connect(url)
            looking = asyncio.create_task(answering(alive))
            async with asyncio.timeout(20 * HEARTBEAT):
                async for _ in dead:
                    """It hears, and says nothing."""
            await asyncio.sleep(5 * HEARTBEAT)
            assert not looking.done(), "a page that answers is there"
            await alive.close()
            await looking

    asyncio.run(work())


def test_who_only_watches_a_busy_box_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """While there is always something to tell there is no heartbeat to answer."""
    monkeypatch.setattr(server, "HEARTBEAT", HEARTBEAT)

    async def work() -> None:
        async with served(tmp_path) as url, aiohttp.ClientSession() as session:
            watching = await session.ws_connect(url)
            looking = asyncio.create_task(answering(watching))
            busy = await session.ws_connect(url)
            listening = asyncio.create_task(answering(busy))
            for _ in range(30):
                await busy.send_str('{"do":"press","key":"F"}')
                await busy.send_str('{"do":"release","key":"F"}')
                await asyncio.sleep(HEARTBEAT / 2)
            await asyncio.sleep(3 * HEARTBEAT)
            assert not looking.done()
            for line in (watching, busy):
                await line.close()
            await asyncio.gather(looking, listening)

    asyncio.run(work())
