"""The panel's session: one box, the table around it, its recording, and the pages that view it.

All viewers see the same. An action changes the table's state, goes on to the box, and the new
state is sent to every viewer.
"""

import asyncio
import sqlite3
import time
from base64 import b64decode
from collections.abc import Hashable, Iterable
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from firmware import config
from firmware.bank import edition as editions
from firmware.bank.edition import Edition
from firmware.bank.house_rules import BY_THE_BOOK, HouseRules
from firmware.bank.names import composed, is_name
from firmware.bank.records import JournalFailed
from firmware.commands import cards
from firmware.user_error import UserError
from hal.events import MILLISECOND, SECOND, Instant, Key, Slot
from sim.board.stock import STOCK
from sim.panel import actions, page_messages
from sim.panel.actions import ActionRefusal, ActionRefused, BoxAction
from sim.panel.box.pace import Pace
from sim.panel.box_process import BoxProcess
from sim.panel.ledger import accounts
from sim.panel.messages import BoxStart
from sim.panel.recorder import Recorder
from sim.panel.table import TableState, script_lines
from sim.panel.trainer import Trainer, set_up_actions

STRANGERS = 2
HARMLESS_C = 1_200 * MILLISECOND
"""A C held for this long does nothing: it is neither short nor long."""


class PanelOptions(NamedTuple):
    """The options of the command line."""

    ledger: Path
    edition: str | None
    config: Path | None
    language: str
    board: str
    stock_known: bool
    learn: bool = False
    """Whether to begin with the first task of the trainer."""


class Viewer(Hashable, Protocol):
    """A page that shows the box."""

    def send(self, message: str | bytes) -> None:
        """Must not block; a viewer that is too slow is disconnected."""
        ...


