"""Checks a whole ledger, every game of it, and says what was checked.

The box, when it starts, reads only a checkpoint and what came after it. The audit reads
everything: SQLite's own check, every seal, every sum, every reversal, every checkpoint.
"""

import sqlite3
from collections.abc import Iterator
from typing import NamedTuple

from firmware import edition as editions
from firmware import schema
from firmware.edition import MOST_CARDS, Edition
from firmware.mistake import Mistake, one_line
from firmware.records import BANK, POT, Kind, Posting, Purpose
from firmware.recount import wrong_checkpoints
from firmware.rows import (
    COLUMNS,
    NONSENSE,
    PLAYED,
    STARTED,
    TURNS,
    VOLUME,
    Damaged,
    Row,
    choice,
    of_before_events,
    posting_of,
    rows,
)
from firmware.wording import account_name
from hal.sounds import LOUDEST


class Played(NamedTuple):
    """A game: its number, its edition, and the number of its first posting."""

    number: int
    edition: Edition
    first: int


class Finding(NamedTuple):
    """One check: what was looked at, and what is wrong with it, if anything."""

    checked: str
    faults: tuple[str, ...]


def audit(connection: sqlite3.Connection) -> list[Finding]:
    """All checks; what a fault quotes of the ledger is made a line that no terminal obeys."""
    return [
        Finding(checked, tuple(one_line(fault) for fault in faults))
        for checked, faults in _findings(connection)
    ]


def _findings(connection: sqlite3.Connection) -> list[Finding]:
    """The later ones only where the rows can be read at all."""
    findings = [_integrity(connection), _schema(connection)]
    if any(finding.faults for finding in findings):
        return findings
    findings.append(_seals(connection))
    if findings[-1].faults:
        return findings
    try:
        games = [
            Played(number, editions.parse(f"game {number}", text), first)
            for number, text, first, _at in rows(connection, "game")
        ]
        postings = [posting_of(row) for row in rows(connection, "posting")]
        events = [_readable(row) for row in rows(connection, "event")]
    except (Mistake, ValueError) as error:
        return [*findings, Finding("every row can be read", (str(error),))]
    old = of_before_events((game.number for game in games), events)
    findings += [
        _counted("games and their postings", len(games), _games(games, old, events, postings)),
        _counted("balances after each posting", len(postings), _sums(games, postings)),
        _reversals(postings),
        _counted("what else happened", len(events), _events(len(old), events, len(postings))),
        _cards(connection),
        _settings(connection, len(games)),
    ]
    if any(finding.faults for finding in findings):
        return findings
    return [*findings, _checkpoints(connection)]


def _checkpoints(connection: sqlite3.Connection) -> Finding:
    """Each must say what the rows before it come to."""
    (count,) = connection.execute("SELECT count(*) FROM checkpoint").fetchone()
    try:
        faults = tuple(wrong_checkpoints(connection))
    except (Damaged, *NONSENSE) as error:
        faults = (f"the rows cannot be added up: {error}",)
    return Finding(f"the checkpoints, added up again ({count})", faults)


def _readable(event: Row) -> Row:
    """The row, if what it says of a game's kind or edition makes sense; else an error."""
    list(choice(event))
    if event[1] == STARTED:
        Kind(event[5])
    return event


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
    except (sqlite3.Error, UnicodeDecodeError) as error:
        return Finding("SQLite's own integrity check", (str(error),))
    faults = tuple(verdict for verdict in verdicts if verdict != "ok")
    return Finding(f"SQLite's own integrity check ({pages} pages)", faults)


def _schema(connection: sqlite3.Connection) -> Finding:
    version = schema.version_of(connection)
    return Finding(f"the schema (version {version})", tuple(schema.faults(connection)))


def _seals(connection: sqlite3.Connection) -> Finding:
    count = 0
    faults = []
    for table in COLUMNS:
        try:
            for expected, row in enumerate(rows(connection, table), start=1):
                count += 1
                if row[0] != expected:
                    faults.append(f"row {expected} of table {table} is missing")
                    break
        except Damaged as error:
            faults.append(str(error))
    return Finding(f"the seals of all rows ({count})", tuple(faults))


