"""Runs planned input on the panel's software boards in virtual time."""

import json
import os
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from firmware.app import App, Settings
from firmware.bank.edition import Edition
from firmware.bank.house_rules import BY_THE_BOOK, HouseRules
from firmware.bank.ledger import Ledger
from firmware.storage.store import Store
from hal.events import MILLISECOND, Instant, Slot
from hal.pi.waiter import Waiter
from sim.board import stock
from sim.panel import actions
from sim.panel.actions import ActionRefused, BoxAction, PressKey, PutCard, ReleaseKey, TakeCard
from sim.panel.box.link import Link
from sim.panel.box.pace import PacedWaiter
from sim.panel.box.panel_board import PanelBoard
from sim.panel.box.recording_board import RecordingBoard
from sim.panel.messages import BoxStart, Observation
from sim.panel.recording import Recording
from sim.panel.table import TableState, script_lines


class Cut(NamedTuple):
    """A power cut, with cards that are moved meanwhile."""

    meanwhile: tuple[PutCard | TakeCard, ...] = ()


Plan: TypeAlias = tuple[int, BoxAction | Cut]
"""Milliseconds after the previous action, and the action."""


class PowerCut(Exception):
    """Ends the process in the middle of a wait."""


class PlannedWaiter(Waiter):
    """A wait carries out the plans; after the last one it closes the link."""

    def __init__(
        self, plans: deque[Plan], send: Callable[[BoxAction], None], close: Callable[[], None]
    ):
        self._now = Instant(0)
        self._plans = plans
        self._send = send
        self._close = close
        self._last = Instant(0)

    def now(self) -> Instant:
        return self._now

    def wait(self, until: Instant | None) -> bool:
        due = Instant(self._last + self._plans[0][0] * MILLISECOND) if self._plans else None
        if until is not None and (due is None or until < due):
            self._now = max(self._now, until)
            return False
        if due is None:
            self._close()
            return True
        self._now = self._last = max(self._now, due)
        return self._carry_out(self._plans.popleft()[1])

    def _carry_out(self, what: BoxAction | Cut) -> bool:
        if isinstance(what, Cut):
            self._plans.appendleft((0, what))
            raise PowerCut
        self._send(what)
        return True

    def listen(self, descriptor: int) -> None:
        """Nothing to do: the link's input is the only descriptor."""

    deafen = listen


class PlannedRun:
    """A new box on a link, with planned input and power cuts."""

    def __init__(
        self,
        folder: Path,
        edition: Edition,
        plans: Sequence[Plan],
        house: HouseRules = BY_THE_BOOK,
    ) -> None:
        self._folder = folder
        self._edition = edition
        self._house = house
        self._plans = deque(plans)
        self._table = TableState()
        self._table.lay_out(tuple(range(1, len(stock.STOCK) + 1)))
        self._store = Store.in_memory()
        Ledger(self._store, edition).know(stock.players(edition))

    @property
    def ledger(self) -> Ledger:
        return Ledger(self._store, self._edition)

    def record(self) -> list[str]:
        """The lines of the script."""
        recording = Recording(self._edition, stock_known=True, house=self._house)
        while True:
            over, messages = self._run(RecordingBoard)
            for message in messages:
                if "step" in message:
                    recording.step(message["step"], Observation(**message["seen"]))
            if over:
                recording.end(self.ledger)
                return recording.lines
            cut = self._plans.popleft()[1]
            assert isinstance(cut, Cut)
            for line in ("power off", *self._move(cut.meanwhile)):
                recording.without_power(line)

    def play(self) -> list[dict[str, Any]]:
        """The messages of the ordinary board."""
        return self._run(PanelBoard)[1]

    def _move(self, actions: Sequence[PutCard | TakeCard]) -> list[str]:
        lines: list[str] = []
        for action in actions:
            before = dict(self._table.slots)
            self._apply(action)
            lines += script_lines(before, self._table.slots)
        return lines

    def _apply(self, action: BoxAction) -> list[BoxAction]:
        """The resulting actions on the box; none if the table refuses."""
        try:
            match action:
                case PressKey(key):
                    return self._table.press("user", key)
                case ReleaseKey(key):
                    return self._table.release("user", key)
                case PutCard(card, slot):
                    return self._table.put(card, slot)
                case TakeCard(card):
                    return self._table.take(card)
        except ActionRefused:
            return []
        return [action]

    def _run(self, kind: type[PanelBoard]) -> tuple[bool, list[dict[str, Any]]]:
        """Run to the end (True) or to a power cut (False); also returns the board's messages."""
        input_fd, sending_fd = os.pipe()
        file = self._folder / "messages"

        def send(action: BoxAction) -> None:
            lines = [actions.write(each) + "\n" for each in self._apply(action)]
            # Without a result send an action without effect, so that the wait ends.
            os.write(sending_fd, "".join(lines or ['{"do":"release","key":"F"}\n']).encode())

        with file.open("wb") as output:
            link = Link(input_fd, output.fileno())
            waiter = PacedWaiter(PlannedWaiter(self._plans, send, lambda: os.close(sending_fd)))
            board = kind(link, self._start(recording=kind is RecordingBoard), waiter)
            over = True
            try:
                settings = Settings(house=self._house)
                app = App(board, self.ledger, self._edition, settings=settings)
                while not link.stop.asked:
                    app.turn()
            except PowerCut:
                os.close(sending_fd)
                over = False
        os.close(input_fd)
        return over, [json.loads(line) for line in file.read_text().splitlines()]

    def _start(self, *, recording: bool) -> BoxStart:
        return BoxStart(
            ledger="",
            edition=None,
            config=None,
            language="en",
            board="software",
            recording=recording,
            left=self._table.slots[Slot.LEFT],
            right=self._table.slots[Slot.RIGHT],
            faults=[],
            down=[],
            pace=1,
        )
