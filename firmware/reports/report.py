"""The data of a game's report: ranking, balances over time, totals paid.

It is computed from the ledger's rows. ``text`` and ``page`` format it.
"""

import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from enum import Enum
from typing import NamedTuple

from firmware.bank.edition import Edition
from firmware.bank.game import Game
from firmware.bank.names import CardNames
from firmware.bank.purposes import INTO_THE_POT, Purpose
from firmware.bank.records import BANK, POT, Counted, CountedIn, Posting
from firmware.reports.balances_over_time import Balance, is_undone_by
from firmware.storage import rows
from firmware.storage.replay_reader import ReplayReader
from firmware.user_error import one_line
from firmware.wording import kind_name, numbered, plural, sentence, written_exactly


class PlayerState(Enum):
    PLAYING = ""
    OUT = "OUT"
    FORGOTTEN = "forgotten"


class Player(NamedTuple):
    """A line of the ranking."""

    number: int
    balance: int
    worth: int | None
    """The result of the final count; None if not every player was counted."""
    state: PlayerState
    place: int | None = None
    """Equal players share a place; None for cards that are not playing."""
    name: str = ""
    """The card's name, if that card has played in this game (N6)."""


class Curve(NamedTuple):
    """A card's balance at the start and after each move; None while it had no account."""

    number: int
    balances: tuple[int | None, ...]


class ReportRow(NamedTuple):
    """Something that moved money: a move, an opening, or what took a move back."""

    posting: Posting
    at: int
    step: int | None
    """Its number in the curves; None for an opening, and for what was taken back at once."""
    taken_back: bool
    balances: tuple[int | None, ...]
    """After it, of the cards of the curves; None while a card had no account."""


class Total(NamedTuple):
    """All payments for one purpose, without those that were undone."""

    what: str
    moves: int
    amount: int


class Report(NamedTuple):
    game: int
    edition: Edition
    kind: str
    begun: int
    last_played: int
    """Dates in seconds since 1970; the box's clock may be wrong."""
    over: bool
    counted: bool
    """Whether the final count includes every player."""
    players: tuple[Player, ...]
    """Best first."""
    never_played: int
    """Cards that are not in the report."""
    curves: tuple[Curve, ...]
    peak: int
    """The highest balance of any card."""
    totals: tuple[Total, ...]
    taken_back: int
    in_pot: int | None
    postings: tuple[tuple[Posting, int], ...]
    """All that moved money of the cards in the report, each with its date."""
    names: CardNames
    """The names of the cards in the report."""

    @property
    def title(self) -> str:
        return f"Game {self.game}" if self.over else f"Game {self.game}, as it stands"

    @property
    def steps(self) -> int:
        """The number of moves in the curves."""
        return len(self.curves[0].balances) - 1 if self.curves else 0

    @property
    def lines(self) -> dict[int, list[Balance]]:
        """The curves, for a chart."""
        return {number: list(_changes_of(balances)) for number, balances in self.curves}

    @property
    def moves(self) -> Iterator[ReportRow]:
        """Every move, oldest first, also those that were taken back."""
        postings = [posting for posting, _ in self.postings]
        drawn = (p for p in _without_quick_undos(postings) if p.purpose is not Purpose.OPENING)
        steps = {posting.id: step for step, posting in enumerate(drawn, start=1)}
        undone = {posting.reverses for posting in postings}
        held: dict[int, int | None] = {curve.number: None for curve in self.curves}
        for posting, at in self.postings:
            for account, change in posting.changes:
                if account in held:
                    held[account] = (held[account] or 0) + change
            step = steps.get(posting.id)
            yield ReportRow(posting, at, step, posting.id in undone, tuple(held.values()))

    def sentence(self, posting: Posting) -> str:
        return sentence(posting, self.amount(posting.amount), self.names.at(posting.id))

    @property
    def player_names(self) -> dict[int, str]:
        """The names of the players that have one, by number."""
        return {player.number: player.name for player in self.players if player.name}

    @property
    def winners(self) -> tuple[int, ...]:
        """The best players when all are counted, or the one who is left; empty before that."""
        return winners(self.players, counted=self.counted)

    @property
    def verdict(self) -> str:
        """The winner or the current leader, in a sentence."""
        numbers = [player.number for player in self.players if player.place == 1]
        first = [numbered(number, self.player_names) for number in numbers]
        if not first:
            hint = f" For the game before it, use --game {self.game - 1}." if self.game > 1 else ""
            return f"No card has played in this game.{hint}"
        name, have = _together(first), "has" if len(first) == 1 else "have"
        if self.counted:
            return f"{name} {have} won the final count."
        if self.winners:
            return f"{name} has won: everybody else is out."
        if self.over:
            return f"{name} ended with the most money, without a full final count."
        return f"{name} {have} the most money so far."

    @property
    def ranking_title(self) -> str:
        return f"Ranking by {'the final count' if self.counted else 'balance'}"

    @property
    def ranking(self) -> list[list[str]]:
        """The heads and the rows of the ranking."""
        heads = ["place", "card", *(["name"] if self.player_names else []), "balance"]
        heads += ["final count"] if self.counted else []
        heads += ["result"] if self.winners else []
        return [heads, *map(self._ranked, self.players)]

    def _ranked(self, player: Player) -> list[str]:
        number, balance, worth, state, place, name = player
        row = [str(place or state.value), str(number)]
        row += [name] if self.player_names else []
        row.append(self.amount(balance))
        if self.counted:
            row.append("" if worth is None else self.amount(worth))
        if self.winners:
            row.append("WINNER" if number in self.winners else "")
        return row

    @property
    def total_rows(self) -> list[list[str]]:
        return [[what, str(count), self.amount(amount)] for what, count, amount in self.totals]

    @property
    def notes(self) -> list[str]:
        """Remarks on what the tables leave out."""
        notes = []
        if self.never_played:
            notes.append(f"Never played, and left out: {plural(self.never_played, 'card')}.")
        if self.taken_back:
            notes.append(
                f"Taken back, and left out of the totals: {plural(self.taken_back, 'move')}."
            )
        if self.in_pot is not None:
            notes.append(f"In the pot: {self.amount(self.in_pot)}.")
        return notes

    def amount(self, amount: int) -> str:
        return written_exactly(self.edition, amount)


