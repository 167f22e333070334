"""Opens the ledger for a box, and chooses its edition.

Precedence: command line, config file, default. A ledger in the middle of a game keeps the edition
of that game; another edition waits for the next new game, so that no start of the box ends a game
by accident.
"""

import argparse
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from firmware import config
from firmware.bank import edition as editions
from firmware.bank.edition import Edition
from firmware.bank.ledger import Ledger
from firmware.bank.records import JournalFailed
from firmware.config import Config
from firmware.storage import ledger_file
from firmware.storage.ledger_check import damaged
from firmware.storage.ledger_file import LedgerRefused, Owner
from firmware.storage.rows import ROW_ERRORS
from firmware.storage.store import Store
from firmware.user_error import UserError, printable
from hal.display.messages import Language


class Bank(NamedTuple):
    """An open ledger, and the edition of the next new game."""

    path: Path
    store: Store
    ledger: Ledger
    next_edition: Edition
    is_new: bool


def add_options(parser: argparse.ArgumentParser, owner: Owner) -> None:
    add_ledger_option(parser, owner)
    known = ", ".join(editions.names())
    parser.add_argument(
        "--edition", metavar="NAME", help=f"{known}, or the path of your own TOML file"
    )
    settings = "edition, ledger, language, house rules, pins, buses, screen"
    parser.add_argument(
        "--config", metavar="FILE", type=Path, help=f"the config file (TOML): {settings}"
    )
    parser.add_argument(
        "--language",
        choices=[language.value for language in Language],
        help="the language of the screen (default: from the config file, or en)",
    )
    parser.add_argument("--new-game", action="store_true", help="start a new game now")


def add_ledger_option(parser: argparse.ArgumentParser, owner: Owner = Owner.EITHER) -> None:
    default = ledger_file.default_path(owner=owner)
    parser.add_argument(
        "--ledger",
        metavar="FILE",
        type=Path,
        default=argparse.SUPPRESS,
        # argparse would take a percent sign for a format.
        help=f"the ledger file (default: {printable(default).replace('%', '%%')})",
    )


def ledger_path(args: argparse.Namespace) -> Path:
    """The ledger from the command line, or the default of the box or the user."""
    named: Path | None = getattr(args, "ledger", None)
    return named or ledger_file.default_path(owner=Owner.EITHER)


def existing(store: Store, args: argparse.Namespace) -> Ledger:
    """The ledger of the command line, which must have a game, for a command that does not play."""
    return existing_at(ledger_path(args), store)


def existing_at(path: Path, store: Store) -> Ledger:
    """The ledger in this file, which must have a game."""
    try:
        if store.has_game():
            return Ledger(store, editions.load(editions.DEFAULT))
    except (sqlite3.Error, JournalFailed, *ROW_ERRORS) as error:
        raise damaged(path, error) from None
    raise UserError(f"{path}: no game has been started in this ledger yet")


def settings_of(args: argparse.Namespace) -> Config:
    """The config file's settings, or the defaults, with the language of the command line."""
    settings = config.load(args.config) if args.config else Config()
    return settings._replace(language=Language(args.language)) if args.language else settings


def wanted_edition(args: argparse.Namespace, settings: Config) -> Edition | None:
    """The edition from the command line or the config file, if any."""
    wanted = settings.edition if args.edition is None else args.edition
    return None if wanted is None else editions.load(wanted)


def wanted_path(args: argparse.Namespace, settings: Config, owner: Owner) -> Path:
    """The ledger of a box."""
    named: Path | None = getattr(args, "ledger", None)
    edition = wanted_edition(args, settings)
    name = edition.name if edition else editions.DEFAULT
    return named or settings.ledger or ledger_file.default_path(name, owner)


@contextmanager
def opened(args: argparse.Namespace, settings: Config, owner: Owner) -> Iterator[Bank]:
    """Open the ledger with the options of the command line and the config file."""
    edition = wanted_edition(args, settings)
    path = wanted_path(args, settings, owner)
    with ledger_file.opened_by_box(path) as store:
        try:
            bank = _begin(path, store, edition, args)
        except JournalFailed as error:
            raise LedgerRefused(f"{path}: no game can be started in this ledger: {error}") from None
        yield bank


def _begin(path: Path, store: Store, wanted: Edition | None, args: argparse.Namespace) -> Bank:
    is_new = not store.has_game()
    ledger = Ledger(store, wanted or editions.load(editions.DEFAULT))
    edition = _next_edition(ledger, wanted, from_command_line=args.edition is not None)
    if args.new_game and not is_new:
        ledger.next_game(edition)
    elif edition.name != ledger.edition.name and ledger.untouched and not ledger.state.next.edition:
        # If the ledger cannot be written, the current game can still be read (D4).
        with suppress(JournalFailed):
            ledger.next_game(edition)
    if edition.name != ledger.edition.name:
        print(
            f"tellerbox: a game of edition {ledger.edition.name} is going on; "
            f"the next new game will be {edition.name}",
            file=sys.stderr,
        )
    return Bank(path, store, ledger, edition, is_new)


def _next_edition(ledger: Ledger, wanted: Edition | None, *, from_command_line: bool) -> Edition:
    """The edition of the next game, with its newest figures.

    Precedence: command line, choice at the table, config file.
    """
    chosen = ledger.state.next.edition
    if chosen is None:
        return wanted or _newest_figures(ledger.edition)
    edition = wanted if from_command_line and wanted else _newest_figures(chosen)
    if edition != chosen:
        try:
            ledger.choose_edition(edition)
        except JournalFailed:
            return chosen  # the current game can still be read (D4)
    return edition


def _newest_figures(played: Edition) -> Edition:
    """The edition as it is installed now; a running game keeps its own figures."""
    return editions.load(played.name) if played.name in editions.names() else played
