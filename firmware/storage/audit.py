"""Checks every row of every game of a ledger, and lists the checks.

A start reads only the newest checkpoint and the rows after it. The audit reads everything:
SQLite's integrity check, all seals, sums, reversals and checkpoints.
"""

import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import NamedTuple

from firmware.bank.names import NAME_RULE, is_name
from firmware.bank.purposes import Purpose
from firmware.bank.records import BANK, POT, GameStarted, Kind, Posting
from firmware.storage import rows, schema
from firmware.storage.checkpoint_audit import wrong_checkpoints
from firmware.storage.rows import (
    LONGEST_TIME,
    PLAYED,
    ROW_ERRORS,
    STARTED,
    TURNS,
    VOLUME,
    DamagedRow,
    Event,
    Row,
)
from firmware.user_error import UserError, one_line
from firmware.wording import account_name
from hal.display.sounds import LOUDEST


class CheckResult(NamedTuple):
    """One check, and the faults that it found."""

    checked: str
    faults: tuple[str, ...]


def audit(connection: sqlite3.Connection) -> list[CheckResult]:
    """Run all checks; stop at the first one that makes the later ones meaningless."""
    findings = [_integrity(connection)]
    version = schema.version_of(connection)
    findings.append(_result(f"schema (version {version})", schema.faults(connection)))
    if not _has_faults(findings):
        findings.append(_seals(connection))
    if _has_faults(findings):
        return findings
    try:
        events = [Event(*row) for row in rows.read(connection, "event")]
        for event in events:
            list(rows.event_record(event))  # raises an error if the event is invalid
            if event.what == STARTED:
                Kind(event.text)
                rows.minutes(event.amount)
        games = [rows.game_start(row) for row in rows.read(connection, "game")]
        postings = [rows.posting_of(row) for row in rows.read(connection, "posting")]
    except (UserError, ValueError, DamagedRow) as error:
        return [*findings, _result("contents of all rows", [str(error)])]
    old = rows.games_without_start((game.game for game in games), events)
    cards = list(rows.read(connection, "card"))
    settings = connection.execute("SELECT name, value FROM setting").fetchall()
    reversals = sum(posting.purpose is Purpose.REVERSAL for posting in postings)
    findings += [
        _result(f"games and their postings ({len(games)})", _games(games, old, events, postings)),
        _result(f"balances after each posting ({len(postings)})", _sums(games, postings)),
        _result(f"reversals ({reversals})", _reversals(postings)),
        _result(
            f"other events ({len(events)})",
            chain(
                _events(len(old), events),
                _event_fields(events, len(postings)),
                _made_again(events, postings),
                _restored(events, postings),
            ),
        ),
        _result(f"changes of cards ({len(cards)})", _cards(cards)),
        _result(f"settings ({len(settings)})", _settings(settings, len(games))),
    ]
    return findings if _has_faults(findings) else [*findings, _checkpoints(connection)]


def _result(checked: str, faults: Iterable[str]) -> CheckResult:
    """Control characters in a quoted text never reach a terminal."""
    return CheckResult(checked, tuple(one_line(fault) for fault in faults))


def _has_faults(findings: list[CheckResult]) -> bool:
    return any(finding.faults for finding in findings)


def _integrity(connection: sqlite3.Connection) -> CheckResult:
    try:
        pages = connection.execute("PRAGMA page_count").fetchone()[0]
        verdicts = [row[0] for row in connection.execute("PRAGMA integrity_check(10)")]
        verdicts += [
            f"{row[0]} row {row[1]} refers to a missing {row[2]}"
            for row in connection.execute("PRAGMA foreign_key_check")
        ]
    except (sqlite3.Error, UnicodeDecodeError) as error:
        return _result("SQLite integrity check", [str(error)])
    faults = (verdict for verdict in verdicts if verdict != "ok")
    return _result(f"SQLite integrity check ({pages} pages)", faults)


def _seals(connection: sqlite3.Connection) -> CheckResult:
    count = 0
    faults = []
    for table in rows.COLUMNS:
        try:
            for expected, row in enumerate(rows.read(connection, table), start=1):
                count += 1
                if row[0] != expected:
                    faults.append(f"row {expected} of table {table} is missing")
                    break
        except DamagedRow as error:
            faults.append(str(error))
    return _result(f"checksums of all rows ({count})", faults)


def _checkpoints(connection: sqlite3.Connection) -> CheckResult:
    """Each must match the rows before it."""
    checked = f"checkpoints, recalculated ({rows.last_id(connection, 'checkpoint')})"
    try:
        return _result(checked, wrong_checkpoints(connection))
    except (DamagedRow, *ROW_ERRORS) as error:
        return _result(checked, [f"the rows cannot be replayed: {error}"])


def _games(
    games: list[GameStarted], old: list[int], events: list[Event], postings: list[Posting]
) -> Iterator[str]:
    """Each posting must belong to the game that was being played when it was written."""
    if postings and not games:
        yield "the ledger has postings, but no game"
    if old != [game.game for game in games[: len(old)]]:
        yield f"the start of game {old[-1]} is not recorded"
        return
    # Each turn: the game that was started or resumed, and the first posting after that.
    turns = [(game.game, game.first_posting) for game in games[: len(old)]]
    turns += [(event.game or 0, event.posting + 1) for event in events if event.what in TURNS]
    for number, _, first, *_ in games:
        if (number, first) not in turns:
            yield f"game {number} has no start event before posting {first}"
    yield from _out_of_turn(turns, postings)


