"""``tellerbox run``: the box on its parts, until a signal stops it.

Boards are named here and imported when they are chosen, for the firmware depends on
none of them.
"""

import argparse
import gc
import logging
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from types import FrameType
from typing import NamedTuple

from firmware import bank, journal
from firmware.app import App
from firmware.config import Config
from firmware.ledger_file import LedgerRefused, Owner
from firmware.mistake import Mistake
from firmware.service import Service, supervised
from hal.events import SECOND, Instant
from hal.faults import BoardFault, PortFault
from hal.language import Language
from hal.parts import Screen, StandingBoard
from hal.standing import Standing
from hal.view import View, dark, ledger_error
from hal.wiring import Wiring

log = logging.getLogger("tellerbox.box")

STOPPING = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
PATIENCE = 2
"""Seconds that a stop may take."""
TRY_AGAIN_EVERY = 10 * SECOND
"""A ledger that was refused: another box may have it, or its disk may not be there yet."""

BOARDS = {"pi": "hal.pi.site", "virtual": "sim.wall_board"}
"""Each board's module, which has ``opened(wiring)``."""
CONSOLE = "sim.console"
"""Has ``serve``; it plays scripts, which no box needs that is only played with."""


def options(parser: argparse.ArgumentParser) -> None:
    bank.add_options(parser, Owner.BOX)
    parser.add_argument(
        "--board",
        choices=tuple(BOARDS),
        default="pi",
        help="the parts of this Pi, or models of them that run anywhere (default: pi)",
    )
    parser.add_argument(
        "--console",
        metavar="PORT",
        help="let a host drive and read the box over a serial line, on a scratch ledger; "
        "the screen says TEST",
    )
    parser.add_argument(
        "--baud",
        metavar="N",
        type=int,
        default=115200,
        help="the speed of that line (default: 115200)",
    )
    parser.epilog = (
        "A new ledger knows no cards: each that is put in gets the next number. Ctrl-C, SIGTERM "
        "or SIGHUP stop the box; the game goes on when it is started again."
    )


def run(args: argparse.Namespace) -> int:
    # What is loaded at the start is never let go; to look for garbage in it costs the start.
    gc.disable()
    journal.begin_log()
    if args.console is not None and args.new_game:
        raise Mistake("--new-game does not go with --console: a script begins with a new box")
    settings = bank.settings_of(args)
    service = Service()
    with _opened(args.board, settings.wiring) as opened, stop_signals(opened) as stop:
        this = Run(args, settings, supervised(opened, service), stop, service, Standing())
        try:
            return this.play() if args.console is None else this.under_test()
        finally:
            service.stopping()
            opened.screen.show(dark(0, ""))
            log.info("stopped")


@contextmanager
def _opened(board: str, wiring: Wiring) -> Iterator[StandingBoard]:
    try:
        with import_module(BOARDS[board]).opened(wiring) as opened:
            yield opened
    except BoardFault as fault:
        raise Mistake(f"{fault}; `tellerbox selftest` tells more") from None


class Stop:
    """Whether somebody has asked the box to stop."""

    def __init__(self) -> None:
        self.asked = False


@contextmanager
def stop_signals(board: StandingBoard) -> Iterator[Stop]:
    """Signals end the board's wait, and the loop sees why.

    A box that has not stopped after a while hangs, and the next signal kills it as ever.
    """
    stop = Stop()

    def ask(_number: int, _frame: FrameType | None) -> None:
        if not stop.asked:
            stop.asked = True
            signal.alarm(PATIENCE)
        board.interrupt()

    def give_up(_number: int, _frame: FrameType | None) -> None:
        for number in STOPPING:
            signal.signal(number, signal.SIG_DFL)

    before = {number: signal.signal(number, ask) for number in STOPPING}
    before[signal.SIGALRM] = signal.signal(signal.SIGALRM, give_up)
    try:
        yield stop
    finally:
        signal.alarm(0)
        for number, what in before.items():
            signal.signal(number, what)


class TranslatedScreen(NamedTuple):
    """Shows in a language whatever it is told."""

    real: Screen
    language: Language

    def show(self, view: View) -> None:
        self.real.show(view._replace(language=self.language))


class Translated:
    """A board under a console, which knows English only: what goes over a wire is English."""

    def __init__(self, board: StandingBoard, language: Language) -> None:
        self.screen = TranslatedScreen(board.screen, language)
        self.clock, self.buzzer = board.clock, board.buzzer
        self.rest, self.wait, self.interrupt = board.rest, board.wait, board.interrupt
        self.listen, self.deafen = board.listen, board.deafen
        self.inventory = board.inventory


class Run(NamedTuple):
    """One run of the program."""

    args: argparse.Namespace
    settings: Config
    board: StandingBoard
    stop: Stop
    service: Service
    standing: Standing

    @property
    def language(self) -> Language:
        return bank.wanted_language(self.args, self.settings)

    def play(self) -> int:
        """Bank until the stop; a ledger that is refused shows, and is tried again."""
        told = None
        while True:
            try:
                self._bank()
                return 0
            except LedgerRefused as refusal:
                if str(refusal) != told:
                    log.error("%s", refusal)
                told = str(refusal)
                # The people at the table see the screen and not the log.
                self.board.screen.show(ledger_error(self.language))
                self._ready(told)
                self._wait(TRY_AGAIN_EVERY)
                if self.stop.asked:
                    return refusal.status

    def _bank(self) -> None:
        with bank.opened(self.args, self.settings, Owner.BOX) as opened:
            what = f"edition {opened.ledger.edition.name}, ledger {opened.path}"
            log.info("%s", what)
            before = self.standing.again(self.board.clock.now())
            app = App(
                self.board,
                opened.ledger,
                opened.next_edition,
                before,
                self.language,
                self.settings.house,
            )
            self._ready(what)
            while not self.stop.asked:
                app.turn()

    def _ready(self, status: str) -> None:
        """The first screen is drawn; what F needs is loaded now, before anybody presses it."""
        self.service.ready(status)
        import_module("firmware.functions")
        gc.freeze()
        gc.enable()

    def _wait(self, duration: int) -> None:
        end = Instant(self.board.clock.now() + duration)
        while self.board.clock.now() < end and not self.stop.asked:
            for event in self.board.wait(end):
                self.standing.take_in(event)

    def under_test(self) -> int:
        """Be driven over a serial line until the stop, on a ledger of nobody's."""
        console = import_module(CONSOLE)
        ledger = bank.wanted_path(self.args, self.settings, Owner.BOX)
        options = console.Options(self.args.console, self.args.baud, ledger)
        try:
            console.serve(options, Translated(self.board, self.language), self.stop, self._ready)
        except PortFault as fault:
            raise Mistake(str(fault)) from None
        return 0
