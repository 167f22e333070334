"""The loop: the views that it shows, and their language."""

from firmware.app import App, Settings
from firmware.bank import edition as editions
from firmware.bank.ledger import Ledger
from firmware.storage.store import Store
from hal.display.messages import Language
from hal.display.view import View
from hal.events import SECOND, Instant, Key
from sim.board.clocks import VirtualClock
from sim.board.software_board import SimBoard
from sim.board.trace import Happening, line

AN_EDITION = editions.load(editions.DEFAULT)


def test_the_box_shows_every_view_in_its_language() -> None:
    views: list[View] = []
    words: list[str] = []

    def watch(at: Instant, thing: Happening) -> None:
        if isinstance(thing, View):
            views.append(thing)
            words.append(line(at, thing).partition("screen ")[2])

    board = SimBoard(VirtualClock(), watch)
    ledger = Ledger(Store.in_memory(), AN_EDITION)
    app = App(board, ledger, settings=Settings(Language.FRENCH))
    for key in (Key.FIVE, Key.COMMA):
        board.keypad.press(key)
        board.keypad.let_go(key)
        app.turn()
    board.horizon = Instant(120 * SECOND)
    while not app.box.asleep:
        app.turn()
    assert {view.language for view in views} == {Language.FRENCH}
    assert [view.said for view in views] == ["", "PAS DE CARTE", "VOLUME 3", "", ""]
    assert words == ["-----", "----- | NO CARD", "----- | VOLUME 3", "-----", "dark"]


def test_the_default_language_is_english() -> None:
    board = SimBoard(VirtualClock())
    App(board, Ledger(Store.in_memory(), AN_EDITION))
    assert board.screen.view
    assert board.screen.view.language is Language.ENGLISH
