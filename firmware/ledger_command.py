"""``tellerbox ledger``: looks into a ledger, also while the box is using it."""

import argparse
import csv
import json
import os
import sqlite3
import sys
from collections.abc import Iterable, Sequence
from contextlib import closing, suppress
from datetime import datetime
from pathlib import Path
from typing import Any

from firmware import bank, ledger_file
from firmware import edition as editions
from firmware.audit import audit
from firmware.edition import Edition
from firmware.mistake import Mistake
from firmware.money import spell_out
from firmware.records import BANK, Posting
from firmware.store import NONSENSE, Damaged, Store, posting_of, rows


def options(parser: argparse.ArgumentParser) -> None:
    bank.add_ledger_option(parser)
    commands = parser.add_subparsers(metavar="WHAT", required=True)
    for name, act, summary in (
        ("accounts", accounts, "the balances of the newest game"),
        ("history", history, "every posting of a game, oldest first"),
        ("games", games, "the games played, oldest first"),
        ("verify", verify, "check every row of the ledger, and say what was checked"),
        ("backup", backup, "copy the ledger to a new file and check the copy"),
    ):
        command = commands.add_parser(name, help=summary, description=summary.capitalize() + ".")
        bank.add_ledger_option(command)
        command.set_defaults(act=act)
        if name == "history":
            command.add_argument(
                "--game", type=int, metavar="N", help="which game (default: the newest)"
            )
            form = command.add_mutually_exclusive_group()
            form.add_argument("--json", action="store_true", help="as JSON, amounts in full")
            form.add_argument("--csv", action="store_true", help="as CSV, amounts in full")
        elif name == "backup":
            command.add_argument("file", metavar="FILE", type=Path, help="the copy")
            command.add_argument("--force", action="store_true", help="replace FILE if it is there")


def run(args: argparse.Namespace) -> int:
    path = bank.ledger_path(args)
    with ledger_file.reading(path) as connection:
        try:
            status: int = args.act(connection, args)
        except Mistake:
            raise
        except (sqlite3.Error, Damaged, *NONSENSE) as error:
            raise Mistake(f"{path}: this ledger is damaged: {error}") from None
    return status


def accounts(connection: sqlite3.Connection, args: argparse.Namespace) -> int:
    ledger = bank.existing(Store(connection), args)
    numbers = [*ledger.cards, BANK]
    print_table(
        ("account", "balance", "in full"),
        [
            (account_name(n), _written(ledger.edition, ledger.balance(n)), _full(ledger.balance(n)))
            for n in numbers
        ],
    )
    print(
        f"game {ledger.game}, edition {ledger.edition.name}; all accounts sum to "
        f"{sum(ledger.accounts.values())}"
    )
    return 0


def history(connection: sqlite3.Connection, args: argparse.Namespace) -> int:
    number, edition = _game(connection, args)
    found = [
        (posting_of(row), row[-1]) for row in rows(connection, "posting", "WHERE game = ?", number)
    ]
    if args.json:
        json.dump([_record(posting, at) for posting, at in found], sys.stdout, indent=1)
        print()
    elif args.csv:
        _write_csv(_record(posting, at) for posting, at in found)
    else:
        undone = {posting.reverses for posting, _ in found}
        print_table(
            ("posting", "when", "payer", "payee", "amount", "purpose"),
            [
                (
                    str(posting.id),
                    _when(at),
                    account_name(posting.payer),
                    account_name(posting.payee),
                    _written(edition, posting.amount),
                    _purpose(posting, undone),
                )
                for posting, at in found
            ],
        )
    return 0


def games(connection: sqlite3.Connection, args: argparse.Namespace) -> int:
    del args
    counts = dict(connection.execute("SELECT game, count(*) FROM posting GROUP BY game"))
    print_table(
        ("game", "edition", "started", "postings"),
        [
            (str(n), editions.parse(f"game {n}", text).name, _when(at), str(counts.get(n, 0)))
            for n, text, _first, at in rows(connection, "game")
        ],
    )
    return 0


