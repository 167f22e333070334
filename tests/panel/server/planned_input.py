"""Hands at the panel's software board in virtual time: all that they do is planned."""

import json
import os
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from firmware.app import App
from firmware.edition import Edition
from firmware.house import BY_THE_BOOK, House
from firmware.ledger import Ledger
from firmware.store import Store
from hal.events import MILLISECOND, Instant, Slot
from hal.pi.waiter import Waiter
from sim import stock
from sim.panel import actions
from sim.panel.actions import Done, Press, Put, Refused, Release, Take
from sim.panel.link import Link
from sim.panel.messages import Seen, Start
from sim.panel.pace import PacedWaiter
from sim.panel.recording import Recording
from sim.panel.recording_board import RecordingBoard
from sim.panel.software_board import SoftwareBoard
from sim.panel.table import Table, moves


class Cut(NamedTuple):
    """The power is cut, cards are moved meanwhile, and it comes back."""

    meanwhile: tuple[Put | Take, ...] = ()


Plan: TypeAlias = tuple[int, Done | Cut]
"""So many milliseconds after the last thing, this."""


class PowerCut(Exception):
    """The process is gone, in the middle of a wait."""


class PlannedWaiter(Waiter):
    """A wait lives through what is planned; when all is done and the box sleeps, nobody is left."""

    def __init__(self, plans: deque[Plan], say: Callable[[Done], None], leave: Callable[[], None]):
        self._now = Instant(0)
        self._plans = plans
        self._say = say
        self._leave = leave
        self._last = Instant(0)

    def now(self) -> Instant:
        return self._now

    def wait(self, until: Instant | None) -> bool:
        due = Instant(self._last + self._plans[0][0] * MILLISECOND) if self._plans else None
        if until is not None and (due is None or until < due):
            self._now = max(self._now, until)
            return False
        if due is None:
            self._leave()
            return True
        self._now = self._last = max(self._now, due)
        return self._do(self._plans.popleft()[1])

    def _do(self, what: Done | Cut) -> bool:
        if isinstance(what, Cut):
            self._plans.appendleft((0, what))
            raise PowerCut
        self._say(what)
        return True

    def listen(self, descriptor: int) -> None:
        """There is one line, and it is known."""

    deafen = listen


class Session:
    """A new box behind a link, through all that is planned, power cuts included."""

    def __init__(
        self,
        folder: Path,
        edition: Edition,
        plans: Sequence[Plan],
        house: House = BY_THE_BOOK,
    ) -> None:
        self._folder = folder
        self._edition = edition
        self._house = house
        self._plans = deque(plans)
        self._table = Table()
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
            over, told = self._live(RecordingBoard)
            for message in told:
                if "step" in message:
                    recording.step(message["step"], Seen(**message["seen"]))
            if over:
                recording.end(self.ledger)
                return recording.lines
            cut = self._plans.popleft()[1]
            assert isinstance(cut, Cut)
            for line in ("power off", *self._move(cut.meanwhile)):
                recording.without_power(line)

    def play(self) -> list[dict[str, Any]]:
        """What the ordinary board tells."""
        return self._live(SoftwareBoard)[1]

    def _move(self, hands: Sequence[Put | Take]) -> list[str]:
        lines: list[str] = []
        for done in hands:
            before = dict(self._table.slots)
            self._done(done)
            lines += moves(before, self._table.slots)
        return lines

    def _done(self, wish: Done) -> list[Done]:
        """What a wish comes to on the table; nothing, if it cannot be."""
        try:
            match wish:
                case Press(key):
                    return self._table.press("somebody", key)
                case Release(key):
                    return self._table.release("somebody", key)
                case Put(card, slot):
                    return self._table.put(card, slot)
                case Take(card):
                    return self._table.take(card)
        except Refused:
            return []
        return [wish]

    def _live(self, kind: type[SoftwareBoard]) -> tuple[bool, list[dict[str, Any]]]:
        """Up to a power cut, or to the end; and what was told."""
        ear, mouth = os.pipe()
        file = self._folder / "told"

        def say(wish: Done) -> None:
            lines = [actions.write(done) + "\n" for done in self._done(wish)]
            # A line that is refused by nobody: the box is woken, and nothing has happened.
            os.write(mouth, "".join(lines or ['{"do":"release","key":"F"}\n']).encode())

        with file.open("wb") as told:
            link = Link(ear, told.fileno())
            waiter = PacedWaiter(PlannedWaiter(self._plans, say, lambda: os.close(mouth)))
            board = kind(link, self._start(recording=kind is RecordingBoard), waiter)
            over = True
            try:
                app = App(board, self.ledger, self._edition, house=self._house)
                while not link.stop.asked:
                    app.turn()
            except PowerCut:
                os.close(mouth)
                over = False
        os.close(ear)
        return over, [json.loads(line) for line in file.read_text().splitlines()]

    def _start(self, *, recording: bool) -> Start:
        return Start(
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
