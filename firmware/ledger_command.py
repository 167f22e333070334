"""``tellerbox ledger``: looks into a ledger, also while the box is using it."""

import argparse
import csv
import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from firmware import bank, ledger_file, output_file, patience
from firmware import edition as editions
from firmware.audit import audit
from firmware.edition import Edition
from firmware.ledger_check import damaged
from firmware.mistake import Mistake
from firmware.records import BANK, POT, JournalFailed, Kind, Posting
from firmware.rows import NONSENSE, Damaged, posting_of, rows, starts
from firmware.store import Store
from firmware.wording import account_name, in_full, kind_name, when, written


def options(parser: argparse.ArgumentParser) -> None:
    bank.add_ledger_option(parser)
    commands = parser.add_subparsers(metavar="WHAT", required=True)
    for name, act, summary in (
        ("accounts", accounts, "the balances of the game that is being played"),
        ("history", history, "every posting of a game, oldest first"),
        ("games", games, "the games played, oldest first"),
        ("report", report, "a game on one page: ranking, balances over time, what was paid"),
        ("verify", verify, "check every row of the ledger, and say what was checked"),
        ("backup", backup, "copy the ledger to a new file and check the copy"),
    ):
        command = commands.add_parser(name, help=summary, description=summary.capitalize() + ".")
        bank.add_ledger_option(command)
        command.set_defaults(act=act)
        if name in ("history", "report"):
            command.add_argument(
                "--game", type=int, metavar="N", help="which game (default: the one being played)"
            )
        if name == "history":
            form = command.add_mutually_exclusive_group()
            form.add_argument("--json", action="store_true", help="as JSON, amounts in full")
            form.add_argument("--csv", action="store_true", help="as CSV, amounts in full")
        if name == "report":
            command.add_argument(
                "--html", metavar="FILE", type=Path, help="write a page for a browser or printer"
            )
        if name == "backup":
            command.add_argument("file", metavar="FILE", type=Path, help="the copy")
        if name in ("report", "backup"):
            command.add_argument("--force", action="store_true", help="replace FILE if it is there")


def run(args: argparse.Namespace) -> int:
    lines: list[str] = []
    try:
        _look(args, lines)
    finally:
        # Not before the look is over: a pager waits for hours, and a ledger without a log takes
        # no move as long as somebody looks. What was found before a mistake is told, too.
        for line in lines:
            print(line)
    return 0


def _look(args: argparse.Namespace, lines: list[str]) -> None:
    """Find out what is to be told."""
    path = bank.ledger_path(args)
    with (
        patience.asked(f"tellerbox: reading {path}"),
        ledger_file.reading(path) as connection,
    ):
        try:
            # One look: what a box writes in the meantime is seen whole, or not at all.
            connection.execute("BEGIN")
            lines.extend(args.act(connection, args))
        except Mistake:
            raise
        except (sqlite3.Error, Damaged, JournalFailed, *NONSENSE) as error:
            raise damaged(path, error) from None


# What there is to look at: each tells it line by line.


def accounts(connection: sqlite3.Connection, args: argparse.Namespace) -> Iterator[str]:
    ledger = bank.existing(Store(connection), args)
    numbers = [*ledger.cards, *([POT] if POT in ledger.accounts else []), BANK]
    yield from _table(
        ("account", "balance", "in full"),
        [
            (
                account_name(n),
                written(ledger.edition, ledger.balance(n)),
                in_full(ledger.balance(n)),
            )
            for n in numbers
        ],
    )
    yield (
        f"game {ledger.game}, edition {ledger.edition.name}; all accounts sum to "
        f"{sum(ledger.accounts.values())}"
    )


def history(connection: sqlite3.Connection, args: argparse.Namespace) -> Iterator[str]:
    number, edition = _game(connection, args)
    found = [
        (posting_of(row), row[-1]) for row in rows(connection, "posting", "WHERE game = ?", number)
    ]
    if args.json:
        yield from _json(_record(posting, at) for posting, at in found)
    elif args.csv:
        yield from _csv(_record(posting, at) for posting, at in found)
    else:
        undone = {posting.reverses for posting, _ in found}
        yield from _table(
            ("posting", "when", "payer", "payee", "amount", "purpose"),
            [
                (
                    str(posting.id),
                    when(at),
                    account_name(posting.payer),
                    account_name(posting.payee),
                    written(edition, posting.amount),
                    _purpose(posting, undone),
                )
                for posting, at in found
            ],
        )


