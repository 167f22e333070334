"""``tellerbox run``: the box on its parts, until a signal stops it.

Boards are named here and imported when they are chosen, for the firmware depends on
none of them.
"""

import argparse
import logging
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from types import FrameType

from firmware import bank
from firmware.app import App
from firmware.config import Config
from firmware.ledger_file import LedgerRefused
from firmware.mistake import Mistake
from hal.events import SECOND, Instant
from hal.faults import BoardFault
from hal.parts import StandingBoard
from hal.view import dark, ledger_error
from hal.wiring import Wiring

log = logging.getLogger("tellerbox.box")

STOPPING = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
PATIENCE = 2
"""Seconds that a stop may take."""
TRY_AGAIN_EVERY = 10 * SECOND
"""A ledger that was refused: another box may have it, or its disk may not be there yet."""

BOARDS = {"pi": "hal.pi.site", "virtual": "sim.wall_board"}
"""Each board's module, which has ``opened(wiring)``."""


def options(parser: argparse.ArgumentParser) -> None:
    bank.add_options(parser, "box")
    parser.add_argument(
        "--board",
        choices=tuple(BOARDS),
        default="pi",
        help="the parts of this Pi, or models of them that run anywhere (default: pi)",
    )
    parser.epilog = (
        "A new ledger knows no cards: each that is put in gets the next number. Ctrl-C, SIGTERM "
        "or SIGHUP stop the box; the game goes on when it is started again."
    )


def run(args: argparse.Namespace) -> int:
    logging.basicConfig(level=logging.INFO, format="%(name)s: %(message)s")
    settings = bank.settings_of(args)
    with _opened(args.board, settings.wiring) as board, stop_signals(board) as stop:
        try:
            return _bank(args, settings, board, stop)
        finally:
            board.screen.show(dark(0, ""))
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


def _bank(args: argparse.Namespace, settings: Config, board: StandingBoard, stop: Stop) -> int:
    """Play until the stop; a ledger that is refused shows, and is tried again."""
    told = None
    while True:
        try:
            _play(args, settings, board, stop)
            return 0
        except LedgerRefused as refusal:
            if str(refusal) != told:
                log.error("%s", refusal)
            told = str(refusal)
            # The people at the table see the screen and not the log.
            board.screen.show(ledger_error())
            _wait(board, stop, TRY_AGAIN_EVERY)
            if stop.asked:
                return refusal.status


def _play(args: argparse.Namespace, settings: Config, board: StandingBoard, stop: Stop) -> None:
    with bank.opened(args, settings, "box") as opened:
        log.info("edition %s, ledger %s", opened.ledger.edition.name, opened.path)
        app = App(board, opened.ledger, opened.next_edition)
        while not stop.asked:
            app.turn()


def _wait(board: StandingBoard, stop: Stop, duration: int) -> None:
    end = Instant(board.clock.now() + duration)
    while board.clock.now() < end and not stop.asked:
        board.wait(end)