def report_of(connection: sqlite3.Connection, number: int) -> Report:
    """Read a game. Raises DamagedRow, sqlite3.Error and ROW_ERRORS."""
    reader = ReplayReader(connection)
    records = reader.records_of(number)
    game = Game.of(records)
    postings = [record for record in records if isinstance(record, Posting)]
    opened = {posting.payee for posting in postings if posting.purpose is Purpose.OPENING}
    moved = {account for p in postings if p.purpose.is_move for account in p.accounts}
    counted = {record.number for record in records if isinstance(record, CountedIn | Counted)}
    played = (moved | counted) - {BANK, POT}
    names, is_current = reader.names(), reader.course()[-1] == number
    players, all_counted = ranking(game, played)
    shown = names.by_number if is_current else names.at_the_end(game.state.used)
    players = tuple(_named(player, shown) for player in players)
    curves = _curves(sorted(played), postings)
    begun, last = _dates(connection, number)
    drawn = played | {POT}
    dates = dict(connection.execute("SELECT id, at FROM posting WHERE game = ?", (number,)))
    return Report(
        game=number,
        edition=game.edition,
        kind=kind_name(game.kind, game.minutes),
        begun=begun,
        last_played=last,
        over=not is_current or all_counted or _one_is_left(players),
        counted=all_counted,
        players=players,
        never_played=len(opened - played),
        curves=curves,
        peak=max((held or 0 for curve in curves for held in curve.balances), default=0),
        totals=tuple(_totals(postings)),
        taken_back=sum(posting.purpose is Purpose.REVERSAL for posting in postings),
        in_pot=game.accounts.get(POT),
        postings=tuple((p, dates[p.id]) for p in postings if not p.accounts.isdisjoint(drawn)),
        names=names,
    )


def _named(player: Player, names: Mapping[int, str]) -> Player:
    """A player with the card's name; a card that was forgotten has none."""
    if player.state is PlayerState.FORGOTTEN:
        return player
    return player._replace(name=one_line(names.get(player.number, "")))


def _dates(connection: sqlite3.Connection, number: int) -> tuple[int, int]:
    """When the game began and when it was last played."""
    [(*_, begun)] = rows.read(connection, "game", "WHERE id = ?", number)
    newest = (
        connection.execute(f"SELECT max(at) FROM {table} WHERE game = ?", (number,)).fetchone()[0]
        for table in ("posting", "event")
    )
    return begun, max((at for at in newest if at is not None), default=begun)


