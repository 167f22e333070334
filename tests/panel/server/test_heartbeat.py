"""Pages that answer heartbeats stay connected; others are disconnected."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp
import pytest
from aiohttp.test_utils import TestServer

from firmware.bank import edition as editions
from firmware.bank.ledger import Ledger
from firmware.storage.ledger_file import opened_by_box
from sim.board import stock
from sim.panel import server
from sim.panel.guests.access_control import AccessControl
from sim.panel.panel_session import PanelOptions, PanelSession
from sim.panel.server import Server
from tests.panel.server.page_connection import run

HEARTBEAT = 0.2
BANKING = editions.load("banking")


@asynccontextmanager
async def served(folder: Path) -> AsyncIterator[str]:
    """A panel in this process, so that the heartbeat can be patched."""
    path = folder / "ledger.db"
    with opened_by_box(path) as store:
        Ledger(store, BANKING).know(stock.players(BANKING))
    session = PanelSession(PanelOptions(path, None, None, "en", "software", stock_known=True))
    assert await session.open()
    panel = Server(session, AccessControl("127.0.0.1", (), print))
    async with TestServer(panel.application()) as running:
        yield str(running.make_url("/box"))
        await session.close()


async def answer_heartbeats(socket: aiohttp.ClientWebSocketResponse) -> None:
    async for message in socket:
        if message.data == server.BEAT:
            await socket.send_str('{"do":"beat"}')


def test_only_a_page_that_does_not_answer_is_disconnected(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "HEARTBEAT", HEARTBEAT)

    async def work() -> None:
        async with served(tmp_path) as url, aiohttp.ClientSession() as session:
            dead = await session.ws_connect(url)
            alive = await session.ws_connect(url)
            answering = asyncio.create_task(answer_heartbeats(alive))
            async with asyncio.timeout(20 * HEARTBEAT):
                async for _ in dead:
                    pass
            await asyncio.sleep(5 * HEARTBEAT)
            assert not answering.done(), "the page that answers was disconnected"
            await alive.close()
            await answering

    run(work())


def test_a_passive_page_of_a_busy_box_stays_connected(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "HEARTBEAT", HEARTBEAT)

    async def work() -> None:
        async with served(tmp_path) as url, aiohttp.ClientSession() as session:
            watching = await session.ws_connect(url)
            answering = asyncio.create_task(answer_heartbeats(watching))
            busy = await session.ws_connect(url)
            listening = asyncio.create_task(answer_heartbeats(busy))
            for _ in range(30):
                await busy.send_str('{"do":"press","key":"F"}')
                await busy.send_str('{"do":"release","key":"F"}')
                await asyncio.sleep(HEARTBEAT / 2)
            await asyncio.sleep(3 * HEARTBEAT)
            assert not answering.done()
            for socket in (watching, busy):
                await socket.close()
            await asyncio.gather(answering, listening)

    run(work())
