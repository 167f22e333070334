"""``tellerbox sim``: the box without hardware, on a page in a browser or in this terminal."""

import argparse
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from firmware import bank
from firmware.bank import Bank
from firmware.config import Config
from firmware.ledger_file import LedgerRefused, Owner
from firmware.mistake import Mistake
from hal.view import ledger_error
from sim import stock

HOST = "127.0.0.1"
PORT = 8765


def options(parser: argparse.ArgumentParser) -> None:
    bank.add_options(parser, Owner.SIMULATOR)
    parser.add_argument(
        "--cards",
        choices=("stock", "none"),
        default="stock",
        help="whether a new ledger knows the stock cards (default: stock)",
    )
    parser.add_argument(
        "--board",
        choices=("software", "virtual"),
        default="software",
        help="what the box runs on: software only, or its real drivers on models of the chips "
        "(default: software)",
    )
    parser.add_argument(
        "--text", action="store_true", help="a prompt in this terminal instead of a page"
    )
    parser.add_argument(
        "--host",
        default=HOST,
        help="the address to serve the page on; any but this machine's own asks its visitors "
        f"for a code (default: {HOST})",
    )
    parser.add_argument(
        "--port", type=int, default=PORT, help=f"0 takes any that is free (default: {PORT})"
    )
    parser.add_argument("--no-browser", action="store_true", help="serve the page, open nothing")
    parser.epilog = (
        "The game is kept in the ledger and goes on when the box is started again. Ctrl-C stops it."
    )


def run(args: argparse.Namespace) -> int:
    settings = bank.settings_of(args)
    if not args.text:
        return _serve(args, settings)
    if args.board != "software":
        raise Mistake("--text works the software board only; leave out --board, or --text")
    prompt = import_module("sim.prompt")
    language = bank.wanted_language(args, settings)
    try:
        with _opened(args, settings) as opened:
            status: int = prompt.talk(opened, language, settings.house)
            return status
    except LedgerRefused:
        prompt.print_picture(ledger_error(language))
        raise


def _serve(args: argparse.Namespace, settings: Config) -> int:
    if not 0 <= args.port <= 65535:
        raise Mistake(f"--port {args.port}: a port is a number from 0 to 65535")
    try:
        panel = import_module("sim.panel.serving")
    except ModuleNotFoundError as missing:
        raise Mistake(
            f"the page needs the package {missing.name}, which `make run` installs; "
            "--text does without"
        ) from None
    with panel.taken(args.host, args.port) as door:
        box = _box(panel.Options, args, settings)
        status: int = panel.serve(box, args.host, door, browser=not args.no_browser)
        return status


def _box(options: Callable[..., Any], args: argparse.Namespace, settings: Config) -> Any:
    """The ledger is begun and checked here, where a refusal can be read.

    The firmware's process opens it anew.
    """
    with _opened(args, settings) as opened:
        return options(
            ledger=opened.path,
            edition=args.edition,
            config=args.config,
            language=bank.wanted_language(args, settings).value,
            board=args.board,
            stock_known=args.cards == "stock",
        )


@contextmanager
def _opened(args: argparse.Namespace, settings: Config) -> Iterator[Bank]:
    """The ledger; a new one gets to know the stock cards."""
    with bank.opened(args, settings, Owner.SIMULATOR) as opened:
        if opened.is_new and args.cards == "stock":
            opened.ledger.know(stock.players(opened.ledger.edition))
        yield opened
