"""The loop, and the one runner around it that every board uses.

``App`` waits for events of the board, passes them to the box, and shows and plays the result.
``Runner`` starts it, shows LEDGER ERROR while the ledger is refused, and retries.
"""

from collections.abc import Callable, Iterable
from contextlib import ExitStack
from typing import NamedTuple

from firmware.bank.edition import Edition
from firmware.bank.house_rules import BY_THE_BOOK, HouseRules
from firmware.bank.ledger import Ledger
from firmware.bank.records import JournalFailed
from firmware.table.box import Box
from hal.display.messages import Language
from hal.display.sounds import Sound
from hal.display.view import View, ledger_error
from hal.events import SECOND, Event, Instant
from hal.last_known import LastKnown
from hal.parts import Board

RETRY_AFTER = 10 * SECOND
"""A ledger is refused while another program holds it, or its disk is not mounted yet."""


class Settings(NamedTuple):
    """From the config file and the command line."""

    language: Language = Language.ENGLISH
    house: HouseRules = BY_THE_BOOK


class App:
    """A box on a board. A move is on disk before its view goes out."""

    def __init__(
        self,
        board: Board,
        ledger: Ledger,
        next_edition: Edition | None = None,
        before: Iterable[Event] = (),
        settings: Settings = Settings(),  # noqa: B008  # a value that cannot change
    ) -> None:
        """``before`` are the events that arrived while there was no ledger."""
        self._board = board
        self._language = settings.language
        self._shown: View | None = None
        self.box = Box(ledger, board.clock.now(), next_edition, settings.house)
        self._present(())
        for event in before:
            self._present(self.box.handle(event))

    def turn(self) -> None:
        """Wait once, and handle everything that happened."""
        for event in self._board.wait(self.box.deadline):
            self._present(self.box.handle(event))
        self._present(self.box.advance(self._board.clock.now()))

    def _present(self, sounds: tuple[Sound, ...]) -> None:
        self._board.rest(self.box.asleep)
        view = self.box.view._replace(language=self._language)
        if view != self._shown:
            self._board.screen.show(view)
            self._shown = view
        self.box.shown(self._board.clock.now())
        for sound in sounds:
            self._board.buzzer.play(sound, self.box.volume)


class OpenedLedger(NamedTuple):
    """A ledger to play on, and the edition of the next new game."""

    ledger: Ledger
    next_edition: Edition | None = None


OpenLedger = Callable[[ExitStack], OpenedLedger]
"""Opens the ledger, and leaves on the stack what closes it. Raises JournalFailed: retry later."""


class Runner:
    """The firmware from power on to power off."""

    def __init__(
        self,
        board: Board,
        open_ledger: OpenLedger,
        settings: Settings = Settings(),  # noqa: B008  # a value that cannot change
        started: Callable[[JournalFailed | None], None] = lambda _: None,
    ) -> None:
        """``started`` is called when the first screen is drawn, or LEDGER ERROR."""
        self._board = board
        self._open_ledger = open_ledger
        self._settings = settings
        self._started = started
        self._last_known = LastKnown()
        self._closing = ExitStack()
        self._retry_at = board.clock.now()
        self._app: App | None = None
        self._start()

    def _start(self) -> None:
        now = self._board.clock.now()
        try:
            opened = self._open_ledger(self._closing)
        except JournalFailed as refusal:
            # The people at the table see the screen and not the log.
            self._board.screen.show(ledger_error(self._settings.language))
            self._retry_at = Instant(now + RETRY_AFTER)
            self._started(refusal)
            return
        before = self._last_known.again(now)
        self._app = App(self._board, *opened, before, self._settings)
        self._started(None)

    def turn(self) -> None:
        """Wait once, and handle everything that happened."""
        if self._app:
            self._app.turn()
            return
        for event in self._board.wait(self._retry_at):
            self._last_known.update(event)
        if self._board.clock.now() >= self._retry_at:
            self._start()

    def close(self) -> None:
        self._closing.close()

    @property
    def refused(self) -> bool:
        """Whether the ledger is refused, and there is no bank."""
        return self._app is None

    @property
    def deadline(self) -> Instant | None:
        """When the next turn is due, if nothing happens before."""
        return self._app.box.deadline if self._app else self._retry_at

    @property
    def asleep(self) -> bool:
        return self._app is not None and self._app.box.asleep