def games(connection: sqlite3.Connection, args: argparse.Namespace) -> Iterator[str]:
    del args
    counts = dict(connection.execute("SELECT game, count(*) FROM posting GROUP BY game"))
    # Those of a ledger's first format have no such row: there were no others than normal ones.
    kinds = {
        game: kind_name(Kind(word), amount)
        for _, _, game, _, amount, word, *_ in starts(connection)
    }
    played = Store(connection).course()[-1:]
    yield from _table(
        ("game", "edition", "kind", "started", "postings", "now"),
        [
            (
                str(n),
                editions.parse(f"game {n}", text).name,
                kinds.get(n, Kind.NORMAL.value),
                when(at),
                str(counts.get(n, 0)),
                "being played" if n in played else "",
            )
            for n, text, _first, at in rows(connection, "game")
        ],
    )


def report(connection: sqlite3.Connection, args: argparse.Namespace) -> Iterator[str]:
    # Whoever asks for something else does not wait for these to load.
    from firmware import report_page, report_text
    from firmware.report import report_of

    target: Path | None = args.html
    if args.force and target is None:
        raise Mistake("--force is about the FILE of --html, and none was named")
    number, _ = _game(connection, args)
    told = report_of(connection, number)
    if target is None:
        yield from report_text.lines(told)
        return
    page = report_page.page(told)
    with output_file.written(target, ledger=bank.ledger_path(args), force=args.force) as partial:
        partial.write_text(page, encoding="utf-8")
    yield f"{target}: game {number}, {target.stat().st_size} bytes"


def verify(connection: sqlite3.Connection, args: argparse.Namespace) -> Iterator[str]:
    findings = audit(connection)
    for finding in findings:
        yield f"{'WRONG' if finding.faults else 'ok':5}  {finding.checked}"
        for fault in finding.faults:
            yield f"       {fault}"
    faults = sum(len(finding.faults) for finding in findings)
    if faults:
        raise Mistake(f"{bank.ledger_path(args)}: the ledger is not sound; faults found: {faults}")
    yield "The ledger is sound."


def backup(connection: sqlite3.Connection, args: argparse.Namespace) -> Iterator[str]:
    target: Path = args.file
    with output_file.written(target, ledger=bank.ledger_path(args), force=args.force) as partial:
        with closing(sqlite3.connect(partial)) as copy:
            connection.backup(copy)
            copy.execute("PRAGMA journal_mode = DELETE")
            wrong = [fault for finding in audit(copy) for fault in finding.faults]
        if wrong:
            raise Mistake(f"{target}: not written, for the ledger is damaged: {wrong[0]}")
    yield f"{target}: {target.stat().st_size} bytes, checked"


def _game(connection: sqlite3.Connection, args: argparse.Namespace) -> tuple[int, Edition]:
    """The game that was asked for, or the one being played, and what it was played with."""
    played = {n: text for n, text, _first, _at in rows(connection, "game")}
    if not played:
        raise Mistake(f"{bank.ledger_path(args)}: no game has been started in it yet")
    number = Store(connection).course()[-1] if args.game is None else args.game
    if number not in played:
        raise Mistake(f"{bank.ledger_path(args)}: there is no game {number}")
    return number, editions.parse(f"game {number}", played[number])


def _purpose(posting: Posting, undone: set[int | None]) -> str:
    if posting.reverses is not None:
        return f"{posting.purpose.value} of {posting.reverses}"
    return posting.purpose.value + (" (reversed)" if posting.id in undone else "")


def _record(posting: Posting, at: int) -> dict[str, Any]:
    return {**posting._asdict(), "purpose": posting.purpose.value, "at": at}


def _json(records: Iterable[dict[str, Any]]) -> Iterator[str]:
    """One list, a record a line: a year of evenings takes seconds, and not a minute."""
    yield "["
    lines = map(json.dumps, records)
    line = next(lines, None)
    while line is not None:
        following = next(lines, None)
        yield line if following is None else f"{line},"
        line = following
    yield "]"


class _Line:
    """What a CSV writer writes to, which gives back what was written."""

    def write(self, text: str) -> str:
        return text


def _csv(records: Iterable[dict[str, Any]]) -> Iterator[str]:
    writer = csv.DictWriter(_Line(), [*Posting._fields, "at"], lineterminator="")
    yield writer.writeheader()
    yield from map(writer.writerow, records)


def _table(heads: Sequence[str], lines: Sequence[Sequence[str]]) -> Iterator[str]:
    widths = [max(len(line[i]) for line in (heads, *lines)) for i in range(len(heads))]
    for line in (heads, *lines):
        cells = (cell.ljust(width) for cell, width in zip(line, widths, strict=True))
        yield "  ".join(cells).rstrip()


def print_table(heads: Sequence[str], lines: Sequence[Sequence[str]]) -> None:
    for line in _table(heads, lines):
        print(line)
