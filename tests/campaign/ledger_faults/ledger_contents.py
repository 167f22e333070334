"""What a ledger comes to, as far as people see it: as the box knows it, and as the disk has it."""

import sqlite3
from collections import Counter
from contextlib import closing
from typing import NamedTuple

from firmware.ledger import Ledger
from sim.disk.surface import Image
from tests.faults import aftermath
from tests.faults.aftermath import lay_out
from tests.faults.evening import LEDGER

NEW_BOX_VOLUME = 2


class Books(NamedTuple):
    """The game that is being played, and what outlives it."""

    game: int
    postings: int
    balances: dict[int, int]
    cards: dict[int, str]
    volume: int


def in_memory(ledger: Ledger) -> Books:
    return Books(
        ledger.game,
        ledger.last_posting,
        {account: balance for account, balance in sorted(ledger.accounts.items()) if balance},
        {number: uid.hex() for number, uid in ledger.cards.items()},
        ledger.volume,
    )


def on_disk(image: Image) -> Books | None:
    """Read by plain SQL, and not by the firmware; None when there is no game yet."""
    with aftermath.folder() as folder:
        lay_out(folder, image)
        with closing(sqlite3.connect(folder / LEDGER)) as connection:
            return _books(connection)


def _books(connection: sqlite3.Connection) -> Books | None:
    there = [name for (name,) in connection.execute("SELECT name FROM sqlite_master")]
    if "game" not in there:
        return None
    game = "SELECT max(id) FROM game"
    if "event" in there:
        turns = "SELECT game FROM event WHERE what IN ('started', 'resumed') ORDER BY id DESC"
        game = f"SELECT coalesce(({turns} LIMIT 1), ({game}))"
    found = connection.execute(game).fetchone()
    if found == (None,):
        return None
    balances: Counter[int] = Counter()
    for payer, payee, amount in connection.execute(
        "SELECT payer, payee, amount FROM posting WHERE game = ?", found
    ):
        balances[payer] -= amount
        balances[payee] += amount
    cards: dict[int, str] = {}
    for what, number, uid in connection.execute("SELECT what, number, uid FROM card ORDER BY id"):
        if what == "known":
            cards = {n: u for n, u in cards.items() if u != uid}
            cards[number] = uid
        elif what == "forgotten":
            cards.pop(number, None)
    volume = connection.execute("SELECT value FROM setting WHERE name = 'volume'").fetchone()
    return Books(
        found[0],
        connection.execute("SELECT count(*) FROM posting").fetchone()[0],
        {account: balance for account, balance in sorted(balances.items()) if balance},
        dict(sorted(cards.items())),
        volume[0] if volume else NEW_BOX_VOLUME,
    )
