"""``tellerbox run``: runs the box on its hardware until a signal stops it."""

import argparse
import gc
import logging
import signal
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from importlib import import_module
from types import FrameType

from firmware import boards, journald
from firmware.app import OpenedLedger, Runner, Settings
from firmware.bank.records import JournalFailed
from firmware.commands import startup
from firmware.config import Config
from firmware.sd_notify import SystemdNotifier, supervised
from firmware.storage.ledger_file import LedgerRefused, Owner
from firmware.user_error import UserError
from hal.display.view import dark
from hal.faults import BoardFault, PortFault
from hal.parts import RunnableBoard
from hal.wiring import Wiring

log = logging.getLogger("tellerbox.box")

STOPPING = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
STOP_TIMEOUT = 2
"""Seconds. After that, the next signal kills the box."""
CONSOLE = "sim.console.session"
"""Has ``serve``. Imported only with --console, because it needs the script player."""


def options(parser: argparse.ArgumentParser) -> None:
    startup.add_options(parser, Owner.BOX)
    what = "the hardware of this Pi, or models of its chips that run anywhere"
    boards.add_option(parser, "run", what)
    parser.add_argument(
        "--console",
        metavar="PORT",
        help="let a host control the box over this serial line; uses a scratch ledger, and the "
        "screen shows a T",
    )
    boards.add_baud_option(parser)
    parser.epilog = (
        "A new ledger knows no cards: each new card gets the next free number. Ctrl-C, SIGTERM or "
        "SIGHUP stops the box; the game continues at the next start."
    )


def run(args: argparse.Namespace) -> int:
    # Objects that are loaded at the start are never freed; collecting would only slow the start.
    gc.disable()
    journald.begin_log()
    if args.console is not None and args.new_game:
        raise UserError("--new-game cannot be used with --console: every script starts a new game")
    settings = startup.settings_of(args)
    notifier = SystemdNotifier()
    with _opened(args.board, settings.wiring) as board, stop_signals(board) as stop:
        box = Run(args, settings, supervised(board, notifier), stop, notifier)
        try:
            return box.play() if args.console is None else box.serve_console()
        finally:
            notifier.stopping()
            if not box.may_share_screen:
                board.screen.show(dark(0, ""))
            log.info("stopped")


@contextmanager
def _opened(board: str, wiring: Wiring) -> Iterator[RunnableBoard]:
    try:
        with boards.module_of(board, "run").opened(wiring) as opened:
            yield opened
    except BoardFault as fault:
        raise UserError(f"{fault}; run `tellerbox selftest` for details") from None


class StopFlag:
    """Whether the box was asked to stop."""

    asked = False


@contextmanager
def stop_signals(board: RunnableBoard) -> Iterator[StopFlag]:
    """Signals interrupt the board's wait and set the flag.

    If the box has not stopped after STOP_TIMEOUT, the default handlers return, and the next
    signal kills it.
    """
    stop = StopFlag()

    def ask(_number: int, _frame: FrameType | None) -> None:
        if not stop.asked:
            stop.asked = True
            signal.alarm(STOP_TIMEOUT)
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
        for number, handler in before.items():
            signal.signal(number, handler)


class Run:
    """One run of the program."""

    def __init__(
        self,
        args: argparse.Namespace,
        config: Config,
        board: RunnableBoard,
        stop: StopFlag,
        notifier: SystemdNotifier,
    ) -> None:
        self._args, self._config = args, config
        self._board, self._stop, self._notifier = board, stop, notifier
        self._status = ""
        """The last status for systemd: the ledger, or why it is refused."""
        self.may_share_screen = False
        """Whether another box may be running, and use the same screen."""

    def play(self) -> int:
        """Run the bank until it is stopped; status 1 if its ledger is refused then."""
        settings = Settings(self._config.language, self._config.house)
        with closing(Runner(self._board, self._open_ledger, settings, self._started)) as runner:
            self._connect()
            while not self._stop.asked:
                runner.turn()
            return 1 if runner.refused else 0

    def _open_ledger(self, stack: ExitStack) -> OpenedLedger:
        try:
            bank = stack.enter_context(startup.opened(self._args, self._config, Owner.BOX))
        except LedgerRefused as refusal:
            # Another box may use it, and show its game on the same screen. It has the pins, too, so
            # this box ends here before it has drawn anything.
            self.may_share_screen = True
            self._board.connect()
            self.may_share_screen = False
            raise JournalFailed(str(refusal)) from None
        self._status = f"edition {bank.ledger.edition.name}, ledger {bank.path}"
        return OpenedLedger(bank.ledger, bank.next_edition)

    def _started(self, refusal: JournalFailed | None) -> None:
        """The screen shows what the box has found: the state of the game, or LEDGER ERROR."""
        if refusal is None:
            log.info("%s", self._status)
        elif str(refusal) != self._status:
            log.error("%s", refusal)
            self._status = str(refusal)
        self._notifier.status(self._status)

    def _connect(self) -> None:
        """Open the keys, the slots and the buzzer. Then preload the menu of the F key."""
        self._board.connect()
        self._notifier.ready()
        import_module("firmware.table.menu.entries")
        gc.freeze()
        gc.enable()

    def serve_console(self) -> int:
        """Let a host control the box over a serial line, on a scratch ledger."""
        console = import_module(CONSOLE)
        ledger = startup.wanted_path(self._args, self._config, Owner.BOX)
        port, speed = self._args.console, self._args.baud
        options = console.ConsoleOptions(port, speed, ledger, self._config.language)
        try:
            console.serve(options, self._board, self._stop, self._begin_console)
        except PortFault as fault:
            raise UserError(str(fault)) from None
        return 0

    def _begin_console(self, status: str) -> None:
        self._notifier.status(status)
        self._connect()
