"""Limits the number of open connections, so that idle ones cannot block new pages.

Every open connection costs a file descriptor, even if it never sends a byte. Without free
descriptors the panel could not accept a page, nor start the firmware. So above the limit a
connection without an open page is closed: the oldest of the client (``client_address``) that has
the most. So a storm of connections closes its own, and not those of a person who loads the page.
"""

import asyncio
import logging
from collections import Counter
from collections.abc import Awaitable, Callable, Collection
from functools import partial

from aiohttp import web
from aiohttp.http_exceptions import HttpProcessingError

from sim.panel.guests.client_address import client_of

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
        while (surplus := self._surplus()) is not None:
            surplus.abort()
        return self._server()

    def _surplus(self) -> asyncio.Transport | None:
        """The connection to be closed before another one is accepted; None if there is room."""
        found = [each for each in self._server.connections if _is_open(each)]
        if len(found) < MAX_CONNECTIONS:
            return None
        pages = set(self._pages)
        closable = [(_client(each), each) for each in found if each not in pages]
        held = Counter(client for client, _ in closable)
        most = max(held.values(), default=0)
        return next((each.transport for client, each in closable if held[client] == most), None)


def _is_open(connection: web.RequestHandler) -> bool:
    return connection.transport is not None and not connection.transport.is_closing()


def _client(connection: web.RequestHandler) -> str:
    peer = connection.transport and connection.transport.get_extra_info("peername")
    return client_of(peer[0] if peer else None)


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
