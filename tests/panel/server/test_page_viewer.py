"""The queue of messages to a page that does not take them."""

import asyncio

import pytest
from aiohttp import web

from sim.panel.server import MAX_QUEUED, MAX_QUEUED_SIZE, PageViewer


def queued_until_disconnected(message: str | bytes) -> int:
    """How many messages a page may be behind."""
    disconnected: list[bool] = []

    async def work() -> int:
        viewer = PageViewer(web.WebSocketResponse(), lambda: disconnected.append(True))
        sent = 0
        while not disconnected:
            viewer.send(message)
            sent += 1
        return sent - 1

    return asyncio.run(work())


@pytest.mark.parametrize(
    ("message", "queued"),
    [
        ("x", MAX_QUEUED),
        ("x" * 50_000, MAX_QUEUED_SIZE // 50_000),
        (b"x" * MAX_QUEUED_SIZE, 1),
    ],
)
def test_a_page_that_takes_nothing_costs_a_bounded_memory(
    message: str | bytes, queued: int
) -> None:
    assert queued_until_disconnected(message) == queued
