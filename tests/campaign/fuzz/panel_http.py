"""The panel's door: any bytes that come over a line, before and after it is a page's.

An input is what a stranger sends; it comes in pieces, cut wherever it has a NUL byte. aiohttp
reads it; what is asked is that the panel answers or hangs up, prints nothing, and lets the
next visitor in.
"""

import asyncio
from functools import partial
from typing import Any
from unittest.mock import patch

from aiohttp import web, web_fileresponse

from sim.panel import crowd
from sim.panel.crowd import Crowd
from sim.panel.doorkeeper import Doorkeeper
from sim.panel.room import Viewer
from sim.panel.server import Server
from tests.fuzz.contract import logged
from tests.fuzz.virtual_loop import VirtualLoop

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
A_VISITOR = b"GET /words.js HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
NOBODY_KNOWS = 500
"""The status of a server that does not know what went wrong."""


def fuzz_one(data: bytes) -> None:
    loop = VirtualLoop()
    with (
        logged("tellerbox.panel") as log,
        logged("asyncio") as also,
        # There is no socket here that the kernel could copy a file to.
        patch.object(web_fileresponse, "NOSENDFILE", True),
        asyncio.Runner(loop_factory=lambda: loop) as runner,
    ):
        for host in ("127.0.0.1", "0.0.0.0"):
            runner.run(_at_the_door(host, data))
    loop.raise_what_was_logged()
    assert not [record.getMessage() for record in (*log, *also)]


async def _at_the_door(host: str, data: bytes) -> None:
    codes: list[str] = []
    keeper = Doorkeeper(host, ("box",), codes.append)
    keeper.open()
    server = Server(EmptyRoom(), keeper)  # type: ignore[arg-type]  # nobody is in
    runner = web.AppRunner(server.application(), access_log=None, logger=crowd.log())
    await runner.setup()
    assert runner.server
    lines = Crowd(runner.server, server.pages)
    stranger = Wire(lines())
    for piece in data.split(b"\0"):
        await stranger.send(piece)
    await asyncio.sleep(2)
    _is_answered(stranger.answer)
    visitor = Wire(lines())
    await visitor.send(A_VISITOR)
    await asyncio.sleep(2)
    assert visitor.answer.startswith(b"HTTP/1.1 200 "), visitor.answer[:100]
    stranger.hang_up()
    await asyncio.sleep(0)
    await runner.cleanup()


def _is_answered(answer: bytes) -> None:
    """With the head of an answer, if with anything; and never with one that explains nothing."""
    if not answer:
        return
    head = answer.partition(b"\r\n")[0].split(b" ")
    assert head[0].startswith(b"HTTP/"), answer[:100]
    assert int(head[1]) < NOBODY_KNOWS or int(head[1]) == 503, answer[:100]


class EmptyRoom:
    """A room whose box does nothing; the messages of pages have a target of their own."""

    script = "# recorded\n"

    def join(self, viewer: Viewer) -> None:
        viewer.send("{}")

    def leave(self, viewer: Viewer) -> None:
        """Nobody minds."""

    async def do(self, viewer: Viewer, action: object) -> None:
        """Nothing."""


class Wire(asyncio.Transport):
    """A line without a socket: what is said to a protocol, and what it answers."""

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

    def hang_up(self, _error: Any = None) -> None:
        if self._open:
            self._open = False
            asyncio.get_running_loop().call_soon(partial(self._protocol.connection_lost, None))

    close = abort = hang_up

    def is_closing(self) -> bool:
        return not self._open

    def write(self, said: Any) -> None:
        self.answer += bytes(said)

    def pause_reading(self) -> None:
        """What was sent is there already."""

    resume_reading = pause_reading

    def is_reading(self) -> bool:
        return True

    def get_write_buffer_size(self) -> int:
        return 0

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None:
        """It takes anything at once."""
