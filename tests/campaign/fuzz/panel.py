"""Fuzzes the front panel's messages: a page may send anything, and the box must keep working.

An input is a sequence of lines from two pages. A line that starts with ``;`` comes from the second
page, one with ``~`` is a binary frame, and ``.500`` lets 500 milliseconds pass. The server, the
session and the firmware are real, in one process with virtual time.
"""

import argparse
import asyncio
import json
import os
import shutil
from collections.abc import AsyncIterator, Callable
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from typing import Any
from unittest.mock import patch

from aiohttp import WSMessage, WSMsgType

from firmware.app import App
from firmware.bank import edition as editions
from firmware.bank.ledger import Ledger
from firmware.commands import startup
from firmware.storage import ledger_file
from firmware.storage.ledger_file import Owner
from hal.events import SECOND, Instant, Key
from sim.board.software_harness import SoftwareHarness
from sim.board.stock import STOCK, players
from sim.panel import actions, panel_session
from sim.panel.actions import BoxAction
from sim.panel.box.link import Link
from sim.panel.box.pace import PacedWaiter
from sim.panel.box.panel_board import PanelBoard
from sim.panel.box.recording_board import RecordingBoard
from sim.panel.guests.access_control import AccessControl
from sim.panel.messages import BoxStart
from sim.panel.panel_session import PanelOptions, PanelSession
from sim.panel.server import PageViewer, Server
from sim.script.language import read_script
from sim.script.player import perform
from tests.campaign.fuzz.contract import folder
from tests.campaign.fuzz.virtual_loop import VirtualLoop

LONGEST = 2_000
WORDS = tuple(
    word.encode()
    for word in (
        *(f'{{"do":"press","key":"{key.value}"}}\n' for key in Key),
        *(f'{{"do":"release","key":"{key.value}"}}\n' for key in Key),
        *(f'{{"do":"put","card":{card},"slot":"left"}}\n' for card in (1, 2, 8, 9)),
        *(f'{{"do":"put","card":{card},"slot":"right"}}\n' for card in (1, 2, 10)),
        '{"do":"take","card":1}\n', '{"do":"abandon","key":"C"}\n', '{"do":"skip"}\n',
        '{"do":"power","on":false}\n', '{"do":"power","on":true}\n',
        '{"do":"record","on":true}\n', '{"do":"record","on":false}\n',
        '{"do":"name","number":1,"name":"Ana"}\n', '{"do":"name","number":2,"name":""}\n',
        '{"do":"older","before":9}\n', '{"do":"learn","task":1}\n', '{"do":"learn","task":0}\n',
        '{"do":"pace","rate":60}\n', '{"do":"pace","rate":0}\n', '"at":99,', "\n;", "\n~",
        '{"do":"fault","fault":"screen","on":true}\n', "\n.3100\n",
    )
)  # fmt: skip
BANKING = editions.load(editions.DEFAULT)
LONGEST_WAIT = 3_600.0
"""Seconds."""
LONG_PRESS = 3.0


def fuzz_one(data: bytes) -> None:
    loop = VirtualLoop()
    with (
        patch.object(panel_session, "BoxProcess", InProcessFirmware),
        patch.object(panel_session, "_wall_time", loop.wall),
        asyncio.Runner(loop_factory=lambda: loop) as runner,
    ):
        runner.run(_play(data))
    loop.raise_logged()


async def _play(data: bytes) -> None:
    ledger = _new_ledger()
    options = PanelOptions(ledger, None, None, "en", "software", stock_known=True)
    box = PanelSession(options)
    assert await box.open()
    server = Server(box, AccessControl("127.0.0.1", (), print))
    pages = [Page(server, box), Page(server, box)]
    for line in data.split(b"\n"):
        await _perform(pages, line)
    for page in pages:
        await page.leave()
    await _check_works(server, box)
    await box.close()
    _check_salary(ledger)
    _check_recording(box.script)


