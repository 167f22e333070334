"""The panel's server: the page and its files, the line of each page to the box, and the door.

aiohttp, because one package brings server and WebSocket both, and no framework comes along.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path

from aiohttp import WSCloseCode, WSMsgType, web

from sim.panel import actions
from sim.panel.actions import Abandon, Action, Beat, Refusal, Refused, Release
from sim.panel.doorkeeper import Doorkeeper
from sim.panel.room import Room

PAGE = Path(__file__).parent / "page"
BEHIND_THE_DOOR = ("/", "/box", "/recording.box")
"""What only those see who are let in; the files that the pages are made of are no secret."""
SESSION = "tellerbox"
FORM = "application/x-www-form-urlencoded"
"""How a page sends a form that has no file in it."""
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'self'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'; "
        "form-action 'self'"
    ),
    "Cache-Control": "no-cache",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "same-origin",  # with none at all our own form would have no origin
    "X-Content-Type-Options": "nosniff",
}
HEARTBEAT = 15.0
"""Seconds after which a page that has nothing else to hear is told that we are still here."""
BEAT = '{"beat":true}'
MOST_UNANSWERED = 2
"""Heartbeats; a page that leaves more of them unanswered is gone."""
LEAVE_TAKING = 1.0
"""Seconds."""
MOST_VIEWERS = 20
MOST_WAITING = 1_000
"""Messages; a page that is further behind than that is let go, and may come again."""
TOO_LATE = 2.0
"""Seconds; a line that hung must not do now what a banker wanted then, and has forgotten."""
MOST_REFUSALS = 500
"""In a row; whoever goes on after that is not a page of ours."""
LONGEST_FRAME = 4_096
"""Bytes; what is longer is not even read."""
WRONG_CODE_TAKES = 1.0
"""Seconds for which nobody can try another code."""

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class Rate:
    """So many actions a second, and a burst of twice as many."""

    MOST_A_SECOND = 100

    def __init__(self, now: float) -> None:
        self._left = 2.0 * self.MOST_A_SECOND
        self._at = now

    def allows(self, now: float) -> bool:
        passed, self._at = now - self._at, now
        self._left = min(2.0 * self.MOST_A_SECOND, self._left + passed * self.MOST_A_SECOND)
        if self._left < 1:
            return False
        self._left -= 1
        return True


class Delay:
    """How late a message is, over the quickest of the same line: both clocks may be far apart."""

    def __init__(self) -> None:
        self._least: float | None = None

    def of(self, said_at: int | None, now: float) -> float:
        """Seconds."""
        if said_at is None:
            return 0.0
        apart = now - said_at / 1000
        self._least = apart if self._least is None else min(self._least, apart)
        return apart - self._least


class PageViewer:
    """A page that looks at the box: what it is told waits here until its line has room."""

    def __init__(self, socket: web.WebSocketResponse, hang_up: Callable[[], None]) -> None:
        self._socket = socket
        self._hang_up = hang_up
        self._waiting: deque[str | bytes] = deque()
        self._news = asyncio.Event()
        self._unanswered = 0

    def send(self, message: str | bytes) -> None:
        if len(self._waiting) < MOST_WAITING:
            self._waiting.append(message)
            self._news.set()
        else:
            self._hang_up()

    def heard(self) -> None:
        """It has said something, so it is there."""
        self._unanswered = 0

    async def write(self) -> None:
        """Until somebody hangs up."""
        now = asyncio.get_running_loop().time
        beat_at = now() + HEARTBEAT
        while self._unanswered <= MOST_UNANSWERED:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._news.wait(), beat_at - now())
            if now() >= beat_at:
                beat_at = now() + HEARTBEAT
                self._unanswered += 1
                self.send(BEAT)
            self._news.clear()
            with suppress(TimeoutError):
                async with asyncio.timeout(HEARTBEAT):
                    await self._write_all()
        self._hang_up()

    async def _write_all(self) -> None:
        """A line that is full for long has unanswered heartbeats before it is done."""
        while self._waiting:
            await self._write_one(self._waiting.popleft())

    async def _write_one(self, message: str | bytes) -> None:
        if isinstance(message, bytes):
            await self._socket.send_bytes(message)
        else:
            await self._socket.send_str(message)


class Server:
    """What is answered to whom."""

    def __init__(self, room: Room, doorkeeper: Doorkeeper) -> None:
        self._room = room
        self._doorkeeper = doorkeeper
        self._guess = asyncio.Lock()
        self._sockets: set[web.WebSocketResponse] = set()
        self.pages: set[asyncio.BaseProtocol] = set()
        """The lines that those sockets came over."""

    def application(self) -> web.Application:
        application = web.Application(middlewares=[self._guard], client_max_size=LONGEST_FRAME)
        application.router.add_get("/", self._index)
        application.router.add_get("/box", self._line)
        application.router.add_get("/recording.box", self._recording)
        application.router.add_post("/code", self._code)
        application.router.add_get("/code", self._back_to_the_door)
        application.router.add_get("/{file}", self._file)
        application.on_shutdown.append(self._hang_up)
        return application

    @web.middleware
    async def _guard(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        authority = request.headers.get("Host")
        reached = request.transport and request.transport.get_extra_info("sockname")
        if not self._doorkeeper.knows_host(authority, reached[0] if reached else ""):
            return self._refuse(421, "This is not the address of a Tellerbox.")
        if not self._doorkeeper.knows_origin(request.headers.get("Origin"), authority):
            return self._refuse(403, "A page of somebody else's may not work the box.")
        response = await self._answer(request, handler)
        if not response.prepared:
            response.headers.update(HEADERS)
        return response

    async def _answer(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        shut = request.path in BEHIND_THE_DOOR
        if not shut or self._doorkeeper.admits(request.cookies.get(SESSION)):
            return await handler(request)
        if request.path == "/":
            return self._ask_for_code(401, wrong=False)
        return self._refuse(401, "The code comes first.")

    def _refuse(self, status: int, sentence: str) -> web.Response:
        return web.Response(status=status, text=sentence + "\n", headers=HEADERS)

    # The page

    async def _index(self, _request: web.Request) -> web.StreamResponse:
        return web.FileResponse(PAGE / "index.html")

    async def _file(self, request: web.Request) -> web.StreamResponse:
        name = request.match_info["file"]
        if name not in {file.name for file in PAGE.iterdir()}:
            return self._refuse(404, "There is no such file.")
        return web.FileResponse(PAGE / name)

    async def _recording(self, _request: web.Request) -> web.StreamResponse:
        if not self._room.script:
            return self._refuse(404, "Nothing has been recorded yet.")
        headers = {"Content-Disposition": 'attachment; filename="recording.box"'}
        return web.Response(text=self._room.script, headers=headers)

    # The door

    async def _code(self, request: web.Request) -> web.StreamResponse:
        try:
            if request.content_type != FORM:
                raise ValueError(request.content_type)
            code = (await request.post()).get("code", "")
        except (ValueError, LookupError, web.HTTPException, web.RequestPayloadError):
            return self._refuse(400, "This is not the form of our page.")
        if self._guess.locked():
            # Whoever guesses waits for nobody, and nobody for them.
            return self._ask_for_code(429, wrong=True)
        async with self._guess:
            session = self._doorkeeper.try_code(code) if isinstance(code, str) else None
            if session is None:
                # One guess a second, whoever guesses: a million of them take twelve days.
                await asyncio.sleep(WRONG_CODE_TAKES)
                return self._ask_for_code(403, wrong=True)
        response = web.HTTPSeeOther("/")
        response.set_cookie(SESSION, session, httponly=True, samesite="Strict")
        return response

    async def _back_to_the_door(self, _request: web.Request) -> web.StreamResponse:
        """The address that a wrong code leaves in the browser, opened again."""
        return web.HTTPSeeOther("/")

    def _ask_for_code(self, status: int, *, wrong: bool) -> web.Response:
        text = (PAGE / "code.html").read_text(encoding="utf-8")
        if wrong:
            text = text.replace('data-wrong="no"', 'data-wrong="yes"')
        return web.Response(status=status, text=text, content_type="text/html")

    # The lines of the pages

    async def _line(self, request: web.Request) -> web.StreamResponse:
        if len(self._sockets) >= MOST_VIEWERS:
            return self._refuse(503, "Too many pages look at the box already.")
        socket = web.WebSocketResponse(max_msg_size=LONGEST_FRAME, compress=False)
        try:
            await socket.prepare(request)
        except ValueError:  # aiohttp takes a key of letters that no key can have
            return self._refuse(400, "This is not a line of our page.")
        assert request.transport, "a line was prepared to nowhere"
        viewer = PageViewer(socket, request.transport.abort)
        self._sockets.add(socket)
        self.pages.add(request.protocol)
        writing = asyncio.create_task(viewer.write())
        try:
            self._room.join(viewer)
            await self._listen(socket, viewer)
        finally:
            self._sockets.discard(socket)
            self.pages.discard(request.protocol)
            self._room.leave(viewer)
            writing.cancel()
            with suppress(asyncio.CancelledError, ConnectionError):
                await writing
        return socket

    async def _listen(self, socket: web.WebSocketResponse, viewer: PageViewer) -> None:
        now = asyncio.get_running_loop().time
        rate, delay = Rate(now()), Delay()
        refusals = 0
        async for message in socket:
            viewer.heard()
            try:
                allowed = rate.allows(now())
                if message.type is not WSMsgType.TEXT:
                    raise Refused(Refusal.UNKNOWN)
                said = actions.read(message.data)
                late = delay.of(said.at, now()) > TOO_LATE
                await self._room.do(viewer, _admitted(said.action, allowed, late))
                refusals = 0
            except Refused as refused:
                viewer.send(f'{{"refused":"{refused.refusal.value}"}}')
                refusals += 1
            if refusals >= MOST_REFUSALS:
                await socket.close(code=WSCloseCode.POLICY_VIOLATION)

    async def _hang_up(self, _application: web.Application) -> None:
        """All at once; who does not take leave in time is left without."""
        closing = [socket.close(code=WSCloseCode.GOING_AWAY) for socket in self._sockets]
        with suppress(TimeoutError):
            async with asyncio.timeout(LEAVE_TAKING):
                await asyncio.gather(*closing, return_exceptions=True)


def _admitted(action: Action, allowed: bool, late: bool) -> Action:
    """The action, or Refused; but no key may stay down because its end came so."""
    if isinstance(action, Release | Abandon | Beat):
        return action
    if late:
        raise Refused(Refusal.TOO_LATE)
    if not allowed:
        raise Refused(Refusal.TOO_OFTEN)
    return action
