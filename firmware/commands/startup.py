"""Opens the bank for a box: which edition, which ledger, and what if they disagree.

The command line's word comes before the config file's, and that before the
default. A ledger in the middle of a game keeps the edition of that game; another
one that was asked for waits for the next new game, so that no start of the box
can end a game by accident.
"""

import argparse
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from firmware import config, ledger_file
from firmware import edition as editions
from firmware.config import Config
from firmware.edition import Edition
from firmware.ledger import Ledger
from firmware.ledger_check import damaged
from firmware.ledger_file import LedgerRefused, Owner
from firmware.mistake import Mistake
from firmware.records import JournalFailed
from firmware.rows import NONSENSE
from firmware.store import Store
from hal.language import Language


class Bank(NamedTuple):
    """An open ledger, and the edition that the next new game is played with."""

    path: Path
    store: Store
    ledger: Ledger
    next_edition: Edition
    is_new: bool


def add_options(parser: argparse.ArgumentParser, owner: Owner) -> None:
    add_ledger_option(parser, owner)
    known = ", ".join(editions.names())
    parser.add_argument("--edition", metavar="NAME", help=f"{known}, or a TOML file of your own")
    parser.add_argument(
        "--config",
        metavar="FILE",
        type=Path,
        help="a TOML file with edition, ledger, language, house rules, pins, buses and screen",
    )
    parser.add_argument(
        "--language",
        choices=[language.value for language in Language],
        help="the language of the screen's messages (default: the config file's, or en)",
    )
    parser.add_argument("--new-game", action="store_true", help="start a new game at once")


def add_ledger_option(parser: argparse.ArgumentParser, owner: Owner = Owner.EITHER) -> None:
    parser.add_argument(
        "--ledger",
        metavar="FILE",
        type=Path,
        default=argparse.SUPPRESS,
        help=f"the ledger (default: {ledger_file.default_path(owner=owner)})",
    )


def ledger_path(args: argparse.Namespace) -> Path:
    """The ledger that was named, or the one of the box or the user."""
    named: Path | None = getattr(args, "ledger", None)
    return named or ledger_file.default_path(owner=Owner.EITHER)


def existing(store: Store, args: argparse.Namespace) -> Ledger:
    """The ledger of a game that was started before, for those who only look at it."""
    path = ledger_path(args)
    try:
        if store.has_game():
            return Ledger(store, editions.load(editions.DEFAULT))
    except (sqlite3.Error, JournalFailed, *NONSENSE) as error:
        raise damaged(path, error) from None
    raise Mistake(f"{path}: no game has been started in it yet")


def settings_of(args: argparse.Namespace) -> Config:
    """What the config file says, if one was named."""
    return config.load(args.config) if args.config else Config()


def wanted_edition(args: argparse.Namespace, settings: Config) -> Edition | None:
    """The edition that was asked for, if one was."""
    wanted = settings.edition if args.edition is None else args.edition
    return None if wanted is None else editions.load(wanted)


def wanted_language(args: argparse.Namespace, settings: Config) -> Language:
    """The language that the screen is to speak."""
    if args.language is not None:
        return Language(args.language)
    return settings.language or Language.ENGLISH


def wanted_path(args: argparse.Namespace, settings: Config, owner: Owner) -> Path:
    """The ledger that a box is to use."""
    named: Path | None = getattr(args, "ledger", None)
    edition = wanted_edition(args, settings)
    name = edition.name if edition else editions.DEFAULT
    return named or settings.ledger or ledger_file.default_path(name, owner)


@contextmanager
def opened(args: argparse.Namespace, settings: Config, owner: Owner) -> Iterator[Bank]:
    """The bank that the command line asks for, and where it is silent the config file."""
    edition = wanted_edition(args, settings)
    path = wanted_path(args, settings, owner)
    with ledger_file.held_by_box(path) as store:
        try:
            insists = args.edition is not None
            bank = _begin(path, store, edition, new_game=args.new_game, insists=insists)
        except JournalFailed as error:
            raise LedgerRefused(f"{path}: no game can be started in it: {error}") from None
        yield bank


def _begin(
    path: Path, store: Store, wanted: Edition | None, *, new_game: bool, insists: bool
) -> Bank:
    is_new = not store.has_game()
    ledger = Ledger(store, wanted or editions.load(editions.DEFAULT))
    edition = _next_edition(ledger, wanted, insists=insists)
    if new_game and not is_new:
        ledger.next_game(edition)
    elif edition.name != ledger.edition.name:
        if ledger.untouched and ledger.chosen_edition is None:
            with suppress(
                JournalFailed
            ):  # the game that there is can be looked at all the same (D4)
                ledger.next_game(edition)
        if edition.name != ledger.edition.name:
            print(
                f"tellerbox: a game of edition {ledger.edition.name} is going on; "
                f"the next new game will be {edition.name}",
                file=sys.stderr,
            )
    return Bank(path, store, ledger, edition, is_new)


def _next_edition(ledger: Ledger, wanted: Edition | None, *, insists: bool) -> Edition:
    """What the next game will be played with, by its newest figures.

    What was chosen at the table was said later than what the config file says, and sooner
    than what somebody insists on who starts the box.
    """
    chosen = ledger.chosen_edition
    if chosen is None:
        return wanted or _newest_figures(ledger.edition)
    edition = wanted if insists and wanted else _newest_figures(chosen)
    if edition != chosen:
        try:
            ledger.choose_edition(edition)
        except JournalFailed:
            return chosen  # the game that there is can be looked at all the same (D4)
    return edition


def _newest_figures(played: Edition) -> Edition:
    """The edition as it is now; a game goes on with the figures it was begun with."""
    return editions.load(played.name) if played.name in editions.names() else played
