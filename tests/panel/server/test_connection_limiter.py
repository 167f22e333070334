"""Idle connections and malformed requests."""

import resource
import socket
from contextlib import ExitStack

import aiohttp
import pytest

from sim.panel.guests.connection_limiter import MAX_CONNECTIONS
from tests.panel.conftest import StartPanel
from tests.panel.server.page_connection import PageConnection, connect, run

BATCH = 40
MALFORMED = {
    "unknown version": b"GET / HTTP/9.9\r\n\r\n",
    "invalid length": b"GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: x\r\n\r\n",
    "invalid chunk": (
        b"POST /code HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"
    ),
    "invalid address": b"GET http://[/ HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "path too long": b"GET /" + b"a" * 20_000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "multipart form": (
        b"POST /code HTTP/1.1\r\nHost: localhost\r\nContent-Length: 24\r\n"
        b"Content-Type: multipart/form-data; boundary=x\r\n\r\n"
        b"--x\r\nfoo\r\n\r\nbar\r\n--x--\r\n"
    ),
    "bytes": bytes(range(256)),
}

UNKNOWN_EXPECT = {
    "known path": b"GET / HTTP/1.1\r\nHost: localhost\r\nExpect: \xff\r\n\r\n",
    "unknown path": b"GET /no/where HTTP/1.1\r\nHost: localhost\r\nExpect: a miracle\r\n\r\n",
    "no path": b"OPTIONS * HTTP/1.1\r\nHost: localhost\r\nExpect: \xff\r\n\r\n",
}


def test_idle_connections_do_not_block_new_pages(start_panel: StartPanel) -> None:
    """More connections than the panel may have file descriptors."""
    panel = start_panel()
    assert panel.url
    limit = 3 * MAX_CONNECTIONS
    resource.prlimit(panel.process.pid, resource.RLIMIT_NOFILE, (limit, limit))

    async def work(stack: ExitStack) -> None:
        async with connect(panel.url) as page, aiohttp.ClientSession() as session:
            for _ in range((limit + MAX_CONNECTIONS) // BATCH):
                for _ in range(BATCH):
                    idle = socket.create_connection(("127.0.0.1", panel.port))
                    stack.enter_context(idle)
                async with session.get(panel.url, headers={"Connection": "close"}) as got:
                    assert got.status == 200, "a new visitor is refused"
            # The page that was open before still works, and so does the power.
            await page.send({"do": "power", "on": False}, {"do": "power", "on": True})
            await page.until(lambda: _was_cut(page) and page.last("table")["power"])
            await page.send({"do": "put", "card": 1, "slot": "left"})
            await page.until_shows("1")

    with ExitStack() as stack:
        run(work(stack))
    assert "Traceback" not in panel.output()


def test_a_storm_closes_its_own_connections_only(start_panel: StartPanel) -> None:
    """Not those of a banker who loads the page meanwhile."""
    panel = start_panel()
    assert panel.url
    request = b"GET /icon.svg HTTP/1.1\r\nHost: localhost\r\n\r\n"
    with ExitStack() as stack:
        banker = stack.enter_context(socket.create_connection(("127.0.0.1", panel.port)))
        for number in range(2 * MAX_CONNECTIONS):
            source = ("127.0.0.2", 0)
            address = ("127.0.0.1", panel.port)
            idle = stack.enter_context(socket.create_connection(address, source_address=source))
            if number % BATCH == 0:
                idle.sendall(request)
                assert idle.recv(12) == b"HTTP/1.1 200"
        banker.sendall(request)
        assert banker.recv(12) == b"HTTP/1.1 200"


def _was_cut(page: PageConnection) -> bool:
    return any(not table["power"] for table in page.all("table"))


@pytest.mark.parametrize("what", MALFORMED)
def test_a_malformed_request_is_answered_and_not_logged(start_panel: StartPanel, what: str) -> None:
    _check_answer(start_panel, MALFORMED[what], status=b"400")


@pytest.mark.parametrize("what", UNKNOWN_EXPECT)
def test_an_unknown_expect_header_is_not_logged(start_panel: StartPanel, what: str) -> None:
    _check_answer(start_panel, UNKNOWN_EXPECT[what], status=b"417")


def _check_answer(start_panel: StartPanel, request: bytes, *, status: bytes) -> None:
    panel = start_panel()
    before = panel.startup_output()
    with socket.create_connection(("127.0.0.1", panel.port)) as client:
        client.sendall(request)
        answer = client.recv(65536)
    assert answer.startswith((b"HTTP/1.0 %b " % status, b"HTTP/1.1 %b " % status))

    async def work() -> None:
        async with aiohttp.ClientSession() as session, session.get(panel.url) as got:
            assert got.status == 200

    run(work())
    assert panel.output() == before
