"""Lines that nobody says anything over, and requests that nobody meant."""

import asyncio
import resource
import socket
from contextlib import ExitStack

import aiohttp
import pytest

from sim.panel.crowd import MOST_LINES
from tests.panel.conftest import StartPanel
from tests.panel.server.lines import Line, line_to, run

A_FEW = 40
GARBAGE = {
    "no version that there is": b"GET / HTTP/9.9\r\n\r\n",
    "a length that is none": b"GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: x\r\n\r\n",
    "a body that is none": (
        b"POST /code HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"
    ),
    "an address that is none": b"GET http://[/ HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "a path without end": b"GET /" + b"a" * 20_000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "a form in parts": (
        b"POST /code HTTP/1.1\r\nHost: localhost\r\nContent-Length: 24\r\n"
        b"Content-Type: multipart/form-data; boundary=x\r\n\r\n"
        b"--x\r\nfoo\r\n\r\nbar\r\n--x--\r\n"
    ),
    "bytes": bytes(range(256)),
}

EXPECTED = {
    "of the page": b"GET / HTTP/1.1\r\nHost: localhost\r\nExpect: \xff\r\n\r\n",
    "of no page": b"GET /no/where HTTP/1.1\r\nHost: localhost\r\nExpect: a miracle\r\n\r\n",
    "of no address": b"OPTIONS * HTTP/1.1\r\nHost: localhost\r\nExpect: \xff\r\n\r\n",
}


def test_silent_lines_keep_nobody_out(start_panel: StartPanel) -> None:
    """More of them than the panel may have descriptors, which is what a shell gives it."""
    panel = start_panel()
    assert panel.url
    few = 3 * MOST_LINES
    resource.prlimit(panel.process.pid, resource.RLIMIT_NOFILE, (few, few))

    async def work(stack: ExitStack) -> None:
        async with line_to(panel.url) as line, aiohttp.ClientSession() as session:
            for _ in range((few + MOST_LINES) // A_FEW):
                for _ in range(A_FEW):
                    opened = socket.create_connection(("127.0.0.1", panel.port))
                    stack.enter_context(opened)
                async with session.get(panel.url, headers={"Connection": "close"}) as got:
                    assert got.status == 200, "a visitor comes in all the while"
            # The page that was there before them still works the box, and its power.
            await line.say({"do": "power", "on": False}, {"do": "power", "on": True})
            await line.until(lambda: _was_cut(line) and line.last("table")["power"])
            await line.say({"do": "put", "card": 1, "slot": "left"})
            await line.shows("1")

    with ExitStack() as stack:
        run(work(stack))
    assert "Traceback" not in panel.said()


def _was_cut(line: Line) -> bool:
    return any(not table["power"] for table in line.all("table"))


@pytest.mark.parametrize("what", GARBAGE)
def test_garbage_is_answered_and_not_printed(start_panel: StartPanel, what: str) -> None:
    _is_answered(start_panel, GARBAGE[what], status=b"400")


@pytest.mark.parametrize("what", EXPECTED)
def test_what_nobody_can_expect_is_not_printed_either(start_panel: StartPanel, what: str) -> None:
    _is_answered(start_panel, EXPECTED[what], status=b"417")


def _is_answered(start_panel: StartPanel, said: bytes, *, status: bytes) -> None:
    panel = start_panel()
    assert panel.url
    before = panel.said()
    with socket.create_connection(("127.0.0.1", panel.port)) as line:
        line.sendall(said)
        answer = line.recv(65536)
    assert answer.startswith((b"HTTP/1.0 %b " % status, b"HTTP/1.1 %b " % status))

    async def work() -> None:
        async with aiohttp.ClientSession() as session, session.get(panel.url) as got:
            assert got.status == 200

    asyncio.run(work())
    assert panel.said() == before
