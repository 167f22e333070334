"""The room: the box on its table, everybody who looks at it, and what each is told.

All who look see the same. What one of them does is done to the table, goes on to the box if
the box can notice it, and is told to all.
"""

import asyncio
import sqlite3
import time
from base64 import b64decode
from collections.abc import Hashable, Iterable
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from firmware import config
from firmware import edition as editions
from firmware.edition import Edition
from firmware.house import BY_THE_BOOK, House
from firmware.mistake import Mistake
from firmware.records import JournalFailed
from hal.events import MILLISECOND, SECOND, Instant, Key, Slot
from sim.panel import books, telling
from sim.panel.actions import (
    Abandon,
    Action,
    Beat,
    Done,
    Fault,
    Press,
    Put,
    Record,
    Refusal,
    Refused,
    Release,
    SetFault,
    SetPace,
    Skip,
    SwitchPower,
    Take,
)
from sim.panel.messages import Start
from sim.panel.pace import A_MINUTE, Pace
from sim.panel.plug import Plug
from sim.panel.studio import Studio
from sim.panel.table import Table, moves
from sim.stock import STOCK

FAULTS = {"software": (Fault.SCREEN,), "virtual": tuple(Fault)}
STRANGERS = 2
HARMLESS_C = 1_200 * MILLISECOND
"""A C that was down for so long is no longer a short one, and not yet a long one."""


class Options(NamedTuple):
    """What the command line says of the box."""

    ledger: Path
    edition: str | None
    config: Path | None
    language: str
    board: str
    stock_known: bool


class NewBox(NamedTuple):
    """What is recorded on: its ledger, and the house rules of this table."""

    ledger: Path
    house: House


class Viewer(Hashable, Protocol):
    """Somebody who looks."""

    def send(self, message: str | bytes) -> None:
        """Without waiting: who is too slow to be told is shown the door."""
        ...


