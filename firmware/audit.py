"""Checks a whole ledger, every game of it, and says what was checked.

The box, when it starts, reads only the newest game. The audit reads everything:
SQLite's own check, every seal, every sum, every reversal.
"""

import sqlite3
from collections.abc import Iterator
from typing import NamedTuple

from firmware import edition as editions
from firmware import schema
from firmware.edition import MOST_CARDS, Edition
from firmware.mistake import Mistake
from firmware.records import BANK, POT, Posting, Purpose, Record
from firmware.store import PLAYED, VOLUME, Damaged, choice, game_record, posting_of, rows
from hal.sounds import LOUDEST


class Finding(NamedTuple):
    """One check: what was looked at, and what is wrong with it, if anything."""

    checked: str
    faults: tuple[str, ...]


def audit(connection: sqlite3.Connection) -> list[Finding]:
    """All checks; the later ones only where the rows can be read at all."""
    findings = [_integrity(connection), _schema(connection)]
    if any(finding.faults for finding in findings):
        return findings
    findings.append(_seals(connection))
    if findings[-1].faults:
        return findings
    try:
        games = [
            (number, editions.parse(f"game {number}", text), first)
            for number, text, first, _at in rows(connection, "game")
        ]
        postings = [posting_of(row) for row in rows(connection, "posting")]
        events = list(rows(connection, "event"))
        records = [record for row in events for record in (*game_record(row), *choice(row))]
    except (Mistake, ValueError) as error:
        return [*findings, Finding("every row can be read", (str(error),))]
    turns = [(row[2], row[6] + 1) for row in events if row[1] in ("started", "resumed")]
    findings.append(
        _counted("games and their postings", len(games), _games(games, turns, postings))
    )
    findings.append(_counted("balances after each posting", len(postings), _sums(games, postings)))
    findings.append(_reversals(postings))
    findings.append(_counted("what else happened", len(events), _events(records, len(games))))
    findings += [_cards(connection), _settings(connection)]
    return findings


def _counted(what: str, count: int, faults: Iterator[str]) -> Finding:
    return Finding(f"{what} ({count})", tuple(faults))


def _integrity(connection: sqlite3.Connection) -> Finding:
    try:
        pages = connection.execute("PRAGMA page_count").fetchone()[0]
        verdicts = [row[0] for row in connection.execute("PRAGMA integrity_check(10)")]
        verdicts += [
            f"{row[0]} row {row[1]} refers to a missing {row[2]}"
            for row in connection.execute("PRAGMA foreign_key_check")
        ]
    except sqlite3.Error as error:
        return Finding("SQLite's own integrity check", (str(error),))
    faults = tuple(" ".join(verdict.split()) for verdict in verdicts if verdict != "ok")
    return Finding(f"SQLite's own integrity check ({pages} pages)", faults)


def _schema(connection: sqlite3.Connection) -> Finding:
    version = schema.version_of(connection)
    return Finding(f"the schema (version {version})", tuple(schema.faults(connection)))


def _seals(connection: sqlite3.Connection) -> Finding:
    count = 0
    faults = []
    for table in ("game", "posting", "card", "event"):
        try:
            for expected, row in enumerate(rows(connection, table), start=1):
                count += 1
                if row[0] != expected:
                    faults.append(f"row {expected} of table {table} is missing")
                    break
        except Damaged as error:
            faults.append(str(error))
    return Finding(f"the seals of all rows ({count})", tuple(faults))


def _games(
    games: list[tuple[int, Edition, int]], turns: list[tuple[int, int]], postings: list[Posting]
) -> Iterator[str]:
    """Each posting must belong to the game that was being played when it was written.

    ``turns`` are the games that were started or resumed, each with the number of the first
    posting after that; games of before there were such rows only have their own.
    """
    if postings and not games:
        yield "there are postings, but no game"
    told = {game for game, _ in turns}
    turns = [(number, first) for number, _, first in games if number not in told] + turns
    starts = [first for _, first in turns] + [len(postings) + 1]
    for (number, first), end in zip(turns, starts[1:], strict=True):
        if not 1 <= first <= end <= len(postings) + 1:
            yield f"game {number} does not follow the one before it"
            return
        for posting in postings[first - 1 : end - 1]:
            if posting.game != number:
                yield f"posting {posting.id} says game {posting.game} and lies in game {number}"
    for number, _, first in games:
        if number in told and (number, first) not in turns:
            yield f"game {number} does not say when it began"


def _sums(games: list[tuple[int, Edition, int]], postings: list[Posting]) -> Iterator[str]:
    """No card may ever have held less than nothing or too much; all must sum to zero."""
    fullest = {number: edition.fullest for number, edition, _ in games}
    balances: dict[tuple[int, int], int] = {}
    for posting in postings:
        for account, change in (
            (posting.payer, -posting.amount),
            (posting.payee, posting.amount),
        ):
            balance = balances.get((posting.game, account), 0) + change
            balances[posting.game, account] = balance
            most = balance if account == POT else fullest.get(posting.game, 0)
            if account != BANK and not 0 <= balance <= most:
                yield f"card {account} holds {balance} after posting {posting.id}"
    for game in fullest:
        total = sum(balance for (of, _), balance in balances.items() if of == game)
        if total:
            yield f"the accounts of game {game} sum to {total}, not to zero"


def _reversals(postings: list[Posting]) -> Finding:
    """A reversal mirrors an earlier posting of its game, which nobody reversed before."""
    by_id = {posting.id: posting for posting in postings}
    reversals = [posting for posting in postings if posting.purpose is Purpose.REVERSAL]
    taken: set[int] = set()
    faults = [
        f"posting {posting.id} reverses another, but does not say so"
        for posting in postings
        if (posting.reverses is not None) != (posting.purpose is Purpose.REVERSAL)
    ]
    for reversal in reversals:
        original = by_id.get(reversal.reverses or 0)
        mirrored = original is not None and (
            (original.payee, original.payer, original.amount, original.game)
            == (reversal.payer, reversal.payee, reversal.amount, reversal.game)
            and original.id < reversal.id
        )
        if original is None or not mirrored or original.id in taken:
            faults.append(f"posting {reversal.id} is no true reversal of {reversal.reverses}")
        else:
            taken.add(original.id)
    return Finding(f"the chain of reversals ({len(reversals)})", tuple(faults))


def _events(records: list[Record], games: int) -> Iterator[str]:
    """Nobody can have joined, or been counted in, a game that never was, with no such card."""
    for record in records:
        game = getattr(record, "game", 1)
        number = getattr(record, "number", 1)
        if not 1 <= game <= games or not 1 <= number <= MOST_CARDS:
            yield f"{type(record).__name__} names card {number} in game {game}"


def _cards(connection: sqlite3.Connection) -> Finding:
    known = list(rows(connection, "card"))
    faults = [
        f"card row {row[0]} names the number {row[2]}" for row in known if row[2] > MOST_CARDS
    ]
    return Finding(f"what was said of cards ({len(known)})", tuple(faults))


def _settings(connection: sqlite3.Connection) -> Finding:
    found = connection.execute("SELECT name, value FROM setting").fetchall()
    faults = [
        f"the setting {name} cannot be {value}"
        for name, value in found
        if not (value >= 0 if name.startswith(PLAYED) else _is_volume(name, value))
    ]
    return Finding(f"the settings ({len(found)})", tuple(faults))


def _is_volume(name: str, value: int) -> bool:
    return name == VOLUME and 0 <= value <= LOUDEST