async def _perform(pages: list["Page"], line: bytes) -> None:
    if line[:1] == b"." and line[1:].isdigit():
        await asyncio.sleep(min(int(line[1:]) / 1000, LONGEST_WAIT))
    page = pages[1] if line[:1] == b";" else pages[0]
    await page.send(line.removeprefix(b";"))


async def _check_works(server: Server, box: PanelSession) -> None:
    """Restart the box, start a game and pay a salary."""
    page = Page(server, box)
    await asyncio.sleep(LONG_PRESS)  # an abandoned C is released by now
    for action in (
        {"do": "record", "on": False},
        {"do": "learn", "task": 0},
        {"do": "pace", "rate": 1},
        {"do": "power", "on": False},
        *({"do": "take", "card": card} for card in range(1, len(STOCK) + 1)),
        {"do": "power", "on": True},
        {"do": "press", "key": "C"},
    ):
        await page.send(json.dumps(action).encode())
    await asyncio.sleep(LONG_PRESS + 1)
    for action in (
        {"do": "release", "key": "C"},
        {"do": "put", "card": 1, "slot": "left"},
        {"do": "press", "key": "G"},
        {"do": "release", "key": "G"},
    ):
        await page.send(json.dumps(action).encode())
    await page.leave()


def _check_salary(path: Path) -> None:
    with ledger_file.opened_by_box(path) as store:
        ledger = Ledger(store, BANKING)
        for number, uid in ledger.cards.items():
            if uid == STOCK[0]:
                edition = ledger.edition
                assert ledger.balance(number) == edition.opening_balance + edition.salary


def _check_recording(recording: str) -> None:
    """Play what was recorded, if anything."""
    script = read_script("recording.box", recording.split("\n"), BANKING)
    harness = SoftwareHarness().begin_new(
        script.edition, stock_known=script.stock_known, house=script.house
    )
    for _, step in script.steps:
        perform(harness, step)


def _new_ledger() -> Path:
    path = folder() / "panel.db"
    for ending in ("-wal", "-shm"):
        path.with_name(path.name + ending).unlink(missing_ok=True)
    shutil.copyfile(_pristine(), path)
    return path


@cache
def _pristine() -> Path:
    path = folder() / "pristine.db"
    with ledger_file.opened_by_box(path) as store:
        Ledger(store, BANKING).know(players(BANKING))
    return path


class FakeSocket:
    """The server's end of a page's connection."""

    def __init__(self) -> None:
        self.incoming: asyncio.Queue[WSMessage | None] = asyncio.Queue()
        self._closed = False

    async def __aiter__(self) -> AsyncIterator[WSMessage]:
        while not self._closed and (message := await self.incoming.get()):
            yield message

    async def send_str(self, text: str) -> None:
        assert isinstance(json.loads(text), dict)

    async def send_bytes(self, pixels: bytes) -> None:
        assert pixels, "an empty picture"

    async def close(self, *, code: int) -> None:
        del code
        self._closed = True


class Page:
    """A page and its connection to the server."""

    def __init__(self, server: Server, box: PanelSession) -> None:
        self._socket = FakeSocket()
        self._box = box
        # Closing is for stalled connections, which do not occur here.
        self._viewer = PageViewer(self._socket, lambda: None)  # type: ignore[arg-type]  # a stand-in
        box.join(self._viewer)
        self._writing = asyncio.create_task(self._viewer.write())
        receiving = server._receive(self._socket, self._viewer)  # type: ignore[arg-type]  # a stand-in
        self._receiving = asyncio.create_task(receiving)

    async def send(self, line: bytes) -> None:
        """Send a line, and let the server handle it."""
        binary = line[:1] == b"~"
        kind = WSMsgType.BINARY if binary else WSMsgType.TEXT
        content = line[1:] if binary else line.decode(errors="replace")
        self._socket.incoming.put_nowait(WSMessage(kind, content, None))
        await asyncio.sleep(0.001)
        if self._receiving.done():
            self._receiving.result()

    async def leave(self) -> None:
        self._socket.incoming.put_nowait(None)
        await self._receiving
        self._box.leave(self._viewer)
        self._writing.cancel()