class Turn(NamedTuple):
    """A game that was started or resumed, and the number of the first posting after that."""

    game: int
    first: int


def _games(
    games: list[Played], old: list[int], events: list[Row], postings: list[Posting]
) -> Iterator[str]:
    """Each posting must belong to the game that was being played when it was written."""
    if postings and not games:
        yield "there are postings, but no game"
    if old != [game.number for game in games[: len(old)]]:
        yield f"nothing says when game {old[-1]} was started"
        return
    told = [Turn(row[2], row[6] + 1) for row in events if row[1] in TURNS]
    turns = [Turn(game.number, game.first) for game in games[: len(old)]] + told
    for game in games:
        if (game.number, game.first) not in turns:
            yield f"game {game.number} does not say when it began"
    yield from _out_of_turn(turns, postings)


def _out_of_turn(turns: list[Turn], postings: list[Posting]) -> Iterator[str]:
    if turns and turns[0].first != 1:
        yield f"game {turns[0].game} is the first, but its postings are not"
    ends = [turn.first for turn in turns[1:]] + [len(postings) + 1]
    for (number, first), end in zip(turns, ends, strict=False):
        if not 1 <= first <= end <= len(postings) + 1:
            yield f"game {number} does not follow the one before it"
            return
        for posting in postings[first - 1 : end - 1]:
            if posting.game != number:
                yield f"posting {posting.id} says game {posting.game} and lies in game {number}"


def _sums(games: list[Played], postings: list[Posting]) -> Iterator[str]:
    """No card may ever have held less than nothing or too much; all must sum to zero.

    And an account that opens must be nobody's.
    """
    fullest = {game.number: game.edition.fullest for game in games}
    balances: dict[tuple[int, int], int] = {}
    for posting in postings:
        held = balances.get((posting.game, posting.payee), 0)
        if posting.purpose is Purpose.OPENING and held:
            yield f"{account_name(posting.payee)} opens in posting {posting.id} and holds {held}"
        for account, change in (
            (posting.payer, -posting.amount),
            (posting.payee, posting.amount),
        ):
            balance = balances.get((posting.game, account), 0) + change
            balances[posting.game, account] = balance
            most = balance if account == POT else fullest.get(posting.game, 0)
            if account != BANK and not 0 <= balance <= most:
                yield f"{account_name(account)} holds {balance} after posting {posting.id}"
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


def _events(old: int, events: list[Row], postings: int) -> Iterator[str]:
    """Each event must belong to the game that was being played, and name what there is."""
    newest = played = old
    for number, what, game, card, _, _, posting, _ in events:
        if what == STARTED:
            if game != newest + 1:
                yield f"event {number} starts game {game} after game {newest}"
            newest = played = game
        elif what == "resumed":
            if not 1 <= game <= newest:
                yield f"event {number} goes back to game {game}, which was not played yet"
            played = game
        elif game not in (None, played):
            yield f"event {number} says game {game} and lies in game {played}"
        if what in ("joined", "counted", "forgotten") and not 1 <= card <= MOST_CARDS:
            yield f"event {number} names card {card}"
        if posting > postings:
            yield f"event {number} names posting {posting}, which is not there"


def _cards(connection: sqlite3.Connection) -> Finding:
    known = list(rows(connection, "card"))
    faults = [
        f"card row {row[0]} names the number {row[2]}" for row in known if row[2] > MOST_CARDS
    ]
    return Finding(f"what was said of cards ({len(known)})", tuple(faults))


def _settings(connection: sqlite3.Connection, games: int) -> Finding:
    times = {f"{PLAYED}{number}" for number in range(1, games + 1)}
    found = connection.execute("SELECT name, value FROM setting").fetchall()
    faults = [
        f"the setting {name} cannot be {value}"
        for name, value in found
        if value < 0 or (name not in times and (name != VOLUME or value > LOUDEST))
    ]
    return Finding(f"the settings ({len(found)})", tuple(faults))
