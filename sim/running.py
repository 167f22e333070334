"""The firmware while it runs on a simulated board, as ``tellerbox run`` has it run.

A ledger that is refused shows, and is tried again; what the parts report meanwhile the bank
is told when there is one.
"""

from collections.abc import Callable
from typing import NamedTuple

from firmware.app import App
from firmware.box import TRY_AGAIN_AFTER
from firmware.edition import Edition
from firmware.house import BY_THE_BOOK, House
from firmware.ledger import Ledger
from firmware.records import JournalFailed
from hal.events import Instant
from hal.language import Language
from hal.parts import Board
from hal.standing import Standing
from hal.view import ledger_error


class Start(NamedTuple):
    """What a start of the firmware needs."""

    opened: Callable[[], Ledger]
    """Raises JournalFailed when it cannot be trusted, and PowerGone."""
    edition: Edition
    house: House = BY_THE_BOOK
    language: Language = Language.ENGLISH


class Running:
    """From when the power comes until it goes."""

    def __init__(self, board: Board, start: Start) -> None:
        self._board = board
        self._start = start
        self._standing = Standing()
        self._try_at = board.clock.now()
        self._app = self._started()

    def _started(self) -> App | None:
        _, edition, house, language = self._start
        now = self._board.clock.now()
        try:
            ledger = self._start.opened()
        except JournalFailed:
            self._board.screen.show(ledger_error(language))
            self._try_at = Instant(now + TRY_AGAIN_AFTER)
            return None
        return App(self._board, ledger, edition, self._standing.again(now), language, house)

    def turn(self) -> None:
        """Wait once, and deal with all that happened meanwhile."""
        if self._app:
            self._app.turn()
            return
        for event in self._board.wait(self._try_at):
            self._standing.take_in(event)
        if self._board.clock.now() >= self._try_at:
            self._app = self._started()

    @property
    def deadline(self) -> Instant | None:
        return self._app.box.deadline if self._app else self._try_at

    @property
    def asleep(self) -> bool:
        return self._app is not None and self._app.box.asleep
