"""Limits the number of open connections, so that idle ones cannot block new pages.

Every open connection costs a file descriptor, even if it never sends a byte. Without free
descriptors the panel could not accept a page, nor start the firmware. So above the limit the
oldest connection without an open page is closed.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection
from functools import partial

from aiohttp import web
from aiohttp.http_exceptions import HttpProcessingError

MAX_CONNECTIONS = 200
"""A browser opens at most six; a process usually may have about a thousand descriptors."""

CONTINUE = "100-continue"
"""The only supported value of the ``Expect`` header."""

RequestHandler = Callable[[web.BaseRequest], Awaitable[web.StreamResponse]]


class ConnectionLimiter:
    """A protocol factory for ``loop.create_server``."""

    def __init__(self, server: web.Server, pages: Collection[asyncio.BaseProtocol]) -> None:
        self._server = server
        server.request_handler = partial(_check_expect, server.request_handler)
        self._pages = pages
        """The connections of open pages, which are never closed here."""

    def __call__(self) -> asyncio.BaseProtocol:
        connections = self._server.connections
        without_page = [each for each in connections if each not in self._pages]
        for connection in without_page[: max(0, len(connections) + 1 - MAX_CONNECTIONS)]:
            if connection.transport:
                connection.transport.abort()
        return self._server()


async def _check_expect(handler: RequestHandler, request: web.BaseRequest) -> web.StreamResponse:
    """Aiohttp quotes an unknown ``Expect`` value in its answer, and fails if it is not text."""
    if request.headers.get("Expect", "").lower() in ("", CONTINUE):
        return await handler(request)
    return web.Response(status=417, text="The Expect header may only be 100-continue.\n")


CLIENT_ERRORS = (HttpProcessingError, web.RequestPayloadError, ConnectionError)
"""A malformed request, or a client that disconnected in the middle of one."""


def log() -> logging.Logger:
    """A logger for aiohttp that drops the errors of clients: they get an answer instead."""
    logger = logging.getLogger("tellerbox.panel")
    logger.addFilter(_is_server_error)
    return logger


def _is_server_error(record: logging.LogRecord) -> bool:
    raised = record.exc_info[1] if isinstance(record.exc_info, tuple) else record.exc_info
    return not isinstance(raised, CLIENT_ERRORS)
