"""Fuzzes edition files: any text is a playable edition, or an error that names the file."""

import sqlite3
from functools import cache

from firmware.bank import edition as editions
from firmware.bank.edition import Edition
from firmware.bank.ledger import Ledger
from firmware.storage import schema
from firmware.storage.audit import audit
from firmware.storage.store import Store
from firmware.user_error import UserError
from hal.display.renderer import draw
from hal.display.view import View
from sim.board.harness import EPOCH
from sim.board.kept_ledger import KeptLedger
from sim.board.software_harness import SoftwareHarness
from sim.board.stock import players
from sim.script.language import ScriptAction, ScriptReader
from sim.script.player import perform
from tests.campaign.fuzz.contract import check_location

FILE = "mine.toml"
LONGEST = 4_000
WORDS = (
    b"[own_rule]\n", b"fight_lost_factor = ", b"station_rents = [", b"9223372036854775807", b"10",
    b"100000000000", b"1", b"0", b"-1", b"0x", b"1e3", b"true", b'""', b"'''", b"\\u001b",
    b"{ a = 1 }",
)  # fmt: skip

EVENING_SCRIPT = """
insert left 1
press G
press 1M
press 99999K
press 1,5M
insert right 2
press 7M
press C
press F1
hold M 1s
remove right
insert right 3
press F2 2M M
press F3 2K M
press F4 7M M
press F4 2K M
press F5M
press F6 3M M
press F7M
press FF1 1M M
press FF2 M
press F8 G,MM
remove left
press FF2 1M M
remove right
press ,
press F9M
insert left 4
press 1M
remove left
press C
press F02
press F03 5M
hold C 4s
wait 6m
insert left 5
press 1M
remove left
press F04 1
press F05 2M M
press F06M
hold C 4s
insert left 1
press 1K
wait 61s
press C
power off
power on
press F9
"""
"""Uses every key and every entry of F, whatever the edition's figures."""


def fuzz_one(data: bytes) -> None:
    try:
        text = data.decode()
    except UnicodeDecodeError:
        # Not UTF-8: refused before parsing.
        return
    try:
        edition = editions.parse(FILE, text)
    except UserError as error:
        check_location(error, FILE, text, line_needed=False)
        return
    assert editions.parse(FILE, edition.source) == edition
    _check_playable(edition)


def _check_playable(edition: Edition) -> None:
    connection = sqlite3.connect(":memory:", isolation_level=None)
    schema.migrate(connection)
    store = Store(connection, lambda: EPOCH)
    Ledger(store, edition).know(players(edition))
    harness = SoftwareHarness().begin(KeptLedger(store), edition)
    drawn: set[View] = set()
    for step in _steps():
        perform(harness, step)
        if harness.view and harness.view not in drawn:
            draw(harness.view)
            drawn.add(harness.view)
    harness.put_away()
    ledger = harness.ledger
    assert sum(ledger.accounts.values()) == 0
    # The last game has an edition chosen on the box; the audit covers all games.
    fullest = ledger.edition.fullest
    assert all(0 <= ledger.balance(card) <= fullest for card in ledger.cards)
    found = [fault for finding in audit(connection) for fault in finding.faults]
    assert not found, found


@cache
def _steps() -> list[ScriptAction]:
    """The parsed script, which is the same for all editions."""
    reader = ScriptReader(editions.load(editions.DEFAULT))
    steps = [reader.read(line) for line in EVENING_SCRIPT.splitlines()]
    return [step for step in steps if isinstance(step, ScriptAction)]
