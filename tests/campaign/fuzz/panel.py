"""The front panel's messages: a page may send anything, and the box works on.

An input is what two pages send, a line at a time; one that begins with ``;`` comes from the
second page, one that begins with ``~`` is a binary frame, and ``.500`` lets so many
milliseconds pass. The server's own ear, the room and the firmware behind it are the real
ones, in one process; time is virtual.
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

from firmware import bank, ledger_file
from firmware import edition as editions
from firmware.app import App
from firmware.ledger import Ledger
from firmware.ledger_file import Owner
from hal.events import SECOND, Instant, Key
from sim.panel import actions, room
from sim.panel.actions import Done
from sim.panel.doorkeeper import Doorkeeper
from sim.panel.link import Link
from sim.panel.messages import Start
from sim.panel.pace import PacedWaiter
from sim.panel.recording_board import RecordingBoard
from sim.panel.room import Options, Room
from sim.panel.server import PageViewer, Server
from sim.panel.software_board import SoftwareBoard
from sim.player import perform
from sim.rig import Rig
from sim.script import read_script
from sim.stock import STOCK, players
from tests.fuzz.contract import folder
from tests.fuzz.virtual_loop import VirtualLoop

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
        '{"do":"pace","rate":60}\n', '{"do":"pace","rate":0}\n', '"at":99,', "\n;", "\n~",
        '{"do":"fault","fault":"screen","on":true}\n', "\n.3100\n",
    )
)  # fmt: skip
BANKING = editions.load(editions.DEFAULT)
LONGEST_WAIT = 3_600.0
"""Seconds."""
A_WHILE = 3.0


def fuzz_one(data: bytes) -> None:
    loop = VirtualLoop()
    with (
        patch.object(room, "Plug", InProcess),
        patch.object(room, "_wall", loop.wall),
        asyncio.Runner(loop_factory=lambda: loop) as runner,
    ):
        runner.run(_at_the_panel(data))
    loop.raise_what_was_logged()


async def _at_the_panel(data: bytes) -> None:
    ledger = _new_ledger()
    options = Options(ledger, None, None, "en", "software", stock_known=True)
    box = Room(options)
    assert await box.open()
    server = Server(box, Doorkeeper("127.0.0.1", (), print))
    pages = [Page(server, box), Page(server, box)]
    for line in data.split(b"\n"):
        await _happen(pages, line)
    for page in pages:
        await page.leave()
    await _still_works(server, box)
    await box.close()
    _salary_was_paid(ledger)
    _plays(box.script)


async def _happen(pages: list["Page"], line: bytes) -> None:
    if line[:1] == b"." and line[1:].isdigit():
        await asyncio.sleep(min(int(line[1:]) / 1000, LONGEST_WAIT))
    page = pages[1] if line[:1] == b";" else pages[0]
    await page.send(line.removeprefix(b";"))


async def _still_works(server: Server, box: Room) -> None:
    """Whatever was done to it: power it anew, begin a game, and pay a salary."""
    page = Page(server, box)
    await asyncio.sleep(A_WHILE)  # fingers that slid off C are up by now
    for action in (
        {"do": "record", "on": False},
        {"do": "pace", "rate": 1},
        {"do": "power", "on": False},
        *({"do": "take", "card": card} for card in range(1, len(STOCK) + 1)),
        {"do": "power", "on": True},
        {"do": "press", "key": "C"},
    ):
        await page.send(json.dumps(action).encode())
    await asyncio.sleep(A_WHILE + 1)
    for action in (
        {"do": "release", "key": "C"},
        {"do": "put", "card": 1, "slot": "left"},
        {"do": "press", "key": "G"},
        {"do": "release", "key": "G"},
    ):
        await page.send(json.dumps(action).encode())
    await page.leave()


def _salary_was_paid(path: Path) -> None:
    with ledger_file.held_by_box(path) as store:
        ledger = Ledger(store, BANKING)
        for number, uid in ledger.cards.items():
            if uid == STOCK[0]:
                edition = ledger.edition
                assert ledger.balance(number) == edition.opening_balance + edition.salary


def _plays(recording: str) -> None:
    """What was recorded on the way, if anything was: a script that comes true."""
    script = read_script("recording.box", recording.split("\n"), BANKING)
    rig = Rig.new(script.edition, stock_known=script.stock_known, house=script.house)
    for _, step in script.steps:
        perform(rig, step)


def _new_ledger() -> Path:
    path = folder() / "panel.db"
    for ending in ("-wal", "-shm"):
        path.with_name(path.name + ending).unlink(missing_ok=True)
    shutil.copyfile(_pristine(), path)
    return path


@cache
def _pristine() -> Path:
    path = folder() / "pristine.db"
    with ledger_file.held_by_box(path) as store:
        Ledger(store, BANKING).know(players(BANKING))
    return path


class Socket:
    """The server's end of a page's line."""

    def __init__(self) -> None:
        self.coming: asyncio.Queue[WSMessage | None] = asyncio.Queue()
        self._closed = False

    async def __aiter__(self) -> AsyncIterator[WSMessage]:
        while not self._closed and (message := await self.coming.get()):
            yield message

    async def send_str(self, text: str) -> None:
        assert isinstance(json.loads(text), dict)

    async def send_bytes(self, pixels: bytes) -> None:
        assert pixels, "a picture without a byte"

    async def close(self, *, code: int) -> None:
        del code
        self._closed = True


class Page:
    """A page, and whoever serves it."""

    def __init__(self, server: Server, box: Room) -> None:
        self._socket = Socket()
        self._box = box
        # Hanging up is for lines that hang; here nobody keeps anybody waiting.
        self._viewer = PageViewer(self._socket, lambda: None)  # type: ignore[arg-type]  # a stand-in
        box.join(self._viewer)
        self._writing = asyncio.create_task(self._viewer.write())
        listening = server._listen(self._socket, self._viewer)  # type: ignore[arg-type]  # a stand-in
        self._listening = asyncio.create_task(listening)

    async def send(self, line: bytes) -> None:
        """When this is done the server has dealt with it."""
        binary = line[:1] == b"~"
        kind = WSMsgType.BINARY if binary else WSMsgType.TEXT
        said = line[1:] if binary else line.decode(errors="replace")
        self._socket.coming.put_nowait(WSMessage(kind, said, None))
        await asyncio.sleep(0.001)
        if self._listening.done():
            self._listening.result()

    async def leave(self) -> None:
        self._socket.coming.put_nowait(None)
        await self._listening
        self._box.leave(self._viewer)
        self._writing.cancel()


class Pause(BaseException):
    """The box has nothing more to do: back to whoever let it run."""


class NearLink(Link):
    """The firmware's end, in the panel's own process: what it tells is kept until it pauses."""

    def __init__(self, ear: int) -> None:
        super().__init__(ear, -1)
        self.told: list[dict[str, Any]] = []

    def _tell(self, message: dict[str, Any]) -> None:
        self.told.append(json.loads(json.dumps(message)))


class Alarm:
    """Stands in for the waiter of a Pi: instead of waiting it gives the others their turn."""

    def __init__(self, wall: Callable[[], Instant]) -> None:
        self._wall = wall
        self.until: Instant | None = None
        self.heard = False

    def now(self) -> Instant:
        return self._wall()

    def wait(self, until: Instant | None) -> bool:
        self.until = until
        if not self.heard and (until is None or until > self.now()):
            raise Pause
        heard, self.heard = self.heard, False
        return heard

    def instant_of(self, ticks: float) -> Instant:
        raise AssertionError(f"no edge comes here, at {ticks} or ever")

    def listen(self, descriptor: int) -> None:
        del descriptor

    deafen = listen

    def interrupt(self) -> None:
        """Nobody is waiting."""


class InProcess:
    """Stands in for the plug: the firmware has power in this very process."""

    def __init__(self, told: Callable[[dict[str, Any]], None], died: Callable[[], None]) -> None:
        del died
        self._told = told
        self._open: ExitStack | None = None
        self._again: asyncio.TimerHandle | None = None

    async def put_in(self, start: Callable[[], Start]) -> None:
        assert self._open is None, "the plug is in"
        self._open = ExitStack()
        ear, self._hand = os.pipe()
        self._open.callback(os.close, ear)
        self._open.callback(os.close, self._hand)
        self._link = NearLink(ear)
        self._write(json.dumps(start()._asdict()))
        self._begin(self._link.start(), self._open)
        self._run()

    def _begin(self, start: Start, stack: ExitStack) -> None:
        """What ``sim.panel.firmware_process`` does."""
        loop = asyncio.get_running_loop()
        assert isinstance(loop, VirtualLoop)
        self._alarm = Alarm(loop.wall)
        waiter = PacedWaiter(self._alarm)  # type: ignore[arg-type]  # a stand-in
        board = (RecordingBoard if start.recording else SoftwareBoard)(self._link, start, waiter)
        args = argparse.Namespace(
            ledger=Path(start.ledger), edition=None, config=None, new_game=False
        )
        settings = bank.settings_of(args)._replace(edition=start.edition)
        opened = stack.enter_context(bank.opened(args, settings, Owner.BOX))
        self._app = App(board, opened.ledger, opened.next_edition)

    def tell(self, done: Done) -> None:
        if self._open:
            self._write(actions.write(done))
            self._alarm.heard = True
            self._run()

    def _write(self, line: str) -> None:
        os.write(self._hand, line.encode() + b"\n")

    def _run(self) -> None:
        """Until there is nothing to do; then wake up when the box wanted to."""
        try:
            while not self._link.stop.asked:
                self._app.turn()
        except Pause:
            self._sleep()
        told, self._link.told = self._link.told, []
        for message in told:
            self._told(message)

    def _sleep(self) -> None:
        if self._again:
            self._again.cancel()
            self._again = None
        if self._alarm.until is not None:
            left = (self._alarm.until - self._alarm.now()) / SECOND
            self._again = asyncio.get_running_loop().call_later(left, self._run)

    async def pull(self) -> None:
        if self._open:
            if self._again:
                self._again.cancel()
            stack, self._open = self._open, None
            stack.close()

    async def switch_off(self) -> None:
        if self._open:
            self._link.stop.asked = True
            self._app.turn()
            self._run()
            await self.pull()
