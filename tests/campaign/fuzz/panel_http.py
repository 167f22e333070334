"""Fuzzes the panel's HTTP server: any bytes on a connection, before and after a page opens it.

An input is what a client sends, in pieces split at NUL bytes. The panel must answer or hang up, log
nothing, and serve the next visitor. No guess changes the code.
"""

import asyncio
from collections.abc import Sequence
from functools import partial
from typing import Any

from aiohttp import web

from sim.panel.guests import connection_limiter
from sim.panel.guests.access_control import AccessControl
from sim.panel.guests.connection_limiter import ConnectionLimiter
from sim.panel.panel_session import Viewer
from sim.panel.server import Server
from tests.campaign.fuzz.contract import logged
from tests.campaign.fuzz.virtual_loop import VirtualLoop

LONGEST = 6_000
WORDS = (
    b"GET ", b"POST ", b"HEAD ", b"/box", b"/code", b"/recording.box", b" HTTP/1.1\r\n",
    b"Host: localhost\r\n", b"Origin: http://localhost\r\n", b"Content-Length: ", b"chunked",
    b"Transfer-Encoding: ", b"Content-Encoding: deflate\r\n", b"Content-Type: ", b"charset=",
    b"application/x-www-form-urlencoded", b"multipart/form-data; boundary=x", b"Range: bytes=",
    b"If-None-Match: ", b"If-Modified-Since: ", b"Expect: 100-continue\r\n", b"Cookie: a=",
    b"Upgrade: websocket\r\n", b"Connection: Upgrade\r\n", b"Sec-WebSocket-Version: 13\r\n",
    b"Sec-WebSocket-Extensions: permessage-deflate\r\n", b"Sec-WebSocket-Protocol: ", b"%2e%2e",
    b"\x81\x85", b"\x88\x82", b"\x89\x80", b"\xff\xff", b"\r\n\r\n", b"\0",
)  # fmt: skip
VISITOR_REQUEST = b"GET /words.js HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
INTERNAL_ERROR = 500
"""The status of an unexpected server error."""


def fuzz_one(data: bytes) -> None:
    check(data.split(b"\0"))


def check(pieces: Sequence[bytes]) -> None:
    """Send these pieces to a panel of this machine, and to one that requires a code."""
    loop = VirtualLoop()
    with (
        logged("tellerbox.panel") as log,
        logged("asyncio") as asyncio_log,
        asyncio.Runner(loop_factory=lambda: loop) as runner,
    ):
        for host in ("127.0.0.1", "0.0.0.0"):
            runner.run(_serve(host, pieces))
    loop.raise_logged()
    assert not [record.getMessage() for record in (*log, *asyncio_log)]


async def _serve(host: str, pieces: Sequence[bytes]) -> None:
    codes: list[str] = []
    access = AccessControl(host, ("box",), codes.append)
    access.start()
    server = Server(IdleSession(), access)  # type: ignore[arg-type]  # a stand-in
    runner = web.AppRunner(server.application(), access_log=None, logger=connection_limiter.log())
    await runner.setup()
    assert runner.server
    connections = ConnectionLimiter(runner.server, server.page_connections)
    client = FakeTransport(connections())
    for piece in pieces:
        await client.send(piece)
    await asyncio.sleep(2)
    _check_answer(client.answer)
    visitor = FakeTransport(connections())
    await visitor.send(VISITOR_REQUEST)
    await asyncio.sleep(2)
    assert visitor.answer.startswith(b"HTTP/1.1 200 "), visitor.answer[:100]
    assert len(codes) <= 1, "a guess has changed the code"
    client.disconnect()
    await asyncio.sleep(0)
    await runner.cleanup()


def _check_answer(answer: bytes) -> None:
    """An answer must start with a status line, and must not be an internal error."""
    if not answer:
        return
    head = answer.partition(b"\r\n")[0].split(b" ")
    assert head[0].startswith(b"HTTP/"), answer[:100]
    assert int(head[1]) < INTERNAL_ERROR or int(head[1]) == 503, answer[:100]


class IdleSession:
    """A session whose box does nothing; page messages have their own target."""

    script = "# recorded\n"

    def join(self, viewer: Viewer) -> None:
        viewer.send("{}")

    def leave(self, viewer: Viewer) -> None: ...

    async def do(self, viewer: Viewer, action: object) -> None: ...


class FakeTransport(asyncio.Transport):
    """A transport without a socket, which collects the protocol's answer."""

    def __init__(self, protocol: asyncio.BaseProtocol) -> None:
        super().__init__({"sockname": ("127.0.0.1", 8765), "peername": ("127.0.0.1", 9)})
        assert isinstance(protocol, asyncio.Protocol)
        self._protocol = protocol
        self._open = True
        self.answer = b""
        protocol.connection_made(self)

    async def send(self, piece: bytes) -> None:
        if self._open:
            self._protocol.data_received(piece)
        await asyncio.sleep(0.01)

    def disconnect(self, _error: Any = None) -> None:
        if self._open:
            self._open = False
            asyncio.get_running_loop().call_soon(partial(self._protocol.connection_lost, None))

    close = abort = disconnect

    def is_closing(self) -> bool:
        return not self._open

    def write(self, content: Any) -> None:
        self.answer += bytes(content)

    def pause_reading(self) -> None: ...

    resume_reading = pause_reading

    def is_reading(self) -> bool:
        return True

    def get_write_buffer_size(self) -> int:
        return 0

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None: ...
