"""A page's line to the box, as a test holds it: what it is told, and what it says."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import Any

import aiohttp

PATIENCE = 10.0


class Line:
    """Remembers all that it was told."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self._socket = socket
        self.told: list[dict[str, Any]] = []
        self.pictures: list[bytes] = []
        self.closed_with: int | None = None

    async def say(self, *actions: dict[str, Any] | str | bytes) -> None:
        for action in actions:
            if isinstance(action, bytes):
                await self._socket.send_bytes(action)
            else:
                await self._socket.send_str(
                    action if isinstance(action, str) else json.dumps(action)
                )

    async def press(self, keys: str) -> None:
        for key in keys:
            await self.say({"do": "press", "key": key}, {"do": "release", "key": key})

    async def until(self, happened: Callable[[], bool]) -> None:
        """Listen until something has happened."""
        async with asyncio.timeout(PATIENCE):
            while not happened():
                await self._listen()

    async def listen(self, seconds: float) -> None:
        try:
            async with asyncio.timeout(seconds):
                while True:
                    await self._listen()
        except TimeoutError:
            return

    async def _listen(self) -> None:
        message = await self._socket.receive()
        match message.type:
            case aiohttp.WSMsgType.TEXT:
                self.told.append(json.loads(message.data))
            case aiohttp.WSMsgType.BINARY:
                self.pictures.append(message.data)
            case _:
                self.closed_with = self._socket.close_code
                raise ConnectionError("the server hung up")

    async def hung_up_on(self) -> int | None:
        """Listen until the server closes the line; with which code."""
        try:
            await self.until(lambda: False)
        except ConnectionError:
            return self.closed_with
        raise AssertionError("the server did not hang up")

    def all(self, name: str) -> list[Any]:
        return [message[name] for message in self.told if name in message]

    def last(self, name: str) -> Any:
        said = self.all(name)
        return said[-1] if said else None

    async def shows(self, field: str) -> None:
        await self.until(lambda: (self.last("screen") or {}).get("field") == field)


@asynccontextmanager
async def line_to(url: str, **headers: str) -> AsyncIterator[Line]:
    async with (
        aiohttp.ClientSession() as session,
        session.ws_connect(f"{url}box", headers=headers, max_msg_size=0) as socket,
    ):
        line = Line(socket)
        await line.until(lambda: line.last("table") is not None)
        yield line


def run(work: Coroutine[Any, Any, None]) -> None:
    asyncio.run(work)
