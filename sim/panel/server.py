"""The panel's HTTP server: the page and its files, the WebSocket of each page, the code form."""

import asyncio
from collections import deque
from collections.abc import Callable, Collection
from contextlib import suppress

from aiohttp import WSCloseCode, WSMsgType, web
from aiohttp.typedefs import Handler

from firmware.reports import chart_svg
from sim.panel import actions, page_files
from sim.panel.actions import (
    Abandon,
    Action,
    ActionRefusal,
    ActionRefused,
    Heartbeat,
    Older,
    ReleaseKey,
)
from sim.panel.guests.access_control import AccessControl
from sim.panel.guests.guess_turns import WRONG_CODE_DELAY, GuessTurns
from sim.panel.guests.page_limit import MAX_PAGES, page_to_replace
from sim.panel.panel_session import PanelSession

PROTECTED_PATHS = ("/", "/box", "/recording.box")
"""Only with a token; the static files of the pages are public."""
TOKEN_COOKIE = "tellerbox"
FORM = "application/x-www-form-urlencoded"
"""The content type of a form without files."""
UTF_8 = "utf-8"
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'self'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'; "
        "form-action 'self'"
    ),
    "Cache-Control": "no-cache",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "same-origin",  # "no-referrer" would remove the Origin of our own form
    "X-Content-Type-Options": "nosniff",
}
HEARTBEAT = 15.0
"""Seconds between two heartbeats to a page."""
BEAT = '{"beat":true}'
MAX_UNANSWERED = 2
"""Heartbeats; a page that leaves more of them unanswered is disconnected."""
CLOSE_TIMEOUT = 1.0
"""Seconds."""
REPLACED = 4000
"""The close code of a page that made room for another; it does not reconnect."""
MAX_QUEUED = 1_000
"""Messages; a page that is further behind is disconnected, and may reconnect."""
MAX_QUEUED_SIZE = 2_000_000
"""Characters or bytes of these messages; some have tens of thousands."""
MAX_DELAY = 2.0
"""Seconds; later actions are refused, because the banker has probably repeated them by then."""
MAX_REFUSALS = 500
"""In a row; a client that sends more is not our page, and is disconnected."""
OLDER_COST = 20
"""Actions; the answer with older postings has thousands of bytes."""
MAX_MESSAGE_SIZE = 4_096
"""Bytes."""


class RateLimit:
    """A token bucket: so many actions a second, and a burst of twice as many."""

    MAX_PER_SECOND = 100

    def __init__(self, now: float) -> None:
        self._left = 2.0 * self.MAX_PER_SECOND
        self._at = now

    def allows(self, action: Action, now: float) -> bool:
        cost = OLDER_COST if isinstance(action, Older) else 1
        passed, self._at = now - self._at, now
        self._left = min(2.0 * self.MAX_PER_SECOND, self._left + passed * self.MAX_PER_SECOND)
        if self._left < cost:
            return False
        self._left -= cost
        return True


class MessageDelay:
    """How late a message is compared with the fastest one: the two clocks are not in sync."""

    def __init__(self) -> None:
        self._least: float | None = None

    def of(self, sent_at: int | None, now: float) -> float:
        """Seconds."""
        if sent_at is None:
            return 0.0
        offset = now - sent_at / 1000
        self._least = offset if self._least is None else min(self._least, offset)
        return offset - self._least


