"""``tellerbox cards``: lists the known cards, forgets or replaces a lost one."""

import argparse
from collections.abc import Callable

from firmware.bank.ledger import Ledger
from firmware.bank.records import JournalFailed
from firmware.commands import startup
from firmware.storage import ledger_file
from firmware.storage.store import Store
from firmware.user_error import UserError
from firmware.wording import table


def options(parser: argparse.ArgumentParser) -> None:
    startup.add_ledger_option(parser)
    parser.set_defaults(act=show)
    commands = parser.add_subparsers(metavar="COMMAND")
    freed = "its number is free, its balance goes back to the bank"
    replaced = "the next unknown card gets its number and balance"
    for name, act, summary in (
        ("forget", forget, f"forget a card: {freed}"),
        ("replace", replace, f"replace a lost card: {replaced}"),
    ):
        command = commands.add_parser(name, help=summary, description=summary.capitalize() + ".")
        startup.add_ledger_option(command)
        command.add_argument("number", metavar="N", type=int, help="the card's number")
        command.set_defaults(act=act)


def run(args: argparse.Namespace) -> int:
    args.act(args)
    return 0


def show(args: argparse.Namespace) -> None:
    with ledger_file.reading(startup.ledger_path(args)) as connection:
        ledger = startup.existing(Store(connection), args)
        write = ledger.edition.units.write
        cards = [
            (str(number), write(ledger.balance(number)).text, uid.hex(" "))
            for number, uid in ledger.cards.items()
        ]
        for line in table(("card", "balance", "UID"), cards):
            print(line)
        if ledger.state.replacing is not None:
            print(f"The next unknown card takes over number {ledger.state.replacing}.")


def forget(args: argparse.Namespace) -> None:
    _change(args, Ledger.forget)
    print(f"Card {args.number} is forgotten; its number is free.")


def replace(args: argparse.Namespace) -> None:
    _change(args, Ledger.ask_replacement)
    print(f"The next unknown card put in takes over number {args.number} and its balance.")


def _change(args: argparse.Namespace, change: Callable[[Ledger, int], None]) -> None:
    """Change a known card, also while a box is running."""
    path = startup.ledger_path(args)
    with ledger_file.shared_for_changes(path) as store:
        ledger = startup.existing(store, args)
        if args.number not in ledger.cards:
            known = ", ".join(map(str, ledger.cards)) or "none"
            raise UserError(f"{path}: card {args.number} is not known; known cards: {known}")
        try:
            change(ledger, args.number)
        except JournalFailed as error:
            if not store.in_doubt:
                raise UserError(f"{path}: cannot be written: {error}") from None
            raise UserError(
                f"{path}: it is uncertain whether this was written ({error}); "
                "when the disk works again, run `tellerbox cards` to find out"
            ) from None