# The ranking


def ranking(game: Game, numbers: Iterable[int]) -> tuple[tuple[Player, ...], bool]:
    """Best first: players, then bankrupt ones (latest first), then forgotten cards.

    Also whether every player was counted.
    """
    found: dict[PlayerState, list[Player]] = {state: [] for state in PlayerState}
    for number in sorted(numbers):
        state = _state(game, number)
        found[state].append(Player(number, game.balance(number), game.worth(number), state))
    playing, out, forgotten = found.values()
    counted = bool(playing) and all(player.worth is not None for player in playing)
    if not counted:
        playing = [player._replace(worth=None) for player in playing]
    out.sort(key=lambda player: game.bankruptcy_of(player.number), reverse=True)
    return (*_placed(playing), *out, *forgotten), counted


def winners(players: tuple[Player, ...], *, counted: bool) -> tuple[int, ...]:
    """The best players when all are counted, or the one who is left; empty before that."""
    ended = counted or _one_is_left(players)
    return tuple(player.number for player in players if ended and player.place == 1)


def _state(game: Game, number: int) -> PlayerState:
    if number in game.out:
        return PlayerState.OUT
    return PlayerState.PLAYING if game.is_player(number) else PlayerState.FORGOTTEN


def _placed(players: list[Player]) -> Iterator[Player]:
    """Equal players share a place, and the places after it are skipped: 1, 1, 3."""

    def score(player: Player) -> int:
        return player.balance if player.worth is None else player.worth

    ranked = sorted(players, key=score, reverse=True)
    for player in ranked:
        yield player._replace(place=1 + sum(score(other) > score(player) for other in ranked))


def _one_is_left(players: tuple[Player, ...]) -> bool:
    states = [player.state for player in players]
    return states.count(PlayerState.PLAYING) == 1 and PlayerState.OUT in states


def _together(cards: list[str]) -> str:
    if len(cards) == 1:
        return f"Card {cards[0]}"
    *most, last = cards
    return f"Cards {', '.join(most)} and {last}"


# Balances over time


def _curves(numbers: list[int], postings: Iterable[Posting]) -> tuple[Curve, ...]:
    held: dict[int, list[int | None]] = {number: [None] for number in numbers}
    for posting in _without_quick_undos(postings):
        if posting.purpose is not Purpose.OPENING:
            for balances in held.values():
                balances.append(balances[-1])
        for account, change in posting.changes:
            if account in held:
                held[account][-1] = (held[account][-1] or 0) + change
    return tuple(Curve(number, tuple(balances)) for number, balances in held.items())


def _without_quick_undos(postings: Iterable[Posting]) -> list[Posting]:
    """Leave out each posting that the very next one undoes, and that undo.

    That is a move and its reversal, or a forgotten card that was restored (F19). A move that was
    reversed later stays, and so does its reversal: the moves in between were made with that money.
    """
    kept: list[Posting] = []
    for posting in postings:
        if kept and is_undone_by(kept[-1], posting):
            kept.pop()
        else:
            kept.append(posting)
    return kept


def _changes_of(balances: Iterable[int | None]) -> Iterator[Balance]:
    """A curve's balances where they change."""
    before = None
    for step, held in enumerate(balances):
        if held is not None and held != before:
            yield Balance(step, held)
        before = held


# Totals


def _totals(postings: list[Posting]) -> Iterator[Total]:
    undone = {posting.reverses for posting in postings}
    paid = [p for p in postings if p.purpose.is_move and p.id not in undone]
    entries = [p for p in paid if p.purpose is Purpose.ENTRY]
    groups = {
        "entries from the bank": [p for p in entries if p.payer == BANK],
        "entries to the bank": [p for p in entries if p.payee == BANK],
        "entries between players": [p for p in entries if BANK not in p.accounts],
    }
    others = [purpose for purpose in Purpose if purpose.is_move and purpose is not Purpose.ENTRY]
    groups |= {other.heading: [p for p in paid if p.purpose is other] for other in others}
    out_of_the_pot = groups[Purpose.POT.heading]
    groups[Purpose.POT.heading] = [p for p in out_of_the_pot if p.payee != POT]
    groups[INTO_THE_POT] = [p for p in out_of_the_pot if p.payee == POT]
    for what, group in groups.items():
        if group:
            yield Total(what, len(group), sum(posting.amount for posting in group))
