"""``tellerbox cards``: the cards that a box knows, and what to do about a lost one."""

import argparse
from collections.abc import Callable

from firmware import bank, ledger_file
from firmware.ledger import Ledger
from firmware.ledger_command import print_table
from firmware.mistake import Mistake
from firmware.records import JournalFailed
from firmware.store import Store


def options(parser: argparse.ArgumentParser) -> None:
    bank.add_ledger_option(parser)
    parser.set_defaults(act=show)
    commands = parser.add_subparsers(metavar="WHAT")
    for name, act, summary in (
        ("forget", forget, "free a number; what its card held goes back to the bank"),
        ("replace", replace, "let the next unknown card take over a number and its balance"),
    ):
        command = commands.add_parser(name, help=summary, description=summary.capitalize() + ".")
        bank.add_ledger_option(command)
        command.add_argument("number", metavar="N", type=int, help="a card's number")
        command.set_defaults(act=act)


def run(args: argparse.Namespace) -> int:
    try:
        status: int = args.act(args)
    except JournalFailed as error:
        raise Mistake(f"{bank.ledger_path(args)}: cannot be written: {error}") from None
    return status


def show(args: argparse.Namespace) -> int:
    with ledger_file.reading(bank.ledger_path(args)) as connection:
        ledger = bank.existing(Store(connection), args)
        print_table(
            ("card", "balance", "UID"),
            [
                (str(number), ledger.edition.units.write(ledger.balance(number)).text, uid.hex(" "))
                for number, uid in ledger.cards.items()
            ],
        )
        if ledger.replacing is not None:
            print(f"The next unknown card takes over number {ledger.replacing}.")
    return 0


def forget(args: argparse.Namespace) -> int:
    _change(args, Ledger.forget)
    print(f"Card {args.number} is forgotten; its number is free.")
    return 0


def replace(args: argparse.Namespace) -> int:
    _change(args, Ledger.ask_replacement)
    print(f"The next unknown card put in takes over number {args.number} and its balance.")
    return 0


def _change(args: argparse.Namespace, change: Callable[[Ledger, int], None]) -> None:
    """Change something about a known card, beside the box that may be running."""
    with ledger_file.shared_for_changes(bank.ledger_path(args)) as store:
        ledger = bank.existing(store, args)
        _must_know(ledger, args)
        try:
            change(ledger, args.number)
        except JournalFailed as error:
            if not store.in_doubt:
                raise
            raise Mistake(
                f"{bank.ledger_path(args)}: nobody knows whether this was written ({error}); "
                "tellerbox cards will tell, once the disk is in order"
            ) from None


def _must_know(ledger: Ledger, args: argparse.Namespace) -> None:
    if args.number not in ledger.cards:
        known = ", ".join(str(number) for number in ledger.cards) or "none"
        raise Mistake(f"{bank.ledger_path(args)}: there is no card {args.number}; known: {known}")