class PageViewer:
    """A connected page, with the queue of messages to it."""

    def __init__(
        self, socket: web.WebSocketResponse, disconnect: Callable[[], None], guest: str = ""
    ) -> None:
        self._socket = socket
        self._disconnect = disconnect
        self._queue: deque[str | bytes] = deque()
        self._size = 0
        """Of the messages in the queue."""
        self._queued = asyncio.Event()
        self._closing: asyncio.Task[None] | None = None
        self.guest = guest
        self.used_at = asyncio.get_running_loop().time()
        self.unanswered = 0

    def send(self, message: str | bytes) -> None:
        if len(self._queue) < MAX_QUEUED and self._size < MAX_QUEUED_SIZE:
            self._queue.append(message)
            self._size += len(message)
            self._queued.set()
        else:
            self._disconnect()

    def received(self) -> None:
        """Note that the page has sent something, so it is connected."""
        self.unanswered = 0

    def used(self) -> None:
        """Note that somebody uses the page."""
        self.used_at = asyncio.get_running_loop().time()

    def close(self, code: int, timeout: float) -> asyncio.Task[None]:
        """Tell the page why it is disconnected, and disconnect it even if it does not listen."""
        asyncio.get_running_loop().call_later(timeout, self._disconnect)
        self._closing = asyncio.create_task(self._close(code))
        return self._closing

    async def _close(self, code: int) -> None:
        with suppress(ConnectionError):
            await self._socket.close(code=code)

    async def write(self) -> None:
        """Send the queue and heartbeats, until too many heartbeats are unanswered."""
        now = asyncio.get_running_loop().time
        beat_at = now() + HEARTBEAT
        while self.unanswered <= MAX_UNANSWERED:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._queued.wait(), beat_at - now())
            if now() >= beat_at:
                beat_at = now() + HEARTBEAT
                self.unanswered += 1
                self.send(BEAT)
            self._queued.clear()
            # A blocked connection must not stop the heartbeats, which detect it.
            with suppress(TimeoutError):
                async with asyncio.timeout(HEARTBEAT):
                    await self._write_all()
        self._disconnect()

    async def _write_all(self) -> None:
        while self._queue:
            message = self._queue.popleft()
            self._size -= len(message)
            if isinstance(message, bytes):
                await self._socket.send_bytes(message)
            else:
                await self._socket.send_str(message)