def verify(connection: sqlite3.Connection, args: argparse.Namespace) -> int:
    findings = audit(connection)
    for finding in findings:
        print(f"{'WRONG' if finding.faults else 'ok':5}  {finding.checked}")
        for fault in finding.faults:
            print(f"       {fault}")
    faults = sum(len(finding.faults) for finding in findings)
    if faults:
        raise Mistake(f"{bank.ledger_path(args)}: the ledger is not sound; faults found: {faults}")
    print("The ledger is sound.")
    return 0


def backup(connection: sqlite3.Connection, args: argparse.Namespace) -> int:
    """Copy under another name, check, then rename: a half copy never has the name."""
    target: Path = args.file
    _refuse_target(target, args)
    partial = target.with_name(target.name + ".part")
    try:
        partial.unlink(missing_ok=True)
        with closing(sqlite3.connect(partial)) as copy:
            connection.backup(copy)
            copy.execute("PRAGMA journal_mode = DELETE")
            wrong = [fault for finding in audit(copy) for fault in finding.faults]
        if wrong:
            raise Mistake(f"{target}: not written, for the ledger is damaged: {wrong[0]}")
        _sync(partial)
        partial.replace(target)
        _sync(target.absolute().parent)
    except (OSError, sqlite3.Error) as error:
        raise Mistake(f"{target}: cannot be written: {error}") from None
    finally:
        with suppress(OSError):
            partial.unlink(missing_ok=True)
    print(f"{target}: {target.stat().st_size} bytes, checked")
    return 0


def _refuse_target(target: Path, args: argparse.Namespace) -> None:
    try:
        if target.exists() and not target.is_file():
            raise Mistake(f"{target}: is not a file that could be replaced")
        if target.exists() and target.samefile(bank.ledger_path(args)):
            raise Mistake(f"{target}: is the ledger itself")
        if target.exists() and not args.force:
            raise Mistake(f"{target}: is there already; name another file, or say --force")
    except OSError as error:
        raise Mistake(f"{target}: cannot be written: {error.strerror}") from None


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _game(connection: sqlite3.Connection, args: argparse.Namespace) -> tuple[int, Edition]:
    """The game that was asked for, or the newest, and what it was played with."""
    played = {n: text for n, text, _first, _at in rows(connection, "game")}
    if not played:
        raise Mistake(f"{bank.ledger_path(args)}: no game has been started in it yet")
    number = max(played) if args.game is None else args.game
    if number not in played:
        raise Mistake(f"{bank.ledger_path(args)}: there is no game {number}")
    return number, editions.parse(f"game {number}", played[number])


def account_name(number: int) -> str:
    return "bank" if number == BANK else f"card {number}"


def _written(edition: Edition, balance: int) -> str:
    sign = "-" if balance < 0 else ""
    written = edition.units.write(abs(balance))
    return sign + (written.text if written.exact else f"{written.text}…")


def _full(balance: int) -> str:
    return ("-" if balance < 0 else "") + spell_out(abs(balance))


def _when(at: int) -> str:
    """The box's own idea of the date, which may be wrong: a Pi has no clock of its own."""
    try:
        return datetime.fromtimestamp(at).isoformat(" ", "seconds")
    except (OverflowError, OSError, ValueError):
        return "?"


def _purpose(posting: Posting, undone: set[int | None]) -> str:
    if posting.reverses is not None:
        return f"{posting.purpose.value} of {posting.reverses}"
    return posting.purpose.value + (" (reversed)" if posting.id in undone else "")


def _record(posting: Posting, at: int) -> dict[str, Any]:
    return {**posting._asdict(), "purpose": posting.purpose.value, "at": at}


def _write_csv(records: Iterable[dict[str, Any]]) -> None:
    writer = csv.DictWriter(sys.stdout, [*Posting._fields, "at"], lineterminator="\n")
    writer.writeheader()
    writer.writerows(records)


def print_table(heads: Sequence[str], lines: Sequence[Sequence[str]]) -> None:
    widths = [max(len(line[i]) for line in (heads, *lines)) for i in range(len(heads))]
    for line in (heads, *lines):
        print(
            "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        )
