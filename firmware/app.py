"""The loop: waits for the board, tells the box, shows and sounds what comes of it."""

from collections.abc import Iterable

from firmware.box import Box
from firmware.edition import Edition
from firmware.house import BY_THE_BOOK, House
from firmware.ledger import Ledger
from hal.events import Event
from hal.language import Language
from hal.parts import Board
from hal.sounds import Sound
from hal.view import View


class App:
    """A box on a board. A move is on disk before its view goes out."""

    def __init__(
        self,
        board: Board,
        ledger: Ledger,
        next_edition: Edition | None = None,
        before: Iterable[Event] = (),
        language: Language = Language.ENGLISH,
        house: House = BY_THE_BOOK,
    ) -> None:
        """What happened before is what the parts had told when there was no bank yet."""
        self._board = board
        self._language = language
        self._shown: View | None = None
        self.box = Box(ledger, board.clock.now(), next_edition, house)
        self._tell_the_table(())
        for event in before:
            self._tell_the_table(self.box.handle(event))

    def turn(self) -> None:
        """Wait once, and deal with all that happened meanwhile."""
        for event in self._board.wait(self.box.deadline):
            self._tell_the_table(self.box.handle(event))
        self._tell_the_table(self.box.advance(self._board.clock.now()))

    def _tell_the_table(self, sounds: tuple[Sound, ...]) -> None:
        self._board.rest(self.box.asleep)
        view = self.box.view._replace(language=self._language)
        if view != self._shown:
            self._board.screen.show(view)
            self._shown = view
        self.box.shown(self._board.clock.now())
        for sound in sounds:
            self._board.buzzer.play(sound, self.box.volume)
