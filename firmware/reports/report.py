"""A game as it is told afterwards: who came out where, how the balances went, what was paid.

It is worked out from the ledger's rows, and says nothing about how it is written down: as
text (``report_text``) or as a page (``report_page``).
"""

import sqlite3
from collections.abc import Iterable, Iterator
from enum import Enum
from typing import NamedTuple

from firmware.edition import Edition
from firmware.game import Game
from firmware.money import spell_out
from firmware.records import (
    BANK,
    POT,
    AccountClosed,
    PlayerJoined,
    Posting,
    Purpose,
    Record,
)
from firmware.rows import rows
from firmware.store import Store
from firmware.wording import cards, kind_name, moves

MOST_TICKS = 4

_NAMES = {
    Purpose.SALARY: "salaries",
    Purpose.RENT: "rent of utilities",
    Purpose.FIGHT: "lost fights",
    Purpose.SALE: "sold to the bank",
    Purpose.MORTGAGE: "mortgages lifted",
    Purpose.INTEREST: "interest on mortgages",
    Purpose.FINE: "fines",
    Purpose.TAX: "taxes into the pot",
    Purpose.POT: "out of the pot",
    Purpose.BANKRUPTCY: "bankruptcies",
}


class State(Enum):
    """What has become of a player."""

    PLAYING = ""
    OUT = "OUT"
    FORGOTTEN = "forgotten"


class Player(NamedTuple):
    """A line of the ranking."""

    number: int
    balance: int
    worth: int | None
    """What the final count came to; None where not every player was counted."""
    state: State
    place: int | None = None
    """Equals share one; those who are not playing have none."""


class Curve(NamedTuple):
    """What a card had at the start and after each move; None while it had no account."""

    number: int
    balances: tuple[int | None, ...]


class Total(NamedTuple):
    """What was moved for one purpose, without what was taken back."""

    what: str
    moves: int
    amount: int


class Report(NamedTuple):
    """All that there is to tell about a game."""

    game: int
    edition: Edition
    kind: str
    begun: int
    last_played: int
    """Both are the box's own dates, which may be wrong."""
    over: bool
    counted: bool
    """Whether every player was, in the final count."""
    players: tuple[Player, ...]
    """Best first."""
    never_played: int
    """Cards that are in none of this."""
    curves: tuple[Curve, ...]
    peak: int
    """The most that any card has had."""
    totals: tuple[Total, ...]
    taken_back: int
    in_pot: int | None

    @property
    def title(self) -> str:
        return f"Game {self.game}" if self.over else f"Game {self.game}, as it stands"

    @property
    def steps(self) -> int:
        """How many moves the curves go through."""
        return len(self.curves[0].balances) - 1 if self.curves else 0

    @property
    def verdict(self) -> str:
        """Who has won, or how things stand, in a sentence."""
        first = [player.number for player in self.players if player.place == 1]
        if not first:
            hint = f" The one before it: --game {self.game - 1}" if self.game > 1 else ""
            return f"Nobody is in this game.{hint}"
        name, have = _together(first), "has" if len(first) == 1 else "have"
        if self.counted:
            return f"{name} {have} won the final count."
        if len(self.players) > 1 and all(player.state is State.OUT for player in self.players[1:]):
            return f"{name} has won: everybody else is out."
        if self.over:
            return f"{name} ended with the most money, without a full final count."
        return f"{name} {have} the most money so far."

    @property
    def notes(self) -> list[str]:
        """What is not in the tables."""
        notes = []
        if self.never_played:
            notes.append(f"Never played, and left out: {cards(self.never_played)}.")
        if self.taken_back:
            notes.append(f"Taken back, and left out: {moves(self.taken_back)}.")
        if self.in_pot is not None:
            notes.append(f"In the pot: {self.amount(self.in_pot)}.")
        return notes

    def amount(self, amount: int) -> str:
        """As the box writes it, or every digit where five do not show it all."""
        written = self.edition.units.write(amount)
        return written.text if written.exact else spell_out(amount)


def report_of(connection: sqlite3.Connection, number: int) -> Report:
    """Read a game; raises what damaged rows raise."""
    store = Store(connection)
    records = [
        record
        for record in store.records_of(number)
        # A card that was forgotten in a later game is no less a player of this one.
        if not (isinstance(record, AccountClosed) and record.game != number)
    ]
    game = Game.of(records)
    postings = [record for record in records if isinstance(record, Posting)]
    played = _played(records)
    players, counted = _ranking(game, played, postings)
    curves = _curves(sorted(played), postings)
    begun, last = _dates(connection, number)
    return Report(
        game=number,
        edition=game.edition,
        kind=kind_name(game.kind, game.minutes),
        begun=begun,
        last_played=last,
        over=store.course()[-1] != number or counted or _one_is_left(players),
        counted=counted,
        players=players,
        never_played=len(_opened(postings) - played),
        curves=curves,
        peak=max((held or 0 for curve in curves for held in curve.balances), default=0),
        totals=tuple(_totals(postings)),
        taken_back=sum(posting.purpose is Purpose.REVERSAL for posting in postings),
        in_pot=game.accounts.get(POT),
    )


