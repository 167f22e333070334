"""``tellerbox ledger``: shows, checks and copies a ledger, also while the box is using it."""

import argparse
import csv
import io
import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from firmware import progress
from firmware.bank.edition import Edition
from firmware.bank.money import spell_out
from firmware.bank.records import BANK, POT, JournalFailed, Posting
from firmware.commands import startup
from firmware.storage import ledger_file, output_file, rows
from firmware.storage.audit import audit
from firmware.storage.ledger_check import damaged
from firmware.storage.replay_reader import ReplayReader
from firmware.storage.store import Store
from firmware.user_error import UserError, printable
from firmware.wording import account_name, kind_name, table, when, written


def options(parser: argparse.ArgumentParser) -> None:
    startup.add_ledger_option(parser)
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    for name, act, summary in (
        ("accounts", accounts, "list the balances of the current game"),
        ("history", history, "list every posting of a game, oldest first"),
        ("games", games, "list all games, oldest first"),
        ("report", report, "show a game on one page: ranking, balances over time, totals paid"),
        ("verify", verify, "check every row of the ledger, and list the checks"),
        ("backup", backup, "copy the ledger to a file, and check the copy"),
    ):
        command = commands.add_parser(name, help=summary, description=summary.capitalize() + ".")
        startup.add_ledger_option(command)
        command.set_defaults(act=act)
        if name in ("history", "report"):
            number = "the game's number (default: the current game)"
            command.add_argument("--game", type=int, metavar="N", help=number)
        if name == "history":
            form = command.add_mutually_exclusive_group()
            for format_ in ("JSON", "CSV"):
                summary = f"print {format_}, with amounts in full"
                form.add_argument(f"--{format_.lower()}", action="store_true", help=summary)
        if name == "report":
            page = "write an HTML page for a browser or a printer"
            command.add_argument("--html", metavar="FILE", type=Path, help=page)
        if name == "backup":
            command.add_argument("file", metavar="FILE", type=Path, help="the file to write")
        if name in ("report", "backup"):
            command.add_argument("--force", action="store_true", help="replace FILE if it exists")


def run(args: argparse.Namespace) -> int:
    path = startup.ledger_path(args)
    lines: list[str] = []
    try:
        with (
            progress.shown(f"tellerbox: reading {printable(path)}"),
            ledger_file.reading(path) as connection,
        ):
            connection.execute("BEGIN")  # reads one consistent snapshot
            lines.extend(args.act(connection, args))
    except UserError:
        raise
    except (sqlite3.Error, rows.DamagedRow, JournalFailed, *rows.ROW_ERRORS) as error:
        raise damaged(path, error) from None
    finally:
        # Printed only after the ledger is closed: a pager may wait for hours, and a ledger
        # without a write-ahead log accepts no move while it is being read. Lines that were
        # collected before an error are printed, too.
        for line in lines:
            print(line)
    return 0


# The subcommands. Each yields lines.


def accounts(connection: sqlite3.Connection, args: argparse.Namespace) -> Iterator[str]:
    ledger = startup.existing(Store(connection), args)
    numbers = [*ledger.cards, *([POT] if POT in ledger.accounts else []), BANK]
    balances = [(number, ledger.balance(number)) for number in numbers]
    yield from table(
        ("account", "balance", "in full"),
        [
            (account_name(n, ledger.state.names), written(ledger.edition, held), spell_out(held))
            for n, held in balances
        ],
    )
    total = sum(ledger.accounts.values())
    yield f"game {ledger.game}, edition {ledger.edition.name}; all accounts sum to {total}"


def history(connection: sqlite3.Connection, args: argparse.Namespace) -> Iterator[str]:
    number, edition = _game(connection, args)
    found = [
        (rows.posting_of(row), row[-1])
        for row in rows.read(connection, "posting", "WHERE game = ?", number)
    ]
    if args.json or args.csv:
        records = [
            {**posting._asdict(), "purpose": posting.purpose.value, "at": at}
            for posting, at in found
        ]
        yield from (_json if args.json else _csv)(records)
        return
    undone = {posting.reverses for posting, _ in found}
    names = ReplayReader(connection).names()
    at_the_time = {posting.id: names.at(posting.id) for posting, _ in found}
    yield from table(
        ("posting", "when", "payer", "payee", "amount", "purpose"),
        [
            (
                str(posting.id),
                when(at),
                account_name(posting.payer, at_the_time[posting.id]),
                account_name(posting.payee, at_the_time[posting.id]),
                written(edition, posting.amount),
                _purpose(posting, undone),
            )
            for posting, at in found
        ],
    )