def _out_of_turn(turns: list[tuple[int, int]], postings: list[Posting]) -> Iterator[str]:
    for number, first in turns[:1]:
        if first != 1:
            yield f"game {number} is the first, but starts at posting {first}"
    ends = [first for _, first in turns[1:]] + [len(postings) + 1]
    for (number, first), end in zip(turns, ends, strict=False):
        if not 1 <= first <= end <= len(postings) + 1:
            yield f"game {number} starts at posting {first}, which is out of order"
            return
        for posting in postings[first - 1 : end - 1]:
            if posting.game != number:
                yield f"posting {posting.id} names game {posting.game} during game {number}"


def _sums(games: list[GameStarted], postings: list[Posting]) -> Iterator[str]:
    """No balance may ever be negative or too large, and all must sum to zero.

    An account that is opened must be empty. One that is restored gets what it had given back.
    """
    fullest = {game.game: game.edition.fullest for game in games}
    balances: Counter[tuple[int, int]] = Counter()
    returned: dict[tuple[int, int], int] = {}
    for posting in postings:
        game, payee = posting.game, posting.payee
        held = balances[game, payee]
        if posting.purpose is Purpose.OPENING and held:
            yield f"posting {posting.id} opens {account_name(payee)}, which holds {held}"
        given_back = returned.pop((game, payee), 0)
        if posting.purpose is Purpose.RESTORED and given_back != posting.amount:
            name = account_name(payee)
            yield f"posting {posting.id} restores {name}, which gave back {given_back}"
        if posting.purpose is Purpose.RETURN:
            returned[game, posting.payer] = posting.amount
        for account, change in posting.changes:
            balances[game, account] += change
            balance = balances[game, account]
            most = balance if account == POT else fullest.get(game, 0)
            if account != BANK and not 0 <= balance <= most:
                yield f"{account_name(account)} holds {balance} after posting {posting.id}"
    for game in fullest:
        total = sum(balance for (of, _), balance in balances.items() if of == game)
        if total:
            yield f"the accounts of game {game} sum to {total}, not to zero"


def _reversals(postings: list[Posting]) -> Iterator[str]:
    """A reversal mirrors an earlier posting of its game, which no other one reverses."""
    standing: dict[int | None, Posting] = {}
    for posting in postings:
        number, game, payer, payee, amount, purpose, reverses = posting
        if (reverses is not None) != (purpose is Purpose.REVERSAL):
            rule = "must have both the purpose reversal and a posting to reverse"
            yield f"posting {number} {rule}"
        if purpose is Purpose.REVERSAL:
            original = standing.get(reverses)
            if original and original[1:5] == (game, payee, payer, amount):
                del standing[reverses]
            else:
                yield f"posting {number} is not a valid reversal of {reverses}"
        standing[number] = posting


def _events(old: int, events: list[Event]) -> Iterator[str]:
    """Each event must belong to the current game."""
    newest = played = old
    for number, what, game, *_ in events:
        if game is None:
            pass  # about the next game
        elif what == STARTED:
            if game != newest + 1:
                yield f"event {number} starts game {game} after game {newest}"
            newest = played = game
        elif what == "resumed":
            if not 1 <= game <= newest:
                yield f"event {number} resumes game {game}, which has not started yet"
            played = game
        elif game != played:
            yield f"event {number} names game {game} during game {played}"


def _event_fields(events: list[Event], postings: int) -> Iterator[str]:
    """The posting of an event must exist."""
    for number, *_, posting, _ in events:
        if posting > postings:
            yield f"event {number} names posting {posting}, which does not exist"


def _made_again(events: list[Event], postings: list[Posting]) -> Iterator[str]:
    """A move is made again once, after it was taken back, by an equal posting of its game."""
    moves = {posting.id: posting for posting in postings if posting.purpose.is_move}
    taken_back = {posting.reverses: posting.id for posting in postings}
    for number, what, game, original, _, _, posting, _ in events:
        if what != "made again":
            continue
        move, again = moves.pop(original, None), moves.get(posting)
        if (
            move is None
            or again is None
            or (game, *move[1:]) != (move.game, *again[1:])
            or move.purpose is Purpose.BANKRUPTCY
            or not original < taken_back.get(original, posting) < posting
        ):
            yield f"event {number}: posting {posting} does not make {original} again"


def _restored(events: list[Event], postings: list[Posting]) -> Iterator[str]:
    """Only a forgotten card is restored, and is bankrupt again only if it was."""
    ruined = {(p.id, p.game, p.payer) for p in postings if p.purpose is Purpose.BANKRUPTCY}
    forgotten: set[tuple[int | None, int]] = set()
    for number, what, game, card, bankruptcy, *_ in events:
        if what == "forgotten":
            forgotten.add((game, card))
        elif what == "restored":
            if (game, card) not in forgotten:
                yield f"event {number} restores card {card}, which was not forgotten"
            forgotten.discard((game, card))
            if bankruptcy and (bankruptcy, game, card) not in ruined:
                yield f"event {number} names posting {bankruptcy}, not a bankruptcy of card {card}"


def _cards(cards: list[Row]) -> Iterator[str]:
    for row, what, _, text, _ in cards:
        if what == "named" and text and not is_name(text):
            yield f"row {row} of table card has the name {text!r}; {NAME_RULE}"


def _settings(settings: list[tuple[str, int]], games: int) -> Iterator[str]:
    times = {f"{PLAYED}{number}" for number in range(1, games + 1)}
    for name, value in settings:
        most = LOUDEST if name == VOLUME else LONGEST_TIME if name in times else -1
        if not 0 <= value <= most:
            yield f"the setting {name} = {value} is not valid"