class Idle(BaseException):
    """The box has nothing to do: return to the caller."""


class InProcessLink(Link):
    """The firmware's end in the panel's process: keeps messages until the box is idle."""

    def __init__(self, descriptor: int) -> None:
        super().__init__(descriptor, -1)
        self.sent: list[dict[str, Any]] = []

    def _send(self, message: dict[str, Any]) -> None:
        self.sent.append(json.loads(json.dumps(message)))


class IdleWaiter:
    """Stands in for the waiter of a Pi: raises Idle instead of waiting."""

    def __init__(self, wall: Callable[[], Instant]) -> None:
        self._wall = wall
        self.until: Instant | None = None
        self.input_ready = False

    def now(self) -> Instant:
        return self._wall()

    def wait(self, until: Instant | None) -> bool:
        self.until = until
        if not self.input_ready and (until is None or until > self.now()):
            raise Idle
        input_ready, self.input_ready = self.input_ready, False
        return input_ready

    def instant_of(self, ticks: float) -> Instant:
        raise AssertionError(f"no edges are expected, at {ticks} or ever")

    def listen(self, descriptor: int) -> None:
        del descriptor

    deafen = listen

    def interrupt(self) -> None: ...


class InProcessFirmware:
    """Stands in for the box's process: runs the firmware in this one."""

    def __init__(
        self, on_message: Callable[[dict[str, Any]], None], on_exit: Callable[[], None]
    ) -> None:
        del on_exit
        self._on_message = on_message
        self._open: ExitStack | None = None
        self._timer: asyncio.TimerHandle | None = None

    async def start(self, options: Callable[[], BoxStart]) -> None:
        assert self._open is None, "already started"
        self._open = ExitStack()
        descriptor, self._write_end = os.pipe()
        self._open.callback(os.close, descriptor)
        self._open.callback(os.close, self._write_end)
        self._link = InProcessLink(descriptor)
        self._write(json.dumps(options()._asdict()))
        self._begin(self._link.start(), self._open)
        self._run()

    def _begin(self, start: BoxStart, resources: ExitStack) -> None:
        """Does what ``sim.panel.box.firmware_process`` does."""
        loop = asyncio.get_running_loop()
        assert isinstance(loop, VirtualLoop)
        self._waiter = IdleWaiter(loop.wall)
        waiter = PacedWaiter(self._waiter)  # type: ignore[arg-type]  # a stand-in
        board = (RecordingBoard if start.recording else PanelBoard)(self._link, start, waiter)
        args = argparse.Namespace(
            ledger=Path(start.ledger),
            edition=None,
            config=None,
            language=start.language,
            new_game=False,
        )
        settings = startup.settings_of(args)._replace(edition=start.edition)
        opened = resources.enter_context(startup.opened(args, settings, Owner.BOX))
        self._app = App(board, opened.ledger, opened.next_edition)

    def send(self, *box_actions: BoxAction) -> None:
        if self._open:
            for action in box_actions:
                self._write(actions.write(action))
                self._waiter.input_ready = True
                self._run()

    def _write(self, line: str) -> None:
        os.write(self._write_end, line.encode() + b"\n")

    def _run(self) -> None:
        """Run until the box is idle; then schedule its next wake-up."""
        try:
            while not self._link.stop.asked:
                self._app.turn()
        except Idle:
            self._schedule()
        sent, self._link.sent = self._link.sent, []
        for message in sent:
            self._on_message(message)

    def _schedule(self) -> None:
        if self._timer:
            self._timer.cancel()
            self._timer = None
        if self._waiter.until is not None:
            left = (self._waiter.until - self._waiter.now()) / SECOND
            self._timer = asyncio.get_running_loop().call_later(left, self._run)

    async def kill(self) -> None:
        if self._open:
            if self._timer:
                self._timer.cancel()
            resources, self._open = self._open, None
            resources.close()

    async def stop(self) -> None:
        if self._open:
            self._link.stop.asked = True
            self._app.turn()
            self._run()
            await self.kill()