def games(connection: sqlite3.Connection, args: argparse.Namespace) -> Iterator[str]:
    del args
    counts = dict(connection.execute("SELECT game, count(*) FROM posting GROUP BY game"))
    # Games of the first format have no start event; all of them are normal.
    starts = rows.starts(connection)
    found = [(rows.game_start(row, starts), row[-1]) for row in rows.read(connection, "game")]
    played = ReplayReader(connection).course()[-1:]
    yield from table(
        ("game", "edition", "kind", "started", "postings", "now"),
        [
            (
                str(start.game),
                start.edition.name,
                kind_name(start.kind, start.minutes),
                when(at),
                str(counts.get(start.game, 0)),
                "being played" if start.game in played else "",
            )
            for start, at in found
        ],
    )


def report(connection: sqlite3.Connection, args: argparse.Namespace) -> Iterator[str]:
    # The other subcommands do not need these.
    from firmware.reports import page as report_page
    from firmware.reports import text as report_text
    from firmware.reports.report import report_of

    target: Path | None = args.html
    if args.force and target is None:
        raise UserError("--force needs --html FILE")
    number, _ = _game(connection, args)
    found = report_of(connection, number)
    if target is None:
        yield from report_text.lines(found)
        return
    page = report_page.page(found)
    with output_file.written(target, ledger=startup.ledger_path(args), force=args.force) as partial:
        partial.write_text(page, encoding="utf-8")
    yield f"{printable(target)}: game {number}, {target.stat().st_size} bytes"


def verify(connection: sqlite3.Connection, args: argparse.Namespace) -> Iterator[str]:
    findings = audit(connection)
    for finding in findings:
        yield f"{'FAIL' if finding.faults else 'ok':4}  {finding.checked}"
        for fault in finding.faults:
            yield f"      {fault}"
    faults = sum(len(finding.faults) for finding in findings)
    if faults:
        raise UserError(
            f"{startup.ledger_path(args)}: the ledger is not sound (faults: {faults}); "
            "restore a backup"
        )
    yield "The ledger is sound."


def backup(connection: sqlite3.Connection, args: argparse.Namespace) -> Iterator[str]:
    target: Path = args.file
    with output_file.written(target, ledger=startup.ledger_path(args), force=args.force) as partial:
        with closing(sqlite3.connect(partial)) as copy:
            connection.backup(copy)
            copy.execute("PRAGMA journal_mode = DELETE")
            wrong = [fault for finding in audit(copy) for fault in finding.faults]
        if wrong:
            raise UserError(f"{target}: not written: the ledger is damaged ({wrong[0]})")
    yield f"{printable(target)}: {target.stat().st_size} bytes, checked"


def _game(connection: sqlite3.Connection, args: argparse.Namespace) -> tuple[int, Edition]:
    """The number and the edition of the requested or current game."""
    played = {row[0]: row for row in rows.read(connection, "game")}
    if not played:
        raise UserError(f"{startup.ledger_path(args)}: no game has been started in this ledger yet")
    number = ReplayReader(connection).course()[-1] if args.game is None else args.game
    if number not in played:
        raise UserError(
            f"{startup.ledger_path(args)}: there is no game {number}; "
            "`tellerbox ledger games` lists all games"
        )
    return number, rows.game_start(played[number]).edition


def _purpose(posting: Posting, undone: set[int | None]) -> str:
    if posting.reverses is not None:
        return f"{posting.purpose.value} of {posting.reverses}"
    return f"{posting.purpose.value}{' (reversed)' if posting.id in undone else ''}"


def _json(records: list[dict[str, object]]) -> Iterator[str]:
    """One list with one record per line; much faster than one large dump."""
    lines = [json.dumps(record) for record in records]
    yield from ("[", *(f"{line}," for line in lines[:-1]), *lines[-1:], "]")


def _csv(records: list[dict[str, object]]) -> Iterator[str]:
    text = io.StringIO()
    writer = csv.DictWriter(text, [*Posting._fields, "at"], lineterminator="\n")
    writer.writeheader()
    writer.writerows(records)
    yield from text.getvalue().splitlines()
