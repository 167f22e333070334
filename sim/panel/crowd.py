"""Lines to the panel: so many at a time, so that those who say nothing keep nobody out.

A line that was opened costs a descriptor, whether or not a word ever comes over it; with none
left nobody could come in any more, and the box could not even be switched on. So when there
are too many, the oldest that no page looks through makes room for the newest.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection
from functools import partial

from aiohttp import web
from aiohttp.http_exceptions import HttpProcessingError

MOST_LINES = 200
"""A browser opens six at most; a shell lets a program have a thousand descriptors."""

CONTINUE = "100-continue"
"""What a request may expect: to be asked for its body."""

Answer = Callable[[web.BaseRequest], Awaitable[web.StreamResponse]]


class Crowd:
    """Makes the protocol of each line that is opened, for ``loop.create_server``."""

    def __init__(self, server: web.Server, pages: Collection[asyncio.BaseProtocol]) -> None:
        self._server = server
        server.request_handler = partial(_answered, server.request_handler)
        self._pages = pages
        """The lines that a page looks through: they stay."""

    def __call__(self) -> asyncio.BaseProtocol:
        lines = self._server.connections
        waiting = [line for line in lines if line not in self._pages]
        for line in waiting[: max(0, len(lines) + 1 - MOST_LINES)]:
            if line.transport:
                line.transport.abort()
        return self._server()


async def _answered(answer: Answer, request: web.BaseRequest) -> web.StreamResponse:
    """Aiohttp would quote what is expected of it, also where it is no text, and fail."""
    if request.headers.get("Expect", "").lower() in ("", CONTINUE):
        return await answer(request)
    return web.Response(status=417, text="That is more than can be expected here.\n")


NOT_OURS = (HttpProcessingError, web.RequestPayloadError, ConnectionError)
"""What is wrong with a request, or whoever sent it has left in the middle of it."""


def log() -> logging.Logger:
    """For aiohttp: what is wrong with a request is told to who sent it, and to nobody else."""
    made = logging.getLogger("tellerbox.panel")
    made.addFilter(_is_about_us)
    return made


def _is_about_us(record: logging.LogRecord) -> bool:
    raised = record.exc_info[1] if isinstance(record.exc_info, tuple) else record.exc_info
    return not isinstance(raised, NOT_OURS)
