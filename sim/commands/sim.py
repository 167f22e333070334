"""``tellerbox sim``: runs the box without hardware, in a browser or in this terminal."""

import argparse
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from firmware import boards
from firmware.app import Settings
from firmware.commands import startup
from firmware.commands.startup import Bank
from firmware.config import Config
from firmware.storage.ledger_file import LedgerRefused, Owner
from firmware.user_error import UserError
from hal.display.view import ledger_error
from sim.board import stock

HOST = "127.0.0.1"
PORT = 8765


def options(parser: argparse.ArgumentParser) -> None:
    startup.add_options(parser, Owner.SIMULATOR)
    add = parser.add_argument
    cards = "the cards that a new ledger knows: all of the simulator's, or none (default: stock)"
    add("--cards", choices=("stock", "none"), default="stock", help=cards)
    boards.add_option(parser, "sim", "software only, or the real drivers on models of the chips")
    text = "use a prompt in this terminal instead of a browser"
    add("--text", action="store_true", help=text)
    learn = "learn to be the banker, in ten short tasks; your own game waits"
    add("--learn", action="store_true", help=learn)
    host = "the address to serve the page on; if it is not loopback, visitors need a code"
    add("--host", default=HOST, help=f"{host} (default: {HOST})")
    port = f"the port; 0 chooses a free one (default: {PORT})"
    add("--port", type=int, default=PORT, help=port)
    add("--no-browser", action="store_true", help="serve the page without opening a browser")
    parser.epilog = (
        "The game is saved in the ledger and continues at the next start. Ctrl-C stops the box."
    )


def run(args: argparse.Namespace) -> int:
    settings = startup.settings_of(args)
    if args.learn:
        _check_learn_options(args)
    if not args.text:
        return _serve(args, settings)
    if args.board != "software":
        raise UserError("--text works only with the software board; omit --board or --text")
    if args.learn:
        learned: int = import_module("sim.learn.learn_prompt").learn(settings.language)
        return learned
    prompt = import_module("sim.script.prompt")
    try:
        with _opened(args, settings) as opened:
            status: int = prompt.talk(opened, Settings(settings.language, settings.house))
            return status
    except LedgerRefused:
        prompt.print_picture(ledger_error(settings.language))
        raise


def _check_learn_options(args: argparse.Namespace) -> None:
    for option, given in (
        ("--ledger", hasattr(args, "ledger")),
        ("--edition", args.edition is not None),
        ("--new-game", args.new_game),
    ):
        if given:
            raise UserError(
                f"--learn has a ledger and an edition of its own; omit {option} or --learn",
                status=2,
            )


def _serve(args: argparse.Namespace, settings: Config) -> int:
    if not 0 <= args.port <= 65535:
        raise UserError(f"--port {args.port}: a port is a number from 0 to 65535")
    try:
        panel = import_module("sim.panel.serving")
    except ModuleNotFoundError as missing:
        raise UserError(
            f"the page needs the package {missing.name}: install it with `make run`, or use --text"
        ) from None
    with panel.bound_socket(args.host, args.port) as listener:
        box = begun(panel.PanelOptions, args, settings)
        status: int = panel.serve(box, args.host, listener, browser=not args.no_browser)
        return status


def begun(options: Callable[..., Any], args: argparse.Namespace, settings: Config) -> Any:
    """Create and check the ledger here, where the user sees an error.

    The firmware's process opens it again.
    """
    with _opened(args, settings) as opened:
        return options(
            ledger=opened.path,
            edition=args.edition,
            config=args.config,
            language=settings.language.value,
            board=args.board,
            stock_known=args.cards == "stock",
            learn=args.learn,
        )


@contextmanager
def _opened(args: argparse.Namespace, settings: Config) -> Iterator[Bank]:
    """Open the ledger; register the stock cards in a new one."""
    with startup.opened(args, settings, Owner.SIMULATOR) as opened:
        if opened.is_new and args.cards == "stock":
            opened.ledger.know(stock.players(opened.ledger.edition))
        yield opened
