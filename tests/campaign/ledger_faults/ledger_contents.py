"""The contents of a ledger as a player sees them, from the box's memory and from the disk."""

import sqlite3
from collections import Counter
from contextlib import closing
from typing import NamedTuple

from firmware.bank.ledger import Ledger
from tests.campaign.disk.surface import Image
from tests.campaign.ledger_faults import recovery
from tests.campaign.ledger_faults.evening import LEDGER
from tests.campaign.ledger_faults.recovery import write_image

NEW_BOX_VOLUME = 2


class LedgerContents(NamedTuple):
    """The current game, and what is kept between games."""

    game: int
    postings: int
    balances: dict[int, int]
    cards: dict[int, str]
    volume: int


def in_memory(ledger: Ledger) -> LedgerContents:
    return LedgerContents(
        ledger.game,
        ledger.state.last_posting,
        {account: balance for account, balance in sorted(ledger.accounts.items()) if balance},
        {number: uid.hex() for number, uid in ledger.cards.items()},
        ledger.state.volume,
    )


def on_disk(image: Image) -> LedgerContents | None:
    """Read by plain SQL instead of the firmware; None if there is no game yet."""
    with recovery.folder() as folder:
        write_image(folder, image)
        with closing(sqlite3.connect(folder / LEDGER)) as connection:
            return _contents(connection)


def _contents(connection: sqlite3.Connection) -> LedgerContents | None:
    tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_master")]
    if "game" not in tables:
        return None
    game = "SELECT max(id) FROM game"
    if "event" in tables:
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
    # The column of the UID has another name in older formats.
    for _, what, number, uid, *_ in connection.execute("SELECT * FROM card ORDER BY id"):
        if what == "known":
            cards = {n: u for n, u in cards.items() if u != uid}
            cards[number] = uid
        elif what == "forgotten":
            cards.pop(number, None)
    volume = connection.execute("SELECT value FROM setting WHERE name = 'volume'").fetchone()
    return LedgerContents(
        found[0],
        connection.execute("SELECT count(*) FROM posting").fetchone()[0],
        {account: balance for account, balance in sorted(balances.items()) if balance},
        dict(sorted(cards.items())),
        volume[0] if volume else NEW_BOX_VOLUME,
    )