class Room:
    """One box, and any number of viewers."""

    def __init__(self, options: Options) -> None:
        self._options = options
        self._viewers: set[Viewer] = set()
        self._table = Table()
        self._rate = 1
        """How fast time runs while no key is down."""
        self._pace = Pace(_wall())
        self._c_since = Instant(0)
        self._plug = Plug(self._heard, self._died)
        self._switch = asyncio.Lock()
        """Whoever holds it works the power."""
        self._pages = telling.DARK
        self._words: dict[str, Any] = telling.NO_POWER
        self._meanwhile: list[str] | None = None
        """What a script has to say of hands, while the power is being cut."""
        self._studio = Studio(stock_known=options.stock_known)
        self._came_up: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._ending: asyncio.Task[None] | None = None
        """A recording that is ended because it is full."""

    async def open(self) -> bool:
        """Put the box on the table, and its plug in; False when it does not come up.

        Its own last words then stand in the terminal, and say why.
        """
        self._use(self._options.ledger)
        await self._power_on()
        return await self._came_up

    async def close(self) -> None:
        async with self._switch:
            self._close_books()  # first, so that the box is the last to leave, and tidies up
            await self._plug.switch_off()
            self._studio.clear_up()

    def _use(self, ledger: Path) -> None:
        """Bank on a ledger; its edition says which cards lie on the table."""
        self._ledger = ledger
        self._books = books.opened(ledger)
        edition = self._books.edition if self._books else editions.load(editions.DEFAULT)
        self._table.clear()
        self._play(edition)

    def _play(self, edition: Edition) -> None:
        self._edition = edition
        strangers = range(len(STOCK) - STRANGERS + 1, len(STOCK) + 1)
        self._table.lay_out((*range(1, edition.cards + 1), *strangers))

    def _reopen_books(self) -> None:
        """The file may be another one by now."""
        if self._books and not self._books.replaced:
            return
        self._close_books()
        self._books = books.opened(self._ledger)
        self._show_everything(self._viewers)

    def _close_books(self) -> None:
        if self._books:
            self._books.close()
            self._books = None

    # Viewers

    def join(self, viewer: Viewer) -> None:
        self._viewers.add(viewer)
        self._show_everything([viewer])

    def leave(self, viewer: Viewer) -> None:
        self._viewers.discard(viewer)
        if held := self._table.held_by(viewer):
            for key in held:
                self._abandon(viewer, key)
            self._tell(self._table_words())

    def _show_everything(self, viewers: Iterable[Viewer]) -> None:
        messages: list[str | bytes] = [
            telling.hello(
                self._edition,
                self._table.cards,
                self._options.board,
                FAULTS[self._options.board],
                self._options.language,
            ),
            telling.all_pixels(self._pages),
            telling.text("screen", self._words),
            self._table_words(),
        ]
        if self._books and (whole := self._books.whole()):
            messages.append(telling.text("books", whole))
        if self._studio.lines:
            messages.append(telling.text("script", {"from": 0, "lines": self._studio.lines}))
        for viewer in tuple(viewers):
            for message in messages:
                viewer.send(message)

    def _tell(self, message: str | bytes) -> None:
        for viewer in tuple(self._viewers):
            viewer.send(message)

    def _table_words(self) -> str:
        elapsed = self._pace.at(_wall()) // MILLISECOND
        words = {**self._table.in_words(), "pace": self._rate, "elapsed": elapsed}
        return telling.text("table", words)

    # What viewers do

    async def do(self, who: Viewer, action: Action) -> None:
        """Carry out an action, or raise Refused."""
        match action:
            case Release(key) | Abandon(key) if key not in self._table.held_by(who):
                who.send(self._table_words())  # nothing has changed for the others
                return
            case Press() | Release() | Abandon():
                self._work_key(who, action)
            case Put() | Take():
                self._move_card(action)
            case SetPace() | Skip():
                self._change_time(action)
            case SetFault():
                self._break(action)
            case SwitchPower(on):
                await self._switch_power(on)
            case Record(on):
                await self._record(on)
            case Beat():
                return
        self._tell(self._table_words())

    def _work_key(self, who: Viewer, action: Press | Release | Abandon) -> None:
        match action:
            case Press(key):
                self._press(who, key)
            case Release(key):
                self._release(who, key)
            case Abandon(key):
                self._abandon(who, key)

    def _press(self, who: Viewer, key: Key) -> None:
        done = self._table.press(who, key)
        if key is Key.CANCEL and done:
            self._c_since = _wall()
        self._keep_finger_time()
        self._pass_on(done)

    def _release(self, who: Viewer, key: Key) -> None:
        self._pass_on(self._table.release(who, key))
        self._keep_finger_time()

    def _abandon(self, who: Viewer, key: Key) -> None:
        """Nobody meant to let go. A short C would take a move back; a longer one does nothing."""
        left = HARMLESS_C - (_wall() - self._c_since)
        if key is Key.CANCEL and left > 0:
            asyncio.get_running_loop().call_later(left / SECOND, self._let_go_later, who, key)
        else:
            self._release(who, key)

    def _let_go_later(self, who: Viewer, key: Key) -> None:
        self._release(who, key)
        self._tell(self._table_words())

    def _keep_finger_time(self) -> None:
        """While a key is down time is the finger's, or else a tap on C at ×60 were a new game."""
        rate = 1 if self._table.down else self._rate
        if rate != self._pace.rate:
            self._pace.run(rate, _wall())
            self._plug.tell(SetPace(rate))

    def _pass_on(self, done: Iterable[Done]) -> None:
        for each in done:
            self._plug.tell(each)

    def _move_card(self, action: Put | Take) -> None:
        before = dict(self._table.slots)
        self._pass_on(
            self._table.put(*action) if isinstance(action, Put) else self._table.take(action.card)
        )
        lines = moves(before, self._table.slots)
        if self._meanwhile is not None:
            self._meanwhile += lines
        elif not self._table.power:
            self._studio.without_power(*lines)
            self._tell_script()

    def _change_time(self, action: SetPace | Skip) -> None:
        if isinstance(action, SetPace):
            self._rate = action.rate
            self._keep_finger_time()
        else:
            if self._table.power:
                self._pace.skip(A_MINUTE, _wall())
            self._pass_on([action])

    def _break(self, action: SetFault) -> None:
        if action.fault not in FAULTS[self._options.board]:
            raise Refused(Refusal.NOT_HERE)
        if self._studio.busy:
            raise Refused(Refusal.RECORDING)
        change = self._table.faults.add if action.on else self._table.faults.discard
        change(action.fault)
        self._pass_on([action])

    # The power

    async def _switch_power(self, on: bool) -> None:
        async with self._switch:
            if on == self._table.power:
                return
            if on:
                self._reopen_books()
                await self._power_on()
                return
            await self._cut_power()

    async def _cut_power(self) -> None:
        """What hands do meanwhile no box sees, and a script has it after the cut."""
        self._table.power = False
        self._meanwhile = []
        # A recording wants every line up to here: its box is let finish what it has heard.
        await (self._plug.switch_off() if self._studio.busy else self._plug.pull())
        lines, self._meanwhile = self._meanwhile, None
        self._studio.without_power("power off", *lines)
        self._tell_script()
        self._go_dark()

    async def _power_on(self) -> None:
        self._pace.put(Instant(0), _wall())
        await self._plug.put_in(self._start)
        self._table.power = True

    def _start(self) -> Start:
        """As everything stands now."""
        recording = self._studio.edition
        return Start(
            ledger=str(self._ledger),
            edition=recording.name if recording else self._options.edition,
            config=str(self._options.config) if self._options.config else None,
            language=self._options.language,
            board="software" if recording else self._options.board,
            recording=recording is not None,
            left=self._table.slots[Slot.LEFT],
            right=self._table.slots[Slot.RIGHT],
            faults=[fault.value for fault in self._table.faults],
            down=[key.value for key in self._table.down],
            pace=self._pace.rate,
        )

    def _died(self) -> None:
        """The firmware has ended by itself; its last words are in the terminal."""
        if not self._came_up.done():
            self._came_up.set_result(False)
        self._studio.without_power("power off")
        self._tell_script()
        self._go_dark()
        self._tell(self._table_words())

    def _go_dark(self) -> None:
        self._table.power = False
        self._show(telling.NO_POWER, telling.DARK)

    # Recording

    @property
    def script(self) -> str:
        """What was recorded last, or is being recorded; empty when nothing was."""
        return "".join(f"{line}\n" for line in self._studio.lines)

    async def _record(self, on: bool) -> None:
        async with self._switch:
            if on == self._studio.busy:
                return
            scratch = self._new_scratch() if on else None
            self._table.power = False
            await self._plug.switch_off()
            self._go_dark()
            ledger = self._begin_recording(scratch) if scratch else self._end_recording()
            self._close_books()
            self._use(ledger)
            await self._power_on()
            self._show_everything(self._viewers)

    async def _stop_recording(self) -> None:
        await self._record(False)
        self._tell(self._table_words())

    def _new_scratch(self) -> NewBox:
        """Before anything else is touched: where there is none, the game just goes on."""
        name = self._edition.name
        if name not in editions.names() or editions.load(name) != self._edition:
            # A script names an edition, and could not name this one.
            raise Refused(Refusal.NOT_HERE)
        try:
            file = self._options.config
            house = config.load(file).house if file else BY_THE_BOOK
            return NewBox(self._studio.new_ledger(self._edition), house)
        except (OSError, sqlite3.Error, JournalFailed, Mistake):
            raise Refused(Refusal.NOT_HERE) from None

    def _begin_recording(self, scratch: NewBox) -> Path:
        self._table.faults.clear()
        self._table.recording = True
        self._studio.begin(self._edition, scratch.house)
        return scratch.ledger

    def _end_recording(self) -> Path:
        self._table.recording = False
        self._studio.end(self._books.ledger if self._books else None)
        return self._options.ledger

    def _tell_script(self) -> None:
        if news := self._studio.news():
            self._tell(telling.text("script", news))

    # What the box tells

    def _heard(self, message: dict[str, Any]) -> None:
        if not self._came_up.done():
            self._came_up.set_result(True)
        match message:
            case {"screen": words, "pages": joined}:
                self._show(words, telling.pages_of(b64decode(joined)))
            case {"sound": sound, "volume": volume}:
                self._tell(telling.sound(sound, volume))
            case {"step": line, "seen": seen}:
                self._studio.step(line, seen)
                self._tell_script()
                if self._studio.full:
                    self._ending = asyncio.create_task(self._stop_recording())
        if self._books and (news := self._books.news()):
            self._tell(telling.text("books", news))
            self._follow(self._books.edition)

    def _follow(self, edition: Edition) -> None:
        """A new game may be one of another edition, with other cards."""
        if edition.name != self._edition.name:
            self._play(edition)
            self._show_everything(self._viewers)

    def _show(self, words: dict[str, Any], pages: list[bytes]) -> None:
        if pages != self._pages:
            self._tell(telling.pixels(self._pages, pages))
        self._pages, self._words = pages, words
        self._tell(telling.text("screen", words))


def _wall() -> Instant:
    return Instant(time.monotonic_ns() // 1_000)