def _dates(connection: sqlite3.Connection, number: int) -> tuple[int, int]:
    """When the game began and when it was last played, of rows whose seals have been checked."""
    [(*_, begun)] = rows(connection, "game", "WHERE id = ?", number)
    newest = (
        connection.execute(f"SELECT max(at) FROM {table} WHERE game = ?", (number,)).fetchone()[0]
        for table in ("posting", "event")
    )
    return begun, max((at for at in newest if at is not None), default=begun)


def _opened(postings: Iterable[Posting]) -> set[int]:
    return {posting.payee for posting in postings if posting.purpose is Purpose.OPENING}


def _played(records: Iterable[Record]) -> set[int]:
    """The cards that were put in, or with which money moved; older ledgers know only of these."""
    played: set[int] = set()
    for record in records:
        if isinstance(record, PlayerJoined):
            played.add(record.number)
        elif isinstance(record, Posting) and record.purpose.is_move:
            played |= record.accounts
    return played - {BANK, POT}


# The ranking


def _ranking(
    game: Game, numbers: Iterable[int], postings: list[Posting]
) -> tuple[tuple[Player, ...], bool]:
    """Best first: the players, then the bankrupt, the last one first, then the forgotten."""
    found = [
        Player(number, game.balance(number), game.worth(number), _state(game, number))
        for number in sorted(numbers)
    ]
    playing = [player for player in found if player.state is State.PLAYING]
    counted = bool(playing) and all(player.worth is not None for player in playing)
    if not counted:
        playing = [player._replace(worth=None) for player in playing]
    bankruptcies = {p.payer: p.id for p in postings if p.purpose is Purpose.BANKRUPTCY}
    out = [player for player in found if player.state is State.OUT]
    out.sort(key=lambda player: bankruptcies[player.number], reverse=True)
    forgotten = [player for player in found if player.state is State.FORGOTTEN]
    return (*_placed(playing), *out, *forgotten), counted


def _state(game: Game, number: int) -> State:
    if number in game.out:
        return State.OUT
    return State.PLAYING if game.is_player(number) else State.FORGOTTEN


def _placed(players: list[Player]) -> Iterator[Player]:
    """Those who have as much share a place, and the next one's is so many further down."""

    def score(player: Player) -> int:
        return player.balance if player.worth is None else player.worth

    ranked = sorted(players, key=score, reverse=True)
    for player in ranked:
        yield player._replace(place=1 + sum(score(other) > score(player) for other in ranked))


def _one_is_left(players: tuple[Player, ...]) -> bool:
    states = [player.state for player in players]
    return states.count(State.PLAYING) == 1 and State.OUT in states


def _together(numbers: list[int]) -> str:
    if len(numbers) == 1:
        return f"Card {numbers[0]}"
    *most, last = map(str, numbers)
    return f"Cards {', '.join(most)} and {last}"


# Balances over time


def _curves(numbers: list[int], postings: Iterable[Posting]) -> tuple[Curve, ...]:
    held: dict[int, list[int | None]] = {number: [None] for number in numbers}
    for posting in _without_slips(postings):
        if posting.purpose is not Purpose.OPENING:
            for balances in held.values():
                balances.append(balances[-1])
        for account, change in (
            (posting.payer, -posting.amount),
            (posting.payee, posting.amount),
        ):
            if account in held:
                held[account][-1] = (held[account][-1] or 0) + change
    return tuple(Curve(number, tuple(balances)) for number, balances in held.items())


def _without_slips(postings: Iterable[Posting]) -> list[Posting]:
    """All but what was taken back before anything else moved.

    A move that was taken back later stays, and so does its reversal: what lies in between
    was played with that money.
    """
    kept: list[Posting] = []
    for posting in postings:
        if kept and posting.reverses == kept[-1].id:
            kept.pop()
        else:
            kept.append(posting)
    return kept


def ticks(peak: int) -> list[int]:
    """Round amounts up to the peak, few enough to be read: steps of 1, 2 or 5 and zeros."""
    step = 1
    while peak // step > MOST_TICKS:
        step = step // 2 * 5 if str(step)[0] == "2" else step * 2
    return list(range(step, peak + 1, step))


# What was paid


def _totals(postings: Iterable[Posting]) -> Iterator[Total]:
    paid = list(_moves(postings))
    entries = [posting for posting in paid if posting.purpose is Purpose.ENTRY]
    yield from _total("entries from the bank", (p for p in entries if p.payer == BANK))
    yield from _total("entries to the bank", (p for p in entries if p.payee == BANK))
    yield from _total("entries between players", (p for p in entries if BANK not in p.accounts))
    for purpose, name in _NAMES.items():
        yield from _total(name, (p for p in paid if p.purpose is purpose))


def _moves(postings: Iterable[Posting]) -> Iterator[Posting]:
    """What the players moved and did not take back."""
    found = list(postings)
    taken_back = {posting.reverses for posting in found}
    return (p for p in found if p.purpose.is_move and p.id not in taken_back)


def _total(what: str, paid: Iterable[Posting]) -> Iterator[Total]:
    amounts = [posting.amount for posting in paid]
    if amounts:
        yield Total(what, len(amounts), sum(amounts))
