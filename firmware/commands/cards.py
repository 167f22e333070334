"""``tellerbox cards``: lists the known cards; names, forgets or replaces one."""

import argparse
from collections.abc import Callable
from pathlib import Path

from firmware.bank.ledger import Ledger
from firmware.bank.names import LONGEST_NAME, NAME_RULE, composed, is_name
from firmware.bank.records import JournalFailed
from firmware.commands import startup
from firmware.storage import ledger_check, ledger_file
from firmware.storage.store import Store
from firmware.user_error import UserError, one_line
from firmware.wording import table


class UnknownCard(UserError):
    """No card has this number."""


def options(parser: argparse.ArgumentParser) -> None:
    startup.add_ledger_option(parser)
    parser.set_defaults(act=show)
    commands = parser.add_subparsers(metavar="COMMAND")

    def command(
        name: str,
        act: Callable[[argparse.Namespace], None],
        summary: str,
        number: str | None = None,
    ) -> argparse.ArgumentParser:
        added = commands.add_parser(name, help=summary, description=summary.capitalize() + ".")
        startup.add_ledger_option(added)
        added.add_argument("number", metavar="N", type=int, nargs=number, help="the card's number")
        added.set_defaults(act=act)
        return added

    named = command("name", name, "name a card: the name shows beside its number, in every game")
    letters = f"up to {LONGEST_NAME} letters; without it, the card loses its name"
    named.add_argument("name", metavar="NAME", nargs="?", default="", help=letters)
    freed = "its number is free, its balance in this game goes back to the bank"
    command("forget", forget, f"forget a card: {freed}")
    replaced = "the next unknown card gets its number and balance"
    replacing = command("replace", replace, f"replace a lost card: {replaced}", number="?")
    replacing.add_argument("--cancel", action="store_true", help="cancel the waiting replacement")


def run(args: argparse.Namespace) -> int:
    args.act(args)
    return 0


def show(args: argparse.Namespace) -> None:
    with ledger_file.reading(startup.ledger_path(args)) as connection:
        ledger = startup.existing(Store(connection), args)
        write, names = ledger.edition.units.write, ledger.state.names
        cards = [
            (str(n), one_line(names.get(n, "")), write(ledger.balance(n)).text, uid.hex(" "))
            for n, uid in ledger.cards.items()
        ]
        for line in table(("card", "name", "balance", "UID"), cards):
            print(line)
        waiting = ledger.state.replacing
        if waiting is not None:
            cancel = "to end the waiting, run: tellerbox cards replace --cancel"
            print(f"The next unknown card takes over number {waiting}; {cancel}")


def name(args: argparse.Namespace) -> None:
    name = composed(args.name)
    if name and not is_name(name):
        raise UserError(f"{one_line(name)!r} cannot be a name: {NAME_RULE}")
    name_card(startup.ledger_path(args), args.number, name)
    print(f"Card {args.number} is {name}." if name else f"Card {args.number} has no name.")


def name_card(path: Path, number: int, name: str) -> None:
    """Give a known card a name (N6), or take it away; also while a box is running."""
    _change_card(path, number, lambda ledger: ledger.name(number, name))


def forget(args: argparse.Namespace) -> None:
    _change_card(startup.ledger_path(args), args.number, lambda ledger: ledger.forget(args.number))
    print(f"Card {args.number} is forgotten; its number is free.")


def replace(args: argparse.Namespace) -> None:
    if (args.number is None) != args.cancel:
        raise UserError("name either the lost card's number or --cancel, as in: cards replace 3")
    path = startup.ledger_path(args)
    if args.cancel:
        _change(path, lambda ledger: _cancel(path, ledger))
        print("The waiting replacement is cancelled.")
        return
    _change_card(path, args.number, lambda ledger: ledger.ask_replacement(args.number))
    print(f"The next unknown card put in takes over number {args.number} and its balance.")


def _cancel(path: Path, ledger: Ledger) -> None:
    if ledger.state.replacing is None:
        raise UserError(f"{path}: no replacement is waiting")
    ledger.cancel_replacement()


def _change_card(path: Path, number: int, change: Callable[[Ledger], object]) -> None:
    """Change a known card."""

    def change_if_known(ledger: Ledger) -> None:
        if number not in ledger.cards:
            known = ", ".join(map(str, ledger.cards)) or "none"
            raise UnknownCard(f"{path}: card {number} is not known; known cards: {known}")
        change(ledger)

    _change(path, change_if_known)


def _change(path: Path, change: Callable[[Ledger], None]) -> None:
    """Change a ledger, also while a box is running."""
    with ledger_file.shared_for_changes(path) as store:
        ledger = startup.existing_at(path, store)

        def refreshed() -> bool:
            ledger.refresh()
            return True

        try:
            ledger.retrying(lambda: change(ledger), refreshed)
        except JournalFailed as error:
            if not store.in_doubt:
                raise ledger_check.unwritable(path, error) from None
            raise UserError(
                f"{path}: it is uncertain whether this was written ({error}); "
                "when the disk works again, run `tellerbox cards` to find out"
            ) from None
