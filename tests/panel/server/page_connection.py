"""A test's WebSocket connection to a panel, in place of a page."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from typing import Any, TypeVar

import aiohttp

TIMEOUT = 10.0

T = TypeVar("T")


class PageConnection:
    """Keeps everything that it receives."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self._socket = socket
        self.received: list[dict[str, Any]] = []
        self.frames: list[bytes] = []
        self.closed_with: int | None = None

    async def send(self, *actions: dict[str, Any] | str | bytes) -> None:
        for action in actions:
            if isinstance(action, bytes):
                await self._socket.send_bytes(action)
            else:
                await self._socket.send_str(
                    action if isinstance(action, str) else json.dumps(action)
                )

    async def press(self, keys: str) -> None:
        for key in keys:
            await self.send({"do": "press", "key": key}, {"do": "release", "key": key})

    async def until(self, condition: Callable[[], bool]) -> None:
        async with asyncio.timeout(TIMEOUT):
            while not condition():
                await self._receive()

    async def receive_for(self, seconds: float) -> None:
        try:
            async with asyncio.timeout(seconds):
                while True:
                    await self._receive()
        except TimeoutError:
            return

    async def _receive(self) -> None:
        message = await self._socket.receive()
        match message.type:
            case aiohttp.WSMsgType.TEXT:
                self.received.append(json.loads(message.data))
            case aiohttp.WSMsgType.BINARY:
                self.frames.append(message.data)
            case aiohttp.WSMsgType.CLOSE:
                self.closed_with = message.data
                raise ConnectionError("the server closed the connection")
            case _:
                self.closed_with = self._socket.close_code
                raise ConnectionError("the server closed the connection")

    async def closed_by_server(self) -> int | None:
        """Wait until the server closes the connection; returns the close code."""
        try:
            await self.until(lambda: False)
        except ConnectionError:
            return self.closed_with
        raise AssertionError("the server did not close the connection")

    def all(self, name: str) -> list[Any]:
        return [message[name] for message in self.received if name in message]

    def has(self, name: str) -> bool:
        return any(name in message for message in self.received)

    def last(self, name: str) -> Any:
        contents = self.all(name)
        return contents[-1] if contents else None

    async def until_shows(self, field: str) -> None:
        await self.until(lambda: (self.last("screen") or {}).get("field") == field)


@asynccontextmanager
async def connect(url: str, **headers: str) -> AsyncIterator[PageConnection]:
    async with (
        aiohttp.ClientSession() as session,
        session.ws_connect(f"{url}box", headers=headers, max_msg_size=0) as socket,
    ):
        page = PageConnection(socket)
        await page.until(lambda: page.last("table") is not None)
        yield page


def run(work: Coroutine[Any, Any, T]) -> T:
    """Run in a thread, because Playwright's own loop may be running in the main one."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, work).result()