class Server:
    """The request handlers."""

    def __init__(self, session: PanelSession, access: AccessControl) -> None:
        self._session = session
        self._access = access
        self._turns = GuessTurns()
        self._pages: dict[PageViewer, asyncio.BaseProtocol] = {}
        """With the connections that carry them."""

    @property
    def page_connections(self) -> Collection[asyncio.BaseProtocol]:
        """The connections of the open pages, always up to date."""
        return self._pages.values()

    def application(self) -> web.Application:
        application = web.Application(middlewares=[self._guard], client_max_size=MAX_MESSAGE_SIZE)
        router = application.router
        router.add_get("/", self._file)
        router.add_get("/box", self._websocket)
        router.add_get("/recording.box", self._recording)
        router.add_post("/code", self._code)
        # For a reload after a wrong code, which leaves /code in the address bar.
        router.add_get("/code", self._redirect_to_index)
        router.add_get("/chart.css", self._chart_style)
        router.add_get("/{file}", self._file)
        application.on_shutdown.append(self._close_pages)
        return application

    @web.middleware
    async def _guard(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        authority = request.headers.get("Host")
        local = request.transport and request.transport.get_extra_info("sockname")
        if not self._access.allows_host(authority, local[0] if local else ""):
            return self._refuse(421, "This is not the address of a Tellerbox.")
        if not self._access.allows_origin(request.headers.get("Origin"), authority):
            return self._refuse(403, "Pages of other sites may not operate the box.")
        token = request.cookies.get(TOKEN_COOKIE)
        if request.path in PROTECTED_PATHS and not self._access.allows_token(token):
            if request.path == "/":
                return self._ask_for_code(401, wrong=False)
            return self._refuse(401, "Enter the code first.")
        response = await handler(request)
        if not response.prepared:
            response.headers.update(HEADERS)
        return response

    def _refuse(self, status: int, sentence: str) -> web.Response:
        return web.Response(status=status, text=sentence + "\n", headers=HEADERS)

    # The page

    async def _file(self, request: web.Request) -> web.StreamResponse:
        name = request.match_info.get("file", "index.html")
        content = page_files.content_of(name)
        if content is None:
            return self._refuse(404, "There is no such file.")
        return page_files.answer(request, name, content)

    async def _chart_style(self, _request: web.Request) -> web.StreamResponse:
        return web.Response(text=chart_svg.STYLE, content_type="text/css")

    async def _recording(self, _request: web.Request) -> web.StreamResponse:
        if not self._session.script:
            return self._refuse(404, "Nothing has been recorded yet.")
        headers = {"Content-Disposition": 'attachment; filename="recording.box"'}
        return web.Response(text=self._session.script, headers=headers)

    # The code

    async def _code(self, request: web.Request) -> web.StreamResponse:
        try:
            # Our own form is UTF-8. Other codecs of Python decode bytes to what is no text.
            if request.content_type != FORM or (request.charset or UTF_8).lower() != UTF_8:
                raise ValueError(request.content_type)
            code = (await request.post()).get("code", "")
        except (ValueError, LookupError, web.HTTPException, web.RequestPayloadError):
            return self._refuse(400, "This is not the form of the code page.")
        async with self._turns.of(request.remote):
            if request.transport is None:  # it hung up while it waited
                return self._ask_for_code(403, wrong=True)
            token = self._access.try_code(code) if isinstance(code, str) else None
            if token is None:
                await asyncio.sleep(WRONG_CODE_DELAY)
                return self._ask_for_code(403, wrong=True)
        response = web.HTTPSeeOther("/")
        response.set_cookie(TOKEN_COOKIE, token, httponly=True, samesite="Strict")
        return response

    async def _redirect_to_index(self, _request: web.Request) -> web.StreamResponse:
        return web.HTTPSeeOther("/")

    def _ask_for_code(self, status: int, *, wrong: bool) -> web.Response:
        page = (page_files.PAGE / "code.html").read_text(encoding="utf-8")
        if wrong:
            page = page.replace('data-wrong="no"', 'data-wrong="yes"')
        return web.Response(status=status, text=page, content_type="text/html", headers=HEADERS)

    # The WebSockets of the pages

    async def _websocket(self, request: web.Request) -> web.StreamResponse:
        guest = self._access.guest(request.cookies.get(TOKEN_COOKIE), request.remote)
        if not self._has_room(guest):
            return self._refuse(503, "Too many pages are open.")
        socket = web.WebSocketResponse(max_msg_size=MAX_MESSAGE_SIZE, compress=False)
        try:
            await socket.prepare(request)
        except ValueError:  # aiohttp fails on a key with invalid characters
            return self._refuse(400, "This is not a WebSocket handshake.")
        if request.transport is None:  # closed during the handshake
            return socket
        viewer = PageViewer(socket, request.transport.abort, guest)
        if not self._make_room(guest):  # others came first during the handshake
            await viewer.close(WSCloseCode.TRY_AGAIN_LATER, CLOSE_TIMEOUT)
            return socket
        self._pages[viewer] = request.protocol
        writing = asyncio.create_task(viewer.write())
        try:
            self._session.join(viewer)
            await self._receive(socket, viewer)
        finally:
            self._pages.pop(viewer, None)
            self._session.leave(viewer)
            writing.cancel()
            with suppress(asyncio.CancelledError, ConnectionError):
                await writing
        return socket

    def _has_room(self, guest: str) -> bool:
        return len(self._pages) < MAX_PAGES or self._page_to_replace(guest) is not None

    def _make_room(self, guest: str) -> bool:
        if len(self._pages) < MAX_PAGES:
            return True
        if replaced := self._page_to_replace(guest):
            del self._pages[replaced]
            replaced.close(REPLACED, HEARTBEAT)
        return replaced is not None

    def _page_to_replace(self, guest: str) -> PageViewer | None:
        return page_to_replace(self._pages, guest, asyncio.get_running_loop().time())

    async def _receive(self, socket: web.WebSocketResponse, viewer: PageViewer) -> None:
        now = asyncio.get_running_loop().time
        rate, delay = RateLimit(now()), MessageDelay()
        refusals = 0
        async for message in socket:
            viewer.received()
            try:
                if message.type is not WSMsgType.TEXT:
                    raise ActionRefused(ActionRefusal.UNKNOWN)
                timed = actions.read(message.data)
                late = delay.of(timed.at, now()) > MAX_DELAY
                _check_timing(timed.action, rate.allows(timed.action, now()), late)
                if not isinstance(timed.action, Heartbeat):
                    viewer.used()
                    await self._session.do(viewer, timed.action)
                refusals = 0
            except ActionRefused as refused:
                viewer.send(f'{{"refused":"{refused.refusal.value}"}}')
                refusals += 1
            if refusals >= MAX_REFUSALS:
                await socket.close(code=WSCloseCode.POLICY_VIOLATION)

    async def _close_pages(self, _application: web.Application) -> None:
        going = WSCloseCode.GOING_AWAY
        await asyncio.gather(*(page.close(going, CLOSE_TIMEOUT) for page in self._pages))


def _check_timing(action: Action, allowed: bool, late: bool) -> None:
    """Raises ActionRefused; releases always pass, so that no key stays down."""
    if not isinstance(action, ReleaseKey | Abandon | Heartbeat):
        if late:
            raise ActionRefused(ActionRefusal.TOO_LATE)
        if not allowed:
            raise ActionRefused(ActionRefusal.TOO_OFTEN)