class PanelSession:
    """One box, and any number of viewers."""

    def __init__(self, options: PanelOptions) -> None:
        self._options = options
        self._viewers: set[Viewer] = set()
        self._table = TableState()
        self._rate = 1
        """The rate of the box's time while no key is down."""
        self._pace = Pace(_wall_time)
        self._c_since = Instant(0)
        self._process = BoxProcess(self._on_message, self._on_exit)
        self._power_lock = asyncio.Lock()
        self._pixels = page_messages.DARK
        self._screen: dict[str, Any] = page_messages.NO_POWER
        self._lines_during_cut: list[str] | None = None
        """Script lines of the cards that are moved while the process is being killed."""
        self._recorder = Recorder(self._on_script, stock_known=options.stock_known)
        self._trainer = Trainer()
        self._set_up: tuple[BoxAction, ...] = ()
        """What comes first at the next start of the box, in a task of the trainer."""
        self._came_up: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._reading_on: asyncio.Handle | None = None
        """Reads the next postings for the chart."""
        self._ending: asyncio.Task[None] | None = None
        """Ends a recording that is full."""

    async def open(self) -> bool:
        """Start the box; False if the firmware exits at once, with its error on stderr."""
        if self._options.learn:
            self._trainer.switch(self._trainer.prepare(1))
        self._use_current_ledger()
        await self._power_on()
        return await self._came_up

    async def close(self) -> None:
        async with self._power_lock:
            self._close_accounts()  # first: the box must be the last to close the ledger
            await self._process.stop()
            self._recorder.clean_up()
            self._trainer.switch(None)

    def _use_current_ledger(self) -> None:
        """Switch to the ledger of a task, of a recording, or of the game."""
        task = self._trainer.current
        scratch = task.scratch if task else self._recorder.scratch
        self._use(scratch.path if scratch else self._options.ledger)
        self._set_up = tuple(set_up_actions(task.lesson.task)) if task else ()
        for action in self._set_up:
            if isinstance(action, actions.PutCard):
                self._table.put(action.card, action.slot)
            elif isinstance(action, actions.TakeCard):
                self._table.take(action.card)

    def _use(self, ledger: Path) -> None:
        """Switch to a ledger, with empty slots and its edition's cards."""
        self._ledger = ledger
        self._accounts = accounts.opened(ledger)
        edition = self._accounts.edition if self._accounts else editions.load(editions.DEFAULT)
        self._table.clear()
        self._set_edition(edition)

    def _set_edition(self, edition: Edition) -> None:
        self._edition = edition
        strangers = range(len(STOCK) - STRANGERS + 1, len(STOCK) + 1)
        self._table.lay_out((*range(1, edition.cards + 1), *strangers))

    def _reopen_accounts(self) -> None:
        """Reopen the ledger if its file was replaced."""
        if self._accounts and not self._accounts.replaced:
            return
        self._close_accounts()
        self._accounts = accounts.opened(self._ledger)
        self._send_everything(self._viewers)

    def _close_accounts(self) -> None:
        if self._accounts:
            self._accounts.close()
            self._accounts = None

    # Viewers

    def join(self, viewer: Viewer) -> None:
        self._send_ledger_changes()  # the new page gets the state as of these
        self._viewers.add(viewer)
        self._send_everything([viewer])

    def leave(self, viewer: Viewer) -> None:
        self._viewers.discard(viewer)
        if held := self._table.held_by(viewer):
            for key in held:
                self._abandon(viewer, key)
            self._broadcast(self._table_message())

    def _send_everything(self, viewers: Iterable[Viewer]) -> None:
        board, language = self._options.board, self._options.language
        messages: list[str | bytes] = [
            page_messages.hello(self._edition, self._table.cards, board, language),
            page_messages.all_pixels(self._pixels),
            page_messages.text("screen", self._screen),
            self._table_message(),
        ]
        if self._accounts and (whole := self._accounts.whole()):
            messages.append(page_messages.text("ledger", whole))
        if self._recorder.lines:
            messages.append(page_messages.script(self._recorder.lines))
        messages.append(self._lesson_message())
        for viewer in tuple(viewers):
            for message in messages:
                viewer.send(message)

    def _broadcast(self, message: str | bytes) -> None:
        for viewer in tuple(self._viewers):
            viewer.send(message)

    def _table_message(self) -> str:
        elapsed = self._pace.now() // MILLISECOND
        box = {"recording": self._recorder.busy, "pace": self._rate, "elapsed": elapsed}
        return page_messages.text("table", {**self._table.as_message(), **box})

    def _lesson_message(self) -> str:
        return page_messages.text("lesson", self._trainer.message)

    def _older_message(self, before: int) -> str:
        older = self._accounts.older(before) if self._accounts else None
        if not older:
            raise ActionRefused(ActionRefusal.NOT_HERE)
        return page_messages.text("older", older)

    # Actions of viewers

    async def do(self, viewer: Viewer, action: actions.Action) -> None:
        """Carry out an action, or raise ActionRefused."""
        held = self._table.held_by(viewer)
        match action:
            case actions.ReleaseKey(key) | actions.Abandon(key) if key not in held:
                viewer.send(self._table_message())  # nothing has changed for the others
                return
            case actions.Older(before):
                viewer.send(self._older_message(before))
                return
            case actions.PressKey(key):
                self._press(viewer, key)
            case actions.ReleaseKey(key):
                self._release(viewer, key)
            case actions.Abandon(key):
                self._abandon(viewer, key)
            case actions.PutCard() | actions.TakeCard():
                self._move_card(action)
            case actions.SetPace() | actions.Skip():
                self._change_time(action)
            case actions.SetFault():
                self._set_fault(action)
            case _:
                await self._do_slowly(action)
        self._broadcast(self._table_message())

    async def _do_slowly(self, action: actions.Action) -> None:
        """Carry out an action that waits for the firmware's process or for the disk."""
        match action:
            case actions.SwitchPower(on):
                await self._switch_power(on)
            case actions.Record(on):
                await self._record(on)
            case actions.Learn(task):
                await self._learn(task)
            case actions.NameCard(number, name):
                await self._name_card(number, name)

    def _press(self, viewer: Viewer, key: Key) -> None:
        pressed = self._table.press(viewer, key)
        if key is Key.CANCEL and pressed:
            self._c_since = _wall_time()
        self._update_rate()
        self._process.send(*pressed)

    def _release(self, viewer: Viewer, key: Key) -> None:
        self._process.send(*self._table.release(viewer, key))
        self._update_rate()

    def _abandon(self, viewer: Viewer, key: Key) -> None:
        """Delay the release of C: a short C would undo a move, a longer one does nothing."""
        left = HARMLESS_C - (_wall_time() - self._c_since)
        if key is Key.CANCEL and left > 0:
            asyncio.get_running_loop().call_later(left / SECOND, self._release_later, viewer, key)
        else:
            self._release(viewer, key)

    def _release_later(self, viewer: Viewer, key: Key) -> None:
        self._release(viewer, key)
        self._broadcast(self._table_message())

    def _update_rate(self) -> None:
        """Run at ×1 while a key is down: at ×60 a tap on C would be a long C, a new game."""
        rate = 1 if self._table.down else self._rate
        if rate != self._pace.rate:
            self._pace.set_rate(rate)
            self._process.send(actions.SetPace(rate))

    def _move_card(self, action: actions.PutCard | actions.TakeCard) -> None:
        before = dict(self._table.slots)
        if isinstance(action, actions.PutCard):
            moves = self._table.put(action.card, action.slot)
        else:
            moves = self._table.take(action.card)
        self._process.send(*moves)
        lines = script_lines(before, self._table.slots)
        if self._lines_during_cut is not None:
            self._lines_during_cut += lines
        elif not self._table.power:
            self._recorder.without_power(*lines)

    def _change_time(self, action: actions.SetPace | actions.Skip) -> None:
        if isinstance(action, actions.SetPace):
            self._rate = action.rate
            self._update_rate()
        else:
            self._pace.skip_minute()
            self._process.send(action)

    def _set_fault(self, action: actions.SetFault) -> None:
        if action.fault not in actions.FAULTS[self._options.board]:
            raise ActionRefused(ActionRefusal.NOT_HERE)
        self._refuse_on_scratch_ledger()
        change = self._table.faults.add if action.on else self._table.faults.discard
        change(action.fault)
        self._process.send(action)

    def _refuse_on_scratch_ledger(self) -> None:
        """A recording and a task of the trainer have a ledger of their own."""
        if self._recorder.busy:
            raise ActionRefused(ActionRefusal.RECORDING)
        if self._trainer.busy:
            raise ActionRefused(ActionRefusal.LEARNING)

    async def _name_card(self, number: int, name: str) -> None:
        """Write it to the ledger, as ``tellerbox cards name`` does; nothing is interrupted (N6)."""
        name = composed(name)
        if name and not is_name(name):
            raise ActionRefused(ActionRefusal.NOT_A_NAME)
        async with self._power_lock:
            self._refuse_on_scratch_ledger()
            if not self._table.power:
                raise ActionRefused(ActionRefusal.NO_POWER)
            try:
                # Another program may hold the ledger's lock; the other pages must not wait for it.
                await asyncio.to_thread(cards.name_card, self._ledger, number, name)
            except cards.UnknownCard:
                raise ActionRefused(ActionRefusal.NO_SUCH_CARD) from None
            except (UserError, sqlite3.Error, OSError):
                raise ActionRefused(ActionRefusal.NOT_WRITTEN) from None
        self._send_ledger_changes()

    # The power

    async def _switch_power(self, on: bool) -> None:
        async with self._power_lock:
            if on and not self._table.power:
                self._reopen_accounts()
                await self._power_on()
            elif self._table.power and not on:
                await self._cut_power()

    async def _cut_power(self) -> None:
        """Cards may move meanwhile; the script has these moves after the cut."""
        self._table.power = False
        self._lines_during_cut = []
        # While recording the box is stopped, not killed, so that no line is lost.
        await (self._process.stop() if self._recorder.busy else self._process.kill())
        lines, self._lines_during_cut = self._lines_during_cut, None
        self._recorder.without_power("power off", *lines)
        self._go_dark()

    async def _power_on(self) -> None:
        self._pace.set_time(Instant(0))
        await self._process.start(self._start_options)
        self._table.power = True

    def _start_options(self) -> BoxStart:
        task, recording = self._trainer.current, self._recorder.edition
        # A task is played by the book, whatever the config file says.
        config = None if task else self._options.config
        edition = task.lesson.task.script.edition if task else recording
        set_up, self._set_up = self._set_up, ()
        return BoxStart(
            ledger=str(self._ledger),
            edition=edition.name if edition else self._options.edition,
            config=str(config) if config else None,
            language=self._options.language,
            board="software" if task or recording else self._options.board,
            recording=recording is not None,
            left=self._table.slots[Slot.LEFT],
            right=self._table.slots[Slot.RIGHT],
            faults=[fault.value for fault in self._table.faults],
            down=[key.value for key in self._table.down],
            pace=self._pace.rate,
            setup=[actions.write(action) for action in set_up] if task else None,
        )

    def _on_exit(self) -> None:
        """The firmware has exited unexpectedly; its error is on stderr."""
        if not self._came_up.done():
            self._came_up.set_result(False)
        self._recorder.without_power("power off")
        self._go_dark()
        self._broadcast(self._table_message())

    def _go_dark(self) -> None:
        self._table.power = False
        self._show(page_messages.NO_POWER, page_messages.DARK)

    # Recording

    @property
    def script(self) -> str:
        """The current or last recording; empty if there is none."""
        return "".join(f"{line}\n" for line in self._recorder.lines)

    async def _record(self, on: bool) -> None:
        async with self._power_lock:
            if on == self._recorder.busy:
                return
            if self._trainer.busy:
                raise ActionRefused(ActionRefusal.LEARNING)
            # First, before anything changes: if it fails, the game goes on.
            house = self._prepare_recording() if on else None
            await self._stop_box()
            if house is not None:
                self._table.faults.clear()
                self._recorder.begin(self._edition, house)
            else:
                self._recorder.end(self._accounts.ledger if self._accounts else None)
            await self._start_on_current_ledger()

    async def _stop_box(self) -> None:
        self._table.power = False
        await self._process.stop()
        self._go_dark()

    async def _start_on_current_ledger(self) -> None:
        self._close_accounts()
        self._use_current_ledger()
        await self._power_on()
        self._send_everything(self._viewers)

    async def _stop_recording(self) -> None:
        await self._record(False)
        self._broadcast(self._table_message())

    def _prepare_recording(self) -> HouseRules:
        """Create the scratch ledger, and return the house rules of this table."""
        name = self._edition.name
        if name not in editions.names() or editions.load(name) != self._edition:
            # A script can only name a built-in edition.
            raise ActionRefused(ActionRefusal.NOT_HERE)
        try:
            file = self._options.config
            house = config.load(file).house if file else BY_THE_BOOK
            self._recorder.create_ledger(self._edition)
            return house
        except (OSError, sqlite3.Error, JournalFailed, UserError):
            raise ActionRefused(ActionRefusal.NOT_HERE) from None

    def _on_script(self, changes: dict[str, Any]) -> None:
        self._broadcast(page_messages.text("script", changes))

    # The trainer

    async def _learn(self, number: int) -> None:
        async with self._power_lock:
            if self._recorder.busy:
                raise ActionRefused(ActionRefusal.RECORDING)
            if number == 0 and not self._trainer.busy:
                return
            # First, before anything changes: if it fails, the game goes on.
            task = self._trainer.prepare(number) if number else None
            await self._stop_box()
            self._table.faults.clear()
            self._trainer.switch(task)
            await self._start_on_current_ledger()

    def _observe(self, shows: dict[str, Any]) -> None:
        ledger = self._accounts.readable_ledger if self._accounts else None
        if ledger and self._trainer.observe(shows, ledger):
            self._broadcast(self._lesson_message())

    # Messages of the box

    def _on_message(self, message: dict[str, Any]) -> None:
        if not self._came_up.done():
            self._came_up.set_result(True)
        match message:
            case {"screen": screen, "pages": joined}:
                self._show(screen, page_messages.pages_of(b64decode(joined)))
            case {"sound": sound, "volume": volume}:
                self._broadcast(page_messages.sound(sound, volume))
            case {"step": line, "seen": seen}:
                self._recorder.step(line, seen)
                if self._recorder.full:
                    self._ending = asyncio.create_task(self._stop_recording())
            case {"shows": shows}:
                self._observe(shows)
        self._send_ledger_changes()

    def _send_ledger_changes(self) -> None:
        if self._accounts and (changes := self._accounts.changes()):
            self._broadcast(page_messages.text("ledger", changes))
            # A new game may have another edition, with other cards.
            if self._accounts.edition.name != self._edition.name:
                self._set_edition(self._accounts.edition)
                self._send_everything(self._viewers)
        self._read_on_later()

    def _read_on_later(self) -> None:
        """Read a long game for the chart, a slice at a time: keys come first."""
        if self._accounts and self._accounts.behind and not self._reading_on:
            self._reading_on = asyncio.get_running_loop().call_soon(self._read_on)

    def _read_on(self) -> None:
        self._reading_on = None
        if self._accounts and self._accounts.behind:
            self._accounts.read_on()
            self._send_ledger_changes()

    def _show(self, screen: dict[str, Any], pixels: list[bytes]) -> None:
        if pixels != self._pixels:
            self._broadcast(page_messages.pixels(self._pixels, pixels))
        self._pixels, self._screen = pixels, screen
        self._broadcast(page_messages.text("screen", screen))


def _wall_time() -> Instant:
    return Instant(time.monotonic_ns() // 1_000)
